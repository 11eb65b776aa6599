"""How many there are of what: for whoever watches over this server."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, case, exists, func, or_, select
from sqlalchemy.orm import Session, aliased

from server import clock
from server.database import reading
from server.models import Attempt, Delivery, Game, Letter, WebhookEndpoint
from server.services.outbox import TARGET

OPEN_OUTCOME = "open"  # of an attempt that is under way, or whose worker died
WAITING = "waiting"  # for its hour, its digest or its next try; a row that is due is one that could be sent now


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
        return [
            Count("deliveries", "Notices by channel and state: due now, waiting for a later hour, dead, obsolete and so on.", ("channel", "state"), _deliveries(session, now)),
            Count("delivery_oldest_due_seconds", "How long the oldest due notice has waited for a worker; to wait for a slow receiver does not count.", (), {(): oldest_due(session, now)}),
            Count("delivery_leases_expired", "Leases that ran out: their workers died, or stand still.", (), {(): _expired(session, now)}),
            Count("attempts", "Attempts to deliver by channel and outcome.", ("channel", "outcome"), _attempts(session)),
            Count("letters", "Mails that came in, by state; quarantined are those that can't be read.", ("state",), _by(session, Letter.state)),
            Count("games", "Games by status.", ("status",), _by(session, Game.status)),
        ]  # fmt: skip


def _by(session: Session, *columns: Any) -> dict[tuple[str, ...], float]:
    return _numbers(session.execute(select(*columns, func.count()).group_by(*columns)).all())


def _deliveries(session: Session, now: datetime) -> dict[tuple[str, ...], float]:
    later = and_(Delivery.state == "due", Delivery.next_at > now)
    state = case((later, WAITING), else_=Delivery.state).label("state_now")
    return _numbers(
        session.execute(select(Delivery.channel, state, func.count()).group_by(Delivery.channel, state)).all()
    )


def _attempts(session: Session) -> dict[tuple[str, ...], float]:
    outcome = func.coalesce(Attempt.outcome, OPEN_OUTCOME)
    joined = select(Delivery.channel, outcome, func.count()).join(Delivery, Delivery.id == Attempt.delivery_id)
    return _numbers(session.execute(joined.group_by(Delivery.channel, outcome)).all())


def _numbers(rows: Iterable[Sequence[Any]]) -> dict[tuple[str, ...], float]:
    return {tuple(map(str, row[:-1])): float(row[-1]) for row in rows}


def oldest_due(session: Session, now: datetime) -> float:
    """For how many seconds the oldest one has waited for a worker. An expired lease is a due row, too, and waits since it ran out.

    What waits for its receiver says nothing of the workers: anybody may have many sent to an endpoint that hangs.
    """
    late = (Delivery.state == "due", Delivery.next_at <= now, ~_waits_for_its_receiver(now))
    due = session.scalar(select(func.min(Delivery.next_at)).where(*late))
    lost = session.scalar(select(func.min(Delivery.lease_until)).where(*_lost(now)))
    return max([(now - since).total_seconds() for since in (due, lost) if since is not None], default=0.0)


def _waits_for_its_receiver(now: datetime) -> ColumnElement[bool]:
    """Its endpoint was slow or failed last time, or another one to the same receiver is under way."""
    slow = exists().where(WebhookEndpoint.id == Delivery.endpoint_id, WebhookEndpoint.prompt.is_(False))
    other = aliased(Delivery)
    same = func.coalesce(other.endpoint_id, other.account_id, other.address) == TARGET
    return or_(slow, exists().where(other.state == "leased", other.lease_until > now, same))


def _expired(session: Session, now: datetime) -> float:
    return float(session.scalar(select(func.count()).where(*_lost(now))) or 0)


def _lost(now: datetime) -> tuple[Any, ...]:
    return Delivery.state == "leased", Delivery.lease_until <= now
