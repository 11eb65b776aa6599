"""That a decision is shown with its moves in one mail: the notice of the turn, or the answer to a letter of that player."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.database import one_at_a_time
from server.models import Delivery, Letter, MailToken

NOTICE, REPLY = "your_turn", "reply"


def hold(session: Session, delivery: Delivery) -> None:
    """Before one of them is begun: the other waits, and then knows of it."""
    if delivery.channel == "email" and delivery.kind in (NOTICE, REPLY):
        one_at_a_time(session, f"turn of {delivery.account_id} in {delivery.game_id}")


def told_in_a_reply(session: Session, notice: Delivery) -> bool:
    if notice.kind != NOTICE or notice.channel != "email" or notice.again:
        return False
    told = select(MailToken.digest).join(Delivery, Delivery.id == MailToken.delivery_id)
    this = (MailToken.game_id == notice.game_id, MailToken.decision == notice.decision)
    whose = MailToken.account_id == notice.account_id
    found = told.where(*this, whose, Delivery.kind == REPLY, Delivery.state != "dead")
    return session.scalar(found.limit(1)) is not None


def told_in_a_notice(session: Session, reply: Delivery, decision: int | None) -> bool:
    """One that was promised after his letter came in, and was quicker than the answer to it. One from before the letter he
    has read, and asks all the same."""
    # None when it is forgotten, and the reply is sent again.
    letter = session.get(Letter, (reply.payload or {}).get("letter", ""))
    quicker = (
        Delivery.created_at > (reply.created_at if letter is None else letter.received_at),
        Delivery.attempts > 0,
        Delivery.state.in_(("due", "leased", "sent")),
    )
    this = (Delivery.game_id == reply.game_id, Delivery.decision == decision, Delivery.account_id == reply.account_id)
    found = select(Delivery.id).where(Delivery.kind == NOTICE, Delivery.channel == "email", *this, *quicker)
    return session.scalar(found.limit(1)) is not None


def told_meanwhile(session: Session, reply: Delivery, tokens: Iterable[MailToken]) -> bool:
    """Whether that happened while the reply was written."""
    shown = [token.decision for token in tokens if token.decision is not None] if reply.kind == REPLY else []
    return any(told_in_a_notice(session, reply, decision) for decision in shown)
