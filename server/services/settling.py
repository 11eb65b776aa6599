"""What came of an attempt: written down, and what follows from it."""

import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

import structlog
from sqlalchemy import select
from sqlalchemy.orm import Session

from server.database import transaction
from server.models import Account, Attempt, Delivery
from server.services import bounces, health, outbox
from server.services.outbox import RETRIES, Claim

log = structlog.get_logger(__name__)

JITTER = 0.1  # of a delay, on top of it

Kind = Literal["sent", "transient", "permanent", "ambiguous"]


@dataclass(frozen=True)
class Outcome:
    """What came of one attempt. `gone`: the endpoint wants no more. `retry_after`: seconds it asked for. `body`: what it
    said, `whole` whether that is all. `ours`: the fault is ours, and says nothing of the endpoint.
    `answer`: what became of a move in the body, `problem` and `detail` why it was refused."""

    kind: Kind
    status: int | None = None
    reply: str = ""
    ms: int | None = None
    retry_after: float | None = None
    gone: bool = False
    body: bytes = b""
    whole: bool = True
    ours: bool = False
    answer: str | None = None
    problem: str | None = None
    detail: str | None = None


def settle(claimed: Claim, outcome: Outcome, now: datetime) -> bool:
    """Record what came of the attempt, unless the claim was lost meanwhile."""
    with transaction() as session:
        # Before the row: whoever deletes an endpoint or changes an account does so, too.
        by_mail = claimed.channel == "email"
        endpoint = None if by_mail else health.locked(session, claimed.delivery_id)
        reader = bounces.locked(session, claimed.delivery_id, outcome.kind) if by_mail else None
        delivery = outbox.held(session, claimed)
        if delivery is None:
            log.warning("settled too late", delivery=claimed.delivery_id, fence=claimed.fence, outcome=outcome.kind)
            return False
        _finish_attempt(session, delivery, outcome, now)
        _conclude(delivery, outcome, now)
        if reader is not None:
            _note_the_address(reader, delivery, outcome, now)
        if endpoint is not None and not outcome.ours:
            health.note(session, endpoint, outcome.kind == "sent", outcome.ms, outcome.gone, now)
        return True


def _finish_attempt(session: Session, delivery: Delivery, outcome: Outcome, now: datetime) -> None:
    attempt = session.scalars(
        select(Attempt).where(Attempt.delivery_id == delivery.id, Attempt.n == delivery.attempts)
    ).one()
    attempt.finished_at, attempt.outcome, attempt.ms = now, outcome.kind, outcome.ms
    attempt.status, attempt.reply = outcome.status, outcome.reply
    attempt.answer, attempt.problem, attempt.detail = outcome.answer, outcome.problem, outcome.detail


def _conclude(delivery: Delivery, outcome: Outcome, now: datetime) -> None:
    if outcome.kind == "sent":
        outbox.close(delivery, "sent", None, now)
    elif outcome.kind == "permanent":
        outbox.close(delivery, "dead", "endpoint-gone" if outcome.gone else "refused", now)
    elif outbox.exhausted(delivery):
        outbox.close(delivery, "dead", "gave-up", now)
    else:
        delivery.state, delivery.lease_owner, delivery.lease_until = "due", None, None
        delivery.next_at = now + timedelta(seconds=_delay(delivery, outcome))


def _note_the_address(reader: Account, delivery: Delivery, outcome: Outcome, now: datetime) -> None:
    if outcome.kind == "sent":
        bounces.accepted(reader)
    elif outcome.status is not None:  # without a code it is a fault of ours
        bounces.refused(reader, delivery, f"{outcome.status} {outcome.reply}", now)


def _delay(delivery: Delivery, outcome: Outcome) -> float:
    """What a receiver asks for may put the next step off, but not bring it forward: that would use the schedule up."""
    step: int = RETRIES[delivery.channel][outbox.tries(delivery) - 1]
    return max(step * (1 + random.uniform(0, JITTER)), outcome.retry_after or 0.0)
