"""When a notice goes out and how, as its recipient wishes it: at once, later, in a digest, or not at all."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from server import clock, queries
from server.config import Settings
from server.database import transaction
from server.models import Account, Preference
from server.services import notifying, preferences, profile
from server.services.accounts import Caller
from server.services.settling import Outcome
from tests.workers import rows
from tests.workers.wishing import a_game, boris, fates, lives_in, mails, sent, talk, turn, wish

pytestmark = pytest.mark.usefixtures("no_texts")

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
NIGHT = {"from": "22:00", "until": "07:30"}


def test_by_default_a_turn_is_told_at_once(settings: Settings) -> None:
    turn(a_game())
    assert sent(settings) == ["your_turn 1"]


def test_what_is_off_is_a_row_that_says_so_and_webhooks_go_on(settings: Settings) -> None:
    game = a_game()
    wish(**mails("off"))
    with transaction() as session:
        rows.endpoint(session, session.get_one(Account, boris().account_id), "https://example.org/hook")
    turn(game)
    assert {(row.channel, row.state, row.reason) for row in rows.deliveries()} == {
        ("email", "suppressed", "off"),
        ("webhook", "due", None),
    }
    assert sent(settings) == []


def test_a_webhook_can_be_switched_off_by_kind_too(settings: Settings) -> None:
    game = a_game()
    wish(kinds={"your_turn": {"webhook": "off"}})
    with transaction() as session:
        rows.endpoint(session, session.get_one(Account, boris().account_id), "https://example.org/hook")
    turn(game)
    assert {(row.channel, row.state, row.reason) for row in rows.deliveries()} == {
        ("email", "due", None),
        ("webhook", "suppressed", "off"),
    }


def test_of_a_muted_game_nothing_is_told_and_of_others_everything(settings: Settings) -> None:
    game, other = a_game(), None
    with transaction() as session:
        players = [session.query(Account).filter_by(name=name).one() for name in ("anna", "boris")]
        other = rows.game(session, *players).id
    preferences.change_of_game(boris(), game, True, lambda version: None)
    turn(game)
    turn(other)
    assert sorted(fates(), key=str) == [("due", None), ("suppressed", "muted")]
    preferences.change_of_game(boris(), game, False, lambda version: None)
    turn(game)
    assert sorted(fates(), key=str) == [("due", None), ("due", None), ("suppressed", "muted")]


def test_a_game_muted_while_its_notice_waits_is_not_told(settings: Settings) -> None:
    game = a_game()
    turn(game)
    preferences.change_of_game(boris(), game, True, lambda version: None)
    assert sent(settings) == []
    assert fates() == [("suppressed", "muted")]


def test_a_dead_address_gets_nothing_and_the_log_says_why(settings: Settings) -> None:
    game = a_game()
    with transaction() as session:
        session.get_one(Account, boris().account_id).mail_dead_at = clock.now()
    turn(game)
    assert fates() == [("suppressed", "address-dead")]


def test_an_address_that_dies_while_a_notice_waits_gets_it_no_more(settings: Settings) -> None:
    turn(a_game())
    with transaction() as session:
        session.get_one(Account, boris().account_id).mail_dead_at = clock.now()
    assert sent(settings) == []
    assert fates() == [("suppressed", "address-dead")]


def test_what_matters_goes_out_whatever_anybody_wishes(settings: Settings) -> None:
    a_game()
    kinds = {kind: {"email": "off"} for kind in ("your_turn", "invitation", "game_over")}
    with time_machine.travel(NOON.replace(hour=23), tick=False):
        wish(kinds=kinds, quiet=NIGHT)
        with transaction() as session:
            rows.code(session, "boris@example.org")
            notifying.test(session, session.query(Account).filter_by(name="boris").one(), clock.now())
        assert sorted(sent(settings)) == ["test None", "verification None"]


def test_a_link_in_a_mail_switches_off_its_kind_and_the_log_says_by_what(settings: Settings) -> None:
    game = a_game()
    for expected in (True, False):
        with transaction() as session:
            account = session.get_one(Account, boris().account_id)
            assert bool(preferences.turn_off(session, account, "message", "email")) is expected
    turn(game)
    talk(game, 1)
    assert sorted(fates(), key=str) == [("due", None), ("suppressed", "unsubscribed")]


@pytest.mark.parametrize("kind", ["verification", "webhook_disabled", "player_resigned", "", "x"])
def test_what_nobody_has_a_say_in_is_not_switched_off(settings: Settings, kind: str) -> None:
    a_game()
    with transaction() as session:
        assert not preferences.turn_off(session, session.get_one(Account, boris().account_id), kind, "email")


def test_who_wants_no_digests_gets_nothing_more_of_what_came_in_them(settings: Settings) -> None:
    game = a_game()
    wish(kinds={"your_turn": {"email": "digest"}})
    with transaction() as session:
        assert preferences.turn_off(session, session.get_one(Account, boris().account_id), "digest", "email")
    turn(game)
    talk(game, 1)
    assert sorted(fates(), key=str) == [("due", None), ("suppressed", "unsubscribed")]


def test_who_moves_within_the_delay_gets_no_mail(settings: Settings) -> None:
    game = a_game()
    wish(delay=timedelta(minutes=5))
    with time_machine.travel(NOON, tick=False) as now:
        turn(game)
        assert (rows.only_delivery().next_at, rows.only_delivery().reason) == (NOON + timedelta(minutes=5), "delay")
        now.shift(timedelta(minutes=4))
        turn(game, "A")
        now.shift(timedelta(minutes=2))
        assert sent(settings) == []
    assert fates() == [("obsolete", "answered")]


def test_who_does_not_gets_it_and_each_turn_waits_anew(settings: Settings) -> None:
    game = a_game()
    wish(delay=timedelta(minutes=5))
    with time_machine.travel(NOON, tick=False) as now:
        turn(game)
        now.shift(timedelta(minutes=4))
        turn(game)
        now.shift(timedelta(minutes=4))
        assert sent(settings) == []
        now.shift(timedelta(minutes=1))
        assert sent(settings) == ["your_turn 2"]
    assert fates() == [("obsolete", "replaced"), ("sent", None)]


def test_only_turns_wait_and_webhooks_do_not(settings: Settings) -> None:
    game = a_game()
    wish(delay=timedelta(minutes=5))
    with transaction() as session:
        rows.endpoint(session, session.get_one(Account, boris().account_id), "https://example.org/hook")
    with time_machine.travel(NOON, tick=False):
        talk(game, 1)
        turn(game)
        waits = {(row.kind, row.channel): row.next_at - NOON for row in rows.deliveries()}
    assert waits == {
        ("message", "email"): timedelta(0),
        ("your_turn", "email"): timedelta(minutes=5),
        ("your_turn", "webhook"): timedelta(0),
    }


@pytest.mark.parametrize(
    ("zone", "at", "ends"),
    [
        ("UTC", "2026-03-01T23:00", "2026-03-02T07:30"),
        ("UTC", "2026-03-02T07:29", "2026-03-02T07:30"),
        ("Europe/Berlin", "2026-03-01T21:30", "2026-03-02T06:30"),
        ("Europe/Berlin", "2026-03-28T22:00", "2026-03-29T05:30"),  # the night on which clocks are put forward
        ("Europe/Berlin", "2026-10-24T21:00", "2026-10-25T06:30"),  # and back
        ("America/Sao_Paulo", "2026-03-02T01:30", "2026-03-02T10:30"),
        ("Asia/Tokyo", "2026-03-01T13:30", "2026-03-01T22:30"),
    ],
)
def test_in_the_quiet_hours_where_he_lives_nothing_comes_and_at_their_end_it_does(
    settings: Settings, zone: str, at: str, ends: str
) -> None:
    game = a_game()
    lives_in(zone)
    wish(quiet=NIGHT)
    night, morning = (datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (at, ends))
    with time_machine.travel(night, tick=False) as now:
        turn(game)
        assert (rows.only_delivery().next_at, rows.only_delivery().reason) == (morning, "quiet-hours")
        assert sent(settings) == []
        now.move_to(morning - timedelta(seconds=1))
        assert sent(settings) == []
        now.move_to(morning)
        assert sent(settings) == ["your_turn 1"]


def test_what_is_not_true_any_more_at_their_end_is_not_told(settings: Settings) -> None:
    game = a_game()
    wish(quiet=NIGHT)
    with time_machine.travel(NOON.replace(hour=23), tick=False) as now:
        turn(game)
        turn(game, "A")
        now.shift(timedelta(hours=9))
        assert sent(settings) == []
    assert fates() == [("obsolete", "answered")]


def test_the_delay_may_end_in_the_quiet_hours(settings: Settings) -> None:
    game = a_game()
    wish(quiet=NIGHT, delay=timedelta(hours=1))
    with time_machine.travel(NOON.replace(hour=21, minute=30), tick=False):
        turn(game)
        assert rows.only_delivery().next_at == NOON + timedelta(hours=19, minutes=30)


def test_what_was_held_up_until_the_quiet_hours_waits_for_their_end(settings: Settings) -> None:
    """The workers were away, or the server of his address was."""
    game = a_game()
    wish(quiet=NIGHT)
    with time_machine.travel(NOON.replace(hour=21, minute=50), tick=False) as now:
        turn(game)
        assert sent(settings, Outcome("transient", 451, "later")) == ["your_turn 1"]
        now.shift(timedelta(minutes=20))
        assert sent(settings) == []
        assert (rows.only_delivery().state, rows.only_delivery().reason) == ("due", "quiet-hours")
        now.move_to(NOON + timedelta(hours=19, minutes=30))
        assert sent(settings) == ["your_turn 1"]
    assert rows.only_delivery().attempts == 2, "the try that was not made counts for nothing"


def test_other_wishes_change_what_waits(settings: Settings) -> None:
    game = a_game()
    with time_machine.travel(NOON, tick=False) as now:
        wish(**mails("digest"))
        turn(game)
        assert (rows.only_delivery().mode, rows.only_delivery().next_at) == ("digest", NOON + timedelta(hours=6))
        wish(digest_at="15:00")
        assert rows.only_delivery().next_at == NOON + timedelta(hours=3)
        wish(**mails("immediate"), delay=timedelta(hours=1))
        now.shift(timedelta(minutes=30))
        wish(delay=timedelta(hours=2))
        assert (rows.only_delivery().mode, rows.only_delivery().next_at) == ("immediate", NOON + timedelta(hours=2))
        wish(delay=timedelta(0))
        assert rows.only_delivery().next_at == clock.now()
        wish(**mails("off"))
    assert fates() == [("suppressed", "off")]


def test_another_time_zone_moves_what_waits_for_an_hour(settings: Settings) -> None:
    game = a_game()
    with time_machine.travel(NOON.replace(hour=23), tick=False):
        wish(quiet=NIGHT)
        turn(game)
        profile.change(boris(), {"time_zone": "America/Sao_Paulo"}, lambda version: None)
        assert rows.only_delivery().next_at == clock.now()
        profile.change(boris(), {"time_zone": "Asia/Tokyo"}, lambda version: None)
        assert rows.only_delivery().next_at == clock.now()  # there it is eight in the morning


def test_having_the_client_open_silences_nothing(settings: Settings) -> None:
    """There is nothing that asks about it: a decision that is looked at is told of like any other."""
    game = a_game()
    turn(game)
    assert queries.my_decisions(Caller(boris().account_id, frozenset({"games:play"})), 50, 0) is not None
    assert sent(settings) == ["your_turn 1"]


def test_wishes_are_kept_when_two_change_them_at_once(settings: Settings) -> None:
    a_game()
    caller = boris()
    kinds = ["your_turn", "message", "game_over", "game_started", "reminder", "invitation"]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda kind: preferences.change(caller, mails("off", kind), lambda version: None), kinds))
    with transaction() as session:
        stored = session.query(Preference).one()
        assert stored.kinds == {kind: {"email": "off"} for kind in kinds} and stored.version == 6
