"""How many there are of what: for whoever watches over this server."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server import clock
from server.database import reading
from server.models import Attempt, Delivery, Game, Letter

OPEN_OUTCOME = "open"  # of an attempt that is under way, or whose worker died


@dataclass(frozen=True)
class Count:
    """`numbers`: values of the labels → how many."""

    name: str
    about: str
    labels: tuple[str, ...]
    numbers: dict[tuple[str, ...], float]


def counts() -> list[Count]:
    now = clock.now()
    with reading() as session:
        deliveries = _by(session, Delivery.channel, Delivery.state)
        return [
            Count("deliveries", "Notices by channel and state; due, dead and obsolete among them.", ("channel", "state"), deliveries),
            Count("delivery_oldest_due_seconds", "How long the oldest due notice has waited.", (), {(): _oldest(session, now)}),
            Count("delivery_leases_expired", "Leases that ran out: their workers died, or stand still.", (), {(): _expired(session, now)}),
            Count("attempts", "Attempts to deliver by channel and outcome.", ("channel", "outcome"), _attempts(session)),
            Count("letters", "Mails that came in, by state; quarantined are those that can't be read.", ("state",), _by(session, Letter.state)),
            Count("games", "Games by status.", ("status",), _by(session, Game.status)),
        ]  # fmt: skip


def _by(session: Session, *columns: Any) -> dict[tuple[str, ...], float]:
    return _numbers(session.execute(select(*columns, func.count()).group_by(*columns)).all())


def _attempts(session: Session) -> dict[tuple[str, ...], float]:
    outcome = func.coalesce(Attempt.outcome, OPEN_OUTCOME)
    joined = select(Delivery.channel, outcome, func.count()).join(Delivery, Delivery.id == Attempt.delivery_id)
    return _numbers(session.execute(joined.group_by(Delivery.channel, outcome)).all())


def _numbers(rows: Iterable[Sequence[Any]]) -> dict[tuple[str, ...], float]:
    return {tuple(map(str, row[:-1])): float(row[-1]) for row in rows}


def _oldest(session: Session, now: datetime) -> float:
    """An expired lease is a due row, too, and waits since its lease ran out."""
    due = session.scalar(select(func.min(Delivery.next_at)).where(Delivery.state == "due", Delivery.next_at <= now))
    lost = session.scalar(select(func.min(Delivery.lease_until)).where(*_lost(now)))
    return max([(now - since).total_seconds() for since in (due, lost) if since is not None], default=0.0)


def _expired(session: Session, now: datetime) -> float:
    return float(session.scalar(select(func.count()).where(*_lost(now))) or 0)


def _lost(now: datetime) -> tuple[Any, ...]:
    return Delivery.state == "leased", Delivery.lease_until <= now
