"""Letters that nobody but whoever runs this server can do anything with. How many there are is a metric (`counting.py`)."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select

from server.database import reading
from server.ids import is_id
from server.models import Letter


def listed() -> list[tuple[str, datetime, str]]:
    """Id, when it came, and why it is here; the oldest first."""
    wanted = select(Letter.id, Letter.received_at, Letter.outcome).where(Letter.state == "quarantined")
    with reading() as session:
        rows = session.execute(wanted.order_by(Letter.received_at, Letter.id))
        return [(letter, received_at, outcome or "") for letter, received_at, outcome in rows]


def read(letter_id: str) -> bytes | None:
    """The whole letter, as it came."""
    wanted = select(Letter.raw).where(Letter.id == letter_id, Letter.state == "quarantined")
    with reading() as session:
        return session.scalar(wanted) if is_id("l", letter_id) else None
