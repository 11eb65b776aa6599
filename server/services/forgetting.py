"""What was told, and what became of it, is kept for some time, and then dropped: attempts, notices, reminders."""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from server import clock
from server.database import reading, transaction
from server.models import Attempt, Delivery, Timer

log = structlog.get_logger(__name__)

KEPT = timedelta(days=90)
SETTLED = ("sent", "batched", "suppressed", "obsolete", "dead")
UNSEEN = {"synchronize_session": False}  # nothing of it is in the session
AT_ONCE = 500  # rows of a transaction: on SQLite a long one locks the players out


def forget_settled() -> int:
    """Returns how many notices that were."""
    before, forgotten = clock.now() - KEPT, 0
    while ids := _settled(before):
        with transaction() as session:
            forgotten += _forget(session, ids)
    with transaction() as session:
        session.execute(delete(Timer).where(Timer.fired_at <= before), execution_options=UNSEEN)
    log.info("old notices", forgotten=forgotten)
    return forgotten


def _settled(before: datetime) -> list[str]:
    """A settled row's `next_at` lies before its end, and has an index."""
    old = (Delivery.state.in_(SETTLED), Delivery.next_at <= before, Delivery.settled_at <= before)
    with reading() as session:
        return list(session.scalars(select(Delivery.id).where(*old).limit(AT_ONCE)))


def _forget(session: Session, ids: list[str]) -> int:
    """Those that were not asked for again meanwhile."""
    still = select(Delivery.id).where(Delivery.id.in_(ids), Delivery.state.in_(SETTLED)).with_for_update()
    gone = session.scalars(still).all()
    session.execute(delete(Attempt).where(Attempt.delivery_id.in_(gone)), execution_options=UNSEEN)
    session.execute(delete(Delivery).where(Delivery.id.in_(gone)), execution_options=UNSEEN)
    return len(gone)
