"""Letters that answer an invitation."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from server import clock
from server.database import reading, transaction
from server.models import Account, Invitation, Letter, NeverInvite, Seat
from server.services import invitations
from server.services.accounts import Caller
from server.services.inbound import settling
from server.services.inbound.verdicts import Verdict
from tests.inbound.post import PLAY, Post, letters
from tests.inbound.test_mail_only_game import invited
from tests.workers import rows

GUEST = "guest@example.net"


class Killed(BaseException):
    pass


@pytest.fixture
def host(post: Post) -> str:
    with transaction() as session:
        return rows.account(session, "vera").id


def state() -> str:
    with reading() as session:
        return session.scalars(select(Invitation.state)).one()


def guest() -> Account | None:
    with reading() as session:
        return session.scalar(select(Account).where(Account.email == GUEST))


def offered(post: Post, host: str, seats: int = 3) -> str:
    game = invited(host, seats, GUEST)
    post.work()
    return game


def text(post: Post, to: str = GUEST) -> str:
    found: str = post.newest(to).get_body(("plain",)).get_content()  # type: ignore[union-attr]
    return found


def test_accepting_makes_an_account_for_the_address_and_gives_it_the_seat(post: Post, host: str) -> None:
    game = offered(post, host)
    assert post.answer(post.newest(GUEST), "Accept.", sender=GUEST).outcome == "accepted"
    account = guest()
    assert account is not None and account.verified_at is not None and account.kind == "person"
    with reading() as session:
        assert session.get_one(Seat, (game, "B")).account_id == account.id
    assert "You have seat B." in text(post) and f"The others see you as {account.name}." in text(post)
    assert "The game begins when 1 more seat is taken." in text(post)
    assert letters()[-1].account_id == account.id


def test_who_has_an_account_keeps_it(post: Post, host: str) -> None:
    with transaction() as session:
        known = rows.account(session, "gast", GUEST).id
    game = offered(post, host)
    assert post.answer(post.newest(GUEST), "accept", sender=GUEST).outcome == "accepted"
    with reading() as session:
        assert session.get_one(Seat, (game, "B")).account_id == known


def test_to_accept_twice_is_to_accept(post: Post, host: str) -> None:
    offered(post, host)
    offer = post.newest(GUEST)
    assert [post.answer(offer, "accept", sender=GUEST).outcome for _ in range(2)] == ["accepted", "accepted"]
    assert post.answer(offer, "decline", sender=GUEST).outcome == "refused"


@pytest.mark.parametrize(("word", "outcome"), [("decline", "declined"), ("Отказаться", "declined"), ("never", "never")])
def test_declining_makes_no_account(post: Post, host: str, word: str, outcome: str) -> None:
    offered(post, host)
    offer = post.newest(GUEST)
    assert post.answer(offer, word, sender=GUEST).outcome == outcome
    assert (state(), guest()) == ("refused", None)
    with reading() as session:
        assert session.query(NeverInvite).count() == (outcome == "never")
    assert post.answer(offer, "accept", sender=GUEST).outcome == "refused"
    assert guest() is None


def test_what_is_not_offered_any_more_makes_no_account(post: Post, host: str) -> None:
    offered(post, host)
    with transaction() as session:
        session.query(Invitation).one().expires_at = clock.now() - timedelta(seconds=1)
    letter = post.answer(post.newest(GUEST), "accept", sender=GUEST)
    assert (letter.outcome, letter.detail, guest()) == ("refused", "invitation-closed", None)
    assert "The invitation has expired" in text(post) or "the invitation has expired" in text(post)


def test_an_invitation_that_was_forwarded_is_held_and_asked_about_at_its_address(post: Post, host: str) -> None:
    offered(post, host)
    assert post.answer(post.newest(GUEST), "accept", sender="friend@example.net").state == "held"
    assert (state(), guest()) == ("open", None)
    assert post.answer(post.newest(GUEST), "confirm", sender=GUEST).outcome == "confirmed"
    account = guest()
    assert state() == "accepted" and account is not None
    assert {parcel.to for parcel in post.sent} == {GUEST}


def test_prose_gets_help_that_can_be_answered(post: Post, host: str) -> None:
    offered(post, host)
    assert post.answer(post.newest(GUEST), "Who are you?", sender=GUEST).outcome == "unclear"
    assert "  accept\n  decline\n" in text(post)
    assert post.answer(post.newest(GUEST), "accept", sender=GUEST).outcome == "accepted"


def test_an_offer_to_an_account_is_for_that_account(post: Post, host: str) -> None:
    with transaction() as session:
        rows.account(session, "gast", GUEST)
    game = invited(host, 3)
    invitations.invite(Caller(host, PLAY), game, account="gast")
    post.work()
    assert post.answer(post.newest(GUEST), "accept", sender=GUEST).outcome == "accepted"


def test_the_last_seat_begins_the_game(post: Post, host: str) -> None:
    offered(post, host, seats=2)
    assert post.answer(post.newest(GUEST), "accept", sender=GUEST).outcome == "accepted"
    replies = [mail for mail in post.mails(GUEST) if mail["Auto-Submitted"] == "auto-replied"]
    assert "The game has begun." in replies[-1].get_body(("plain",)).get_content()  # type: ignore[union-attr]


def test_a_worker_that_was_killed_after_the_seat_was_taken_makes_no_second_one(
    post: Post, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise Killed

    offered(post, host)
    with monkeypatch.context() as patch:
        patch.setattr(settling, "_conclude", die)
        with pytest.raises(Killed):
            post.answer(post.newest(GUEST), "accept", sender=GUEST)
    with transaction() as session:
        session.query(Letter).one().next_at = clock.now()
    post.work()
    assert letters()[-1].outcome == "accepted"
    with reading() as session:
        assert session.query(Account).count() == 2 and session.query(Seat).count() == 2


def test_when_a_game_begins_its_first_move_is_asked_for_in_one_mail(
    post: Post, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The notice is promised when the last seat is taken, and may be sent before the letter that took it is answered. Who
    begins is chance, hence several games."""
    conclude = settling._conclude

    def late(letter: Letter, verdict: Verdict, now: datetime) -> str | None:
        post.send()
        return conclude(letter, verdict, now)

    monkeypatch.setattr(settling, "_conclude", late)
    for number in range(6):
        guest = f"guest{number}@example.net"
        invited(host, 2, guest)
        post.work()
        before = len(post.sent)
        assert post.answer(post.newest(guest), "accept", sender=guest).outcome == "accepted"
        texts = [mail.get_body(("plain",)).get_content() for mail in post.mails()[before:]]  # type: ignore[union-attr]
        assert sum("YOUR MOVES" in text for text in texts) == 1
