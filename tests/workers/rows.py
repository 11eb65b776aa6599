"""Rows that a test starts from: accounts, a running game, an endpoint, and notices about them."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from server import clock, sealing
from server.database import reading, transaction
from server.ids import new_id
from server.models import Account, Attempt, Decision, Delivery, Game, Move, Seat, Verification, WebhookEndpoint
from server.services import notifying, outbox, timers

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # the example of the Standard Webhooks specification


def account(session: Session, name: str, email: str | None = "", language: str = "en") -> Account:
    made = Account(
        id=new_id("u"),
        name=name,
        email=f"{name}@example.org" if email == "" else email,
        language=language,
        kind="person",
        created_at=clock.now(),
    )
    session.add(made)
    session.flush()
    return made


def game(session: Session, *players: Account, **values: Any) -> Game:
    made = Game(
        id=new_id("g"), host_id=players[0].id, status="running", seats=len(players), options={}, listed=True, join="open", spectators="public",
        start="automatic", seed=bytes(32), commitment="0" * 64, version=1, last_event=0, created_at=clock.now(), decision=None, **values,
    )  # fmt: skip
    session.add(made)
    session.flush()
    for letter, player in zip("ABCDEFGH", players, strict=False):
        session.add(Seat(game_id=made.id, letter=letter, account_id=player.id, joined_at=clock.now()))
    session.flush()
    return made


def endpoint(session: Session, owner: Account, url: str, *types: str) -> WebhookEndpoint:
    made = WebhookEndpoint(
        id=new_id("wh"), account_id=owner.id, url=url, secret_sealed=sealing.seal(SECRET), types=list(types or ("turn.opened", "game.over")),
        active=True, created_at=clock.now(),
    )  # fmt: skip
    session.add(made)
    session.flush()
    return made


def ask(session: Session, asked: Game, letter: str, kind: str = "feed") -> Decision:
    """The next decision of a game, as a move opens it."""
    asked.decision, asked.asked_seat, asked.question_kind = (asked.decision or 0) + 1, letter, kind
    decision = Decision(game_id=asked.id, number=asked.decision, seat=letter, kind=kind, opened_at=clock.now())
    session.add(decision)
    session.flush()
    notifying.decision_opened(session, asked, decision, clock.now())
    session.refresh(asked, ["players"])
    timers.start(session, asked, decision, next(seat for seat in asked.players if seat.letter == letter))
    return decision


def tell_turns(session: Session) -> None:
    """The mails about turns that wait have gone out, each at once."""
    session.flush()
    for notice in session.scalars(select(Delivery).filter_by(kind="your_turn", channel="email", state="due")):
        outbox.close(notice, "sent", None, notice.created_at)


def answer(session: Session, asked: Game, letter: str, by: str = "hand") -> None:
    """A decision of that seat, answered, by whomever."""
    decision = ask(session, asked, letter)
    decision.answered_at = clock.now()
    session.add(
        Move(
            game_id=asked.id, number=decision.number, seat=letter, notation="end", json={"type": "end"}, by=by,
            made_at=clock.now(), follows=None,
        )
    )  # fmt: skip


def code(
    session: Session,
    address: str,
    text: str = "ABCD2345",
    language: str = "en",
    life: timedelta = timedelta(minutes=15),
) -> Verification:
    now = clock.now()
    made = Verification(
        id=new_id("v"), email=address, language=language, code_digest="", expires_at=now + life, created_at=now
    )
    session.add(made)
    session.flush()
    notifying.verification(session, made, address, text, language, now)
    return made


def codes(count: int) -> None:
    """So many mails, each to an address of its own."""
    with transaction() as session:
        for number in range(count):
            code(session, f"player{number}@example.org")


def deliveries() -> list[Delivery]:
    return _read(select(Delivery).order_by(Delivery.created_at, Delivery.id))


def only_delivery() -> Delivery:
    (delivery,) = deliveries()
    return delivery


def attempts() -> list[Attempt]:
    return _read(select(Attempt).order_by(Attempt.delivery_id, Attempt.n))


def _read(query: Select[Any]) -> list[Any]:
    with reading() as session:
        found = list(session.scalars(query))
        session.expunge_all()  # they stay as they were read
        return found


def claim_one(now: datetime | None = None) -> outbox.Claim:
    (claimed,) = outbox.claim("a worker", 1, now or clock.now())
    return claimed
