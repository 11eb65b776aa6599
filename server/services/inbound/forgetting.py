"""Letters are dropped after some time: those that were settled, with what told whom they were from, and those that waited
for a confirmation that never came. What is in quarantine stays longer, for whoever runs this server to look at."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete

from server import clock
from server.database import transaction
from server.models import Letter
from server.services.inbound.confirming import LIFE

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
