"""The outbox: rows that promise a notice, the leases under which workers carry them, and what became of each.

Life of a row: `post` in the transaction of what it tells about, `claim` with a lease, `begin` before the send, `settle`
after it. Every claim raises the row's fence, so that whoever comes late with an old one touches nothing.
"""

import functools
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parseaddr
from typing import Any, Literal

import structlog
from sqlalchemy import ColumnElement, and_, case, func, or_, select, update
from sqlalchemy.orm import Session

from server.config import Settings
from server.database import reading, transaction
from server.ids import base32, new_id
from server.models import Attempt, Delivery, WebhookEndpoint

log = structlog.get_logger(__name__)

LEASE = timedelta(seconds=90)  # half of it is longer than the slowest transport's own deadline
IN_FLIGHT = 2  # to one endpoint or account at a time, so that a slow one can't occupy everybody
JITTER = 0.1  # of a delay, on top of it
SOONEST = 5.0  # seconds; what a Retry-After can't undercut
MESSAGE_ID_LENGTH = 60

MINUTE, HOUR = 60, 3600
RETRIES: dict[str, Sequence[int]] = {  # seconds to wait after the first, second … failed attempt
    "email": (MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, 12 * HOUR, *[12 * HOUR] * 9),  # five days and some
    "webhook": (5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR),
}

Kind = Literal["sent", "transient", "permanent", "ambiguous"]


@dataclass(frozen=True)
class Claim:
    """The right to carry one row, as long as the fence stands."""

    delivery_id: str
    fence: int


@dataclass(frozen=True)
class Outcome:
    """What came of one attempt. `gone`: the endpoint wants no more. `retry_after`: seconds it asked for."""

    kind: Kind
    status: int | None = None
    reply: str = ""
    ms: int | None = None
    retry_after: float | None = None
    gone: bool = False


def post(
    session: Session,
    *,
    kind: str,
    channel: str,
    dedupe_key: str,
    now: datetime,
    account_id: str | None = None,
    address: str | None = None,
    endpoint_id: str | None = None,
    game_id: str | None = None,
    seat: str | None = None,
    decision: int | None = None,
    payload: dict[str, Any] | None = None,
) -> None:
    """Promise a notice, in the caller's transaction. A second post under the same key is the same promise."""
    if session.scalar(select(Delivery.id).where(Delivery.dedupe_key == dedupe_key)):
        return
    delivery = Delivery(
        id=new_id("dl"), kind=kind, channel=channel, dedupe_key=dedupe_key, account_id=account_id, address=address,
        endpoint_id=endpoint_id, game_id=game_id, seat=seat, decision=decision, payload=payload,
        state="due", attempts=0, fence=0, next_at=now, created_at=now, message_id=_new_message_id(channel),
    )  # fmt: skip
    if kind == "your_turn":
        _replace_older(session, delivery, now)
    session.add(delivery)


def _replace_older(session: Session, newer: Delivery, now: datetime) -> None:
    """One un-acted turn notice a game: after an outage or a burst only the newest is worth sending."""
    older = (
        Delivery.kind == newer.kind,
        Delivery.channel == newer.channel,
        Delivery.game_id == newer.game_id,
        Delivery.account_id == newer.account_id,
        Delivery.endpoint_id.is_not_distinct_from(newer.endpoint_id),
        Delivery.state.in_(("due", "leased")),
        Delivery.attempts == 0,
    )
    # One that is claimed but not begun goes too: no longer leased, its claim is void.
    values = {"state": "obsolete", "reason": "replaced", "settled_at": now, "lease_owner": None, "lease_until": None}
    session.execute(update(Delivery).where(*older).values(**values), execution_options={"synchronize_session": False})


def _new_message_id(channel: str) -> str:
    return f"msg_{base32(16)}" if channel == "webhook" else f"<{base32(16)}@{_domain()}>"


@functools.cache
def _domain() -> str:
    """Of our mail address; one too long for the Message-ID gives way to a name that never resolves."""
    domain = parseaddr(Settings.from_env().mail_from)[1].rpartition("@")[2]
    fits = len(f"<{base32(16)}@{domain}>") <= MESSAGE_ID_LENGTH
    return domain if domain and fits else "galapost.invalid"


def claim(worker: str, limit: int, now: datetime) -> list[Claim]:
    """Lease up to `limit` due rows, oldest first, to this worker. An expired lease is simply a due row."""
    if not anything_due(now):
        return []  # looked up before, since on SQLite a claim locks out the players' moves
    with transaction() as session:
        due = list(session.scalars(_claimable(limit, now)))
        for delivery in due:
            delivery.state = "leased"
            delivery.fence += 1
            delivery.lease_owner = worker
            delivery.lease_until = now + LEASE
        return [Claim(delivery.id, delivery.fence) for delivery in due]


def anything_due(now: datetime) -> bool:
    with reading() as session:
        return session.scalar(select(Delivery.id).where(_due(now)).limit(1)) is not None


def _claimable(limit: int, now: datetime) -> Any:
    """The due rows, less those whose endpoint or account has enough in flight; rows that others lock are skipped."""
    chosen = _in_turn(now).limit(limit * 8)  # more than asked for, since others may hold some of them
    query = select(Delivery).where(Delivery.id.in_(chosen), _due(now)).order_by(Delivery.next_at, Delivery.id)
    return query.limit(limit).with_for_update(skip_locked=True)


def _in_turn(now: datetime) -> Any:
    """Ids of due rows among the first few of their endpoint or account, what is in flight to it counting first."""
    target = func.coalesce(Delivery.endpoint_id, Delivery.account_id, Delivery.address)
    in_flight = and_(Delivery.state == "leased", Delivery.lease_until > now)
    place = func.row_number().over(
        partition_by=target, order_by=(case((in_flight, 0), else_=1), Delivery.next_at, Delivery.id)
    )
    row = (
        select(Delivery.id, Delivery.next_at, _due(now).label("due"), place.label("place"))
        .where(or_(in_flight, _due(now)))
        .subquery()
    )
    return select(row.c.id).where(row.c.due, row.c.place <= IN_FLIGHT).order_by(row.c.next_at, row.c.id)


def _due(now: datetime) -> ColumnElement[bool]:
    return or_(
        and_(Delivery.state == "due", Delivery.next_at <= now),
        and_(Delivery.state == "leased", Delivery.lease_until <= now),
    )


def held(session: Session, claimed: Claim) -> Delivery | None:
    """The row, locked, if the claim still stands."""
    query = select(Delivery).where(
        Delivery.id == claimed.delivery_id, Delivery.fence == claimed.fence, Delivery.state == "leased"
    )
    return session.scalar(query.with_for_update())


def worn_out(delivery: Delivery, now: datetime) -> bool:
    """Whether too much of the lease is gone to finish a send within it: then another worker will do it."""
    return delivery.lease_until is None or delivery.lease_until - now < LEASE / 2


def begin(session: Session, delivery: Delivery, now: datetime) -> None:
    """Write the attempt before it is made. One still open was cut off, and nobody knows how far it came."""
    cut_off = update(Attempt).where(Attempt.delivery_id == delivery.id, Attempt.outcome.is_(None))
    session.execute(cut_off.values(outcome="ambiguous", finished_at=now))
    delivery.attempts += 1
    session.add(Attempt(delivery_id=delivery.id, n=delivery.attempts, fence=delivery.fence, started_at=now))


def settle(claimed: Claim, outcome: Outcome, now: datetime) -> bool:
    """Record what came of the attempt, unless the claim was lost meanwhile."""
    with transaction() as session:
        delivery = held(session, claimed)
        if delivery is None:
            log.warning("settled too late", delivery=claimed.delivery_id, fence=claimed.fence, outcome=outcome.kind)
            return False
        _finish_attempt(session, delivery, outcome, now)
        if outcome.gone:
            _disable(session, delivery, now)
        _conclude(delivery, outcome, now)
        return True


def _finish_attempt(session: Session, delivery: Delivery, outcome: Outcome, now: datetime) -> None:
    attempt = session.scalars(
        select(Attempt).where(Attempt.delivery_id == delivery.id, Attempt.n == delivery.attempts)
    ).one()
    attempt.finished_at, attempt.outcome, attempt.ms = now, outcome.kind, outcome.ms
    attempt.status, attempt.reply = outcome.status, outcome.reply


def _conclude(delivery: Delivery, outcome: Outcome, now: datetime) -> None:
    if outcome.kind == "sent":
        close(delivery, "sent", None, now)
    elif outcome.kind == "permanent":
        close(delivery, "dead", "endpoint-gone" if outcome.gone else "refused", now)
    elif exhausted(delivery):
        close(delivery, "dead", "gave-up", now)
    else:
        delivery.state, delivery.lease_owner, delivery.lease_until = "due", None, None
        delivery.next_at = now + timedelta(seconds=_delay(delivery, outcome))


def exhausted(delivery: Delivery) -> bool:
    """Whether the last step of the schedule is used up."""
    return delivery.attempts > len(RETRIES[delivery.channel])


def _delay(delivery: Delivery, outcome: Outcome) -> float:
    if outcome.retry_after is not None:
        return max(SOONEST, outcome.retry_after)
    step: int = RETRIES[delivery.channel][delivery.attempts - 1]
    return step * (1 + random.uniform(0, JITTER))


def close(delivery: Delivery, state: str, reason: str | None, now: datetime) -> None:
    """Settled for good. The text goes, for it holds a hand or a code; a webhook's body holds neither."""
    delivery.state, delivery.reason, delivery.settled_at = state, reason, now
    delivery.lease_owner, delivery.lease_until, delivery.rendered = None, None, None
    if delivery.channel == "email":
        delivery.payload = None
    log.info("settled", delivery=delivery.id, kind=delivery.kind, channel=delivery.channel, state=state, reason=reason)


def _disable(session: Session, delivery: Delivery, now: datetime) -> None:
    endpoint = session.get(WebhookEndpoint, delivery.endpoint_id) if delivery.endpoint_id else None
    if endpoint is not None:
        endpoint.active, endpoint.disabled_at = False, now
