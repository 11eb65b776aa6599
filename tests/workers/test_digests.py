"""Digests: one mail an account and hour, of what is still true, whatever crashes in between."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from server import clock, language
from server.config import Settings
from server.database import transaction
from server.errors import NotSendable
from server.models import Account, Delivery, Game, Invitation, Message, Mute, Preference
from server.services import digests, dispatching, fates, notifying, outbox, resending
from server.services.accounts import Caller
from server.services.dispatching import Parcel
from server.services.settling import Outcome
from tests.workers import rows

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
EVENING = NOON + timedelta(hours=6)
SENT = Outcome("sent", 250, "ok", 3)


def run(settings: Settings, outcome: Outcome = SENT) -> list[str]:
    """What a run of the workers sends: the text of the mails."""
    taken: list[Parcel] = []
    digests.begin()
    dispatching.run(lambda parcel: taken.append(parcel) or outcome, settings)
    return [parcel.body for parcel in taken]


def boris(games: int = 1, **modes: str) -> tuple[Caller, list[str]]:
    """He wants turns and messages in a digest, and plays so many games with Anna."""
    modes = {"your_turn": "digest", "message": "digest", "game_over": "digest"} | modes
    with transaction() as session:
        anna, made = rows.account(session, "anna", None), rows.account(session, "boris")
        kinds = {kind: {"email": mode} for kind, mode in modes.items()}
        session.add(Preference(account_id=made.id, kinds=kinds, delay=0, reminders=[], version=1))
        played = [rows.game(session, anna, made).id for _ in range(games)]
        return Caller(made.id, frozenset({"account"})), played


def turn(game: str, seat: str = "B") -> None:
    with transaction() as session:
        rows.ask(session, session.get_one(Game, game), seat)


def talk(game: str, number: int) -> None:
    with transaction() as session:
        anna = session.query(Account).filter_by(name="anna").one()
        said = Message(game_id=game, number=number, account_id=anna.id, text="well", created_at=clock.now())
        session.add(said)
        notifying.message(session, session.get_one(Game, game), said, clock.now())


def by_kind() -> dict[str, Delivery]:
    return {row.kind: row for row in rows.deliveries()}


def states() -> list[tuple[str, str, str | None]]:
    return sorted((row.kind, row.state, row.reason) for row in rows.deliveries())


def test_one_mail_at_the_hour_tells_all_that_waited(settings: Settings) -> None:
    _, (one, two) = boris(games=2)
    with time_machine.travel(NOON, tick=False) as now:
        turn(one)
        talk(two, 1)
        assert run(settings) == []
        now.move_to(EVENING - timedelta(seconds=1))
        assert run(settings) == []
        now.move_to(EVENING)
        (mail,) = run(settings)
        assert f"GAME {one[2:8]}" in mail and f"GAME {two[2:8]}" in mail
        assert mail.count("IT IS YOUR TURN") == 1 and "Messages at the table: 1" in mail
        assert run(settings) == []
    digest = by_kind()["digest"]
    assert (digest.state, digest.attempts) == ("sent", 1)
    for kind in ("your_turn", "message"):
        assert (by_kind()[kind].state, by_kind()[kind].batch_id) == ("batched", digest.id)


def test_what_is_not_true_any_more_is_left_out_and_says_why(settings: Settings) -> None:
    _, (one, two) = boris(games=2)
    with time_machine.travel(NOON, tick=False) as now:
        turn(one)
        turn(two)
        turn(one, "A")
        now.move_to(EVENING)
        (mail,) = run(settings)
        assert f"GAME {one[2:8]}" not in mail and f"GAME {two[2:8]}" in mail
    assert ("your_turn", "obsolete", "answered") in states()


def test_a_digest_of_nothing_is_not_sent(settings: Settings) -> None:
    _, (game,) = boris()
    with time_machine.travel(NOON, tick=False) as now:
        turn(game)
        turn(game, "A")
        now.move_to(EVENING)
        assert run(settings) == []
    assert states() == [("digest", "obsolete", "nothing-to-tell"), ("your_turn", "obsolete", "answered")]


def test_without_news_there_is_no_digest(settings: Settings) -> None:
    boris()
    with time_machine.travel(EVENING, tick=False):
        assert run(settings) == []
    assert rows.deliveries() == []


def test_a_newer_turn_replaces_the_one_that_waits_for_the_digest(settings: Settings) -> None:
    _, (game,) = boris()
    with time_machine.travel(NOON, tick=False) as now:
        for seat in ("B", "A", "B"):
            turn(game, seat)
        now.move_to(EVENING)
        (mail,) = run(settings)
        assert mail.count("IT IS YOUR TURN") == 1
    assert states() == [("digest", "sent", None), ("your_turn", "batched", None), ("your_turn", "obsolete", "replaced")]


def test_messages_in_a_row_wait_as_one(settings: Settings) -> None:
    _, (game,) = boris()
    with time_machine.travel(NOON, tick=False):
        for number in (1, 2, 3):
            talk(game, number)
        assert len(rows.deliveries()) == 1


def test_at_the_same_hour_others_get_theirs(settings: Settings) -> None:
    _, (game,) = boris()
    with time_machine.travel(NOON, tick=False), transaction() as session:
        clara = rows.account(session, "clara")
        kinds = {"your_turn": {"email": "digest"}}
        session.add(Preference(account_id=clara.id, kinds=kinds, delay=0, reminders=[], version=1))
        other = rows.game(session, clara, rows.account(session, "dora", None))
        rows.ask(session, other, "A")
    with time_machine.travel(NOON, tick=False) as now:
        turn(game)
        now.move_to(EVENING)
        assert len(run(settings)) == 2
    assert [row.account_id for row in rows.deliveries() if row.kind == "digest"].count(clara.id) == 1


def test_a_digest_is_begun_once_however_often_and_by_how_many(settings: Settings) -> None:
    _, (game,) = boris()
    with time_machine.travel(NOON, tick=False):
        turn(game)
    with time_machine.travel(EVENING, tick=False), ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(lambda _: digests.begin(), range(8))) == 1


def test_after_a_crash_before_its_text_is_made_it_tells_the_same_and_what_came_meanwhile(settings: Settings) -> None:
    _, (one, two) = boris(games=2)
    with time_machine.travel(NOON, tick=False) as now:
        turn(one)
        now.move_to(EVENING)
        digests.begin()
        claimed = rows.claim_one()
        digests.collect(claimed, clock.now())  # and then the worker dies
        assert by_kind()["your_turn"].state == "batched" and by_kind()["digest"].state == "leased"
        with time_machine.travel(NOON, tick=False):
            talk(two, 1)
        now.shift(outbox.LEASE + timedelta(seconds=1))
        (mail,) = run(settings)
        assert "IT IS YOUR TURN" in mail and "Messages at the table: 1" in mail


def test_what_stopped_being_true_between_crash_and_second_try_is_not_told(settings: Settings) -> None:
    _, (game,) = boris()
    with time_machine.travel(NOON, tick=False) as now:
        turn(game)
        now.move_to(EVENING)
        digests.begin()
        digests.collect(rows.claim_one(), clock.now())
        turn(game, "A")
        now.shift(outbox.LEASE + timedelta(seconds=1))
        assert run(settings) == []
    assert states() == [("digest", "obsolete", "nothing-to-tell"), ("your_turn", "obsolete", "answered")]


def test_a_text_that_could_not_be_made_costs_a_try_and_nothing_else(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, (game,) = boris()
    with time_machine.travel(NOON, tick=False) as now:
        turn(game)
        now.move_to(EVENING)
        with monkeypatch.context() as patched:
            patched.setattr(dispatching.letters, "write", lambda *_: {}["no text"])
            assert run(settings) == []
        now.shift(timedelta(minutes=2))
        (mail,) = run(settings)
        assert "IT IS YOUR TURN" in mail
    assert (by_kind()["digest"].state, by_kind()["digest"].attempts) == ("sent", 2)


def test_a_try_that_failed_tells_the_same_once_more_and_nothing_else(settings: Settings) -> None:
    _, (one, two) = boris(games=2)
    with time_machine.travel(NOON, tick=False) as now:
        turn(one)
        now.move_to(EVENING)
        (first,) = run(settings, Outcome("ambiguous", None, "silence after the dot"))
        with time_machine.travel(NOON, tick=False):
            talk(two, 1)
        now.shift(timedelta(minutes=2))
        second = run(settings)
        assert second == [first], "copies are the same to the byte"
    late = by_kind()["message"]
    assert (late.state, late.next_at) == ("due", EVENING + timedelta(days=1)), "it missed this digest: the next one"


BUSY = Outcome("transient", 451, "greylisted")


def test_a_try_that_failed_is_the_last_one_when_nothing_in_it_is_true_any_more(settings: Settings) -> None:
    _, (one, two) = boris(games=2)
    with time_machine.travel(NOON, tick=False) as now:
        turn(one)
        turn(two)
        now.move_to(EVENING)
        (first,) = run(settings, BUSY)
        turn(one, "A")
        now.shift(timedelta(minutes=2))
        assert run(settings, BUSY) == [first], "it is his turn in the other game"
        turn(two, "A")
        now.shift(timedelta(minutes=10))
        assert run(settings) == []
    digest = by_kind()["digest"]
    assert (digest.state, digest.reason, digest.rendered) == ("obsolete", "nothing-to-tell", None)
    said = {str(fates.of(row, digest)) for row in rows.deliveries() if row.kind == "your_turn"}
    assert said == {"It was to be told in a digest, which was not sent: nothing in it was still true by then."}


def test_a_try_that_failed_is_made_again_for_what_stays_true(settings: Settings) -> None:
    _, (one, two) = boris(games=2)
    with time_machine.travel(NOON, tick=False) as now:
        turn(one)
        talk(two, 1)
        now.move_to(EVENING)
        (first,) = run(settings, BUSY)
        turn(one, "A")
        now.shift(timedelta(minutes=2))
        assert run(settings) == [first]


def test_a_try_that_failed_is_the_last_one_when_its_games_are_muted_since(settings: Settings) -> None:
    caller, (game,) = boris()
    with time_machine.travel(NOON, tick=False) as now:
        talk(game, 1)
        now.move_to(EVENING)
        run(settings, BUSY)
        with transaction() as session:
            session.add(Mute(account_id=caller.account_id, game_id=game, created_at=clock.now()))
        now.shift(timedelta(minutes=2))
        assert run(settings) == []


def test_what_comes_after_the_hour_comes_in_the_next_one(settings: Settings) -> None:
    _, (game,) = boris()
    with time_machine.travel(NOON, tick=False) as now:
        turn(game)
        now.move_to(EVENING)
        assert len(run(settings)) == 1
        now.shift(timedelta(minutes=1))
        talk(game, 1)
        assert run(settings) == []
        now.move_to(EVENING + timedelta(days=1))
        (mail,) = run(settings)
        assert "Messages at the table: 1" in mail


def test_a_digest_that_died_can_be_asked_for_again_under_its_identity(settings: Settings) -> None:
    caller, (game,) = boris()
    with time_machine.travel(NOON, tick=False) as now:
        turn(game)
        now.move_to(EVENING)
        (first,) = run(settings, Outcome("permanent", 550, "no"))
        digest = by_kind()["digest"]
        assert (digest.state, digest.rendered) == ("dead", None)
        now.shift(timedelta(hours=1))
        with pytest.raises(NotSendable):
            resending.again(caller, digest.id)  # his address is dead
        with transaction() as session:
            session.get_one(Account, caller.account_id).mail_dead_at = None
        resending.again(caller, digest.id)
        (second,) = run(settings)
        assert f"Message-ID: {digest.message_id}" in first and f"Message-ID: {digest.message_id}" in second
        assert "IT IS YOUR TURN" in second
    assert by_kind()["digest"].state == "sent"


def test_a_game_that_was_muted_meanwhile_is_left_out(settings: Settings) -> None:
    caller, (one, two) = boris(games=2)
    with time_machine.travel(NOON, tick=False) as now:
        turn(one)
        turn(two)
        with transaction() as session:
            session.add(Mute(account_id=caller.account_id, game_id=one, created_at=clock.now()))
        now.move_to(EVENING)
        (mail,) = run(settings)
        assert f"GAME {one[2:8]}" not in mail
    assert ("your_turn", "suppressed", "muted") in states()


@pytest.mark.parametrize(
    ("state", "reason", "said", "russian"),
    [
        ("due", None, "It is told in a digest that is on its way.", "сейчас отправляется"),
        ("leased", None, "It is told in a digest that is on its way.", "сейчас отправляется"),
        ("sent", None, "It was told in a digest.", "Вошло в сводку"),
        ("dead", "refused", "It was told in a digest, which could not be delivered.", "не удалось доставить"),
        (
            "suppressed",
            "address-dead",
            "It was to be told in a digest, which was not sent: mails to your address come back.",
            "возвращаются",
        ),
        (
            "obsolete",
            "nothing-to-tell",
            "It was to be told in a digest, which was not sent: nothing in it was still true by then.",
            "неактуально",
        ),
        (
            "obsolete",
            "no-address",
            "It was to be told in a digest, which was not sent: the account had no address.",
            "не было адреса",
        ),
        ("obsolete", "account-deleted", "It was to be told in a digest, which was not sent.", "не была отправлена"),
    ],
)
def test_what_became_of_the_digest_is_said_of_what_it_was_to_tell(
    state: str, reason: str | None, said: str, russian: str
) -> None:
    told = fates.of(Delivery(state="batched"), Delivery(state=state, reason=reason))
    assert told == said and russian in language.translated(told, "ru")


@pytest.mark.parametrize(
    ("zone", "written", "comes"),
    [
        ("Europe/Berlin", "2026-03-28T18:00", "2026-03-29T16:00"),  # summer time begins in between
        ("Europe/Berlin", "2026-10-24T17:00", "2026-10-25T17:00"),  # and ends
        ("America/Sao_Paulo", "2026-03-01T12:00", "2026-03-01T21:00"),
    ],
)
def test_the_hour_is_that_of_where_he_lives(settings: Settings, zone: str, written: str, comes: str) -> None:
    caller, (game,) = boris()
    with transaction() as session:
        session.get_one(Account, caller.account_id).time_zone = zone
    with time_machine.travel(datetime.fromisoformat(written).replace(tzinfo=UTC), tick=False):
        turn(game)
    assert rows.only_delivery().next_at == datetime.fromisoformat(comes).replace(tzinfo=UTC)


def test_an_invitation_in_a_digest_leaves_no_token_behind(settings: Settings) -> None:
    caller, (game,) = boris(invitation="digest")
    with time_machine.travel(NOON, tick=False) as now:
        with transaction() as session:
            anna = session.query(Account).filter_by(name="anna").one()
            made = Invitation(
                id="i_" + "a" * 26, game_id=game, inviter_id=anna.id, kind="account", account_id=caller.account_id, email_digest="d",
                token_digest="t", state="open", created_at=clock.now(), expires_at=clock.now() + timedelta(days=14),
            )  # fmt: skip
            session.add(made)
            session.flush()
            notifying.invitation(session, made, "s3cret", "en", False, clock.now())
        now.move_to(EVENING)
        (mail,) = run(settings)
        assert "anna invites you" in mail
    told = by_kind()["invitation"]
    assert (told.state, told.payload) == ("batched", {"invitation": made.id, "language": "en", "beyond_limit": False})
