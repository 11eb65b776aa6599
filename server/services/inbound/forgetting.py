"""Letters are dropped after some time: those that were settled, with what told whom they were from, and those that waited
for a confirmation that never came. What is in quarantine stays longer, for whoever runs this server to look at."""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog
from sqlalchemy import ColumnElement, delete, func, select

from server import clock
from server.database import reading, transaction
from server.models import Letter
from server.services.inbound.confirming import LIFE

log = structlog.get_logger(__name__)

KEPT = timedelta(days=90)  # far longer than anybody sends the same mail again
KEPT_IN_QUARANTINE = timedelta(days=365)


def forget_old() -> None:
    now = clock.now()
    _forget(now, Letter.state.in_(("settled", "dropped")), KEPT)
    _forget(now, Letter.state == "held", LIFE)
    _forget(now, Letter.state == "quarantined", KEPT_IN_QUARANTINE)


def _forget(now: datetime, which: ColumnElement[bool], kept: timedelta) -> None:
    with transaction() as session:
        old = delete(Letter).where(which, Letter.received_at <= now - kept)
        session.execute(old, execution_options={"synchronize_session": False})


def counted() -> dict[tuple[str, str], int]:
    """How many letters are in each state, and why: (state, outcome) → number. Of what waits the outcome is empty."""
    with reading() as session:
        rows = session.execute(
            select(Letter.state, Letter.outcome, func.count()).group_by(Letter.state, Letter.outcome)
        )
        return {(state, outcome or ""): number for state, outcome, number in rows}
