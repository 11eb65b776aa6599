"""The outbox: rows that promise a notice, the leases under which workers carry them, and what became of each.

Life of a row: `post` in the transaction of what it tells about, `claim` with a lease, `begin` before the send,
`settling.settle` after it. Every claim raises the row's fence, so that whoever comes late with an old one touches nothing.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

import structlog
from sqlalchemy import ColumnElement, and_, case, func, or_, select, update
from sqlalchemy.orm import Session, object_session

from server.config import Settings
from server.database import reading, transaction
from server.ids import base32, new_id
from server.models import Attempt, Delivery, WebhookEndpoint

log = structlog.get_logger(__name__)

LEASE = timedelta(seconds=90)  # half of it is longer than the slowest transport's own deadline
IN_FLIGHT = 2  # to one endpoint or account at a time, so that a slow one can't occupy everybody
MESSAGE_ID_LENGTH = 60

REPLACED_BY_NEWER = ("your_turn", "reminder")  # as long as nobody has tried to send the older one
SUPPRESSED = ("off", "unsubscribed", "muted", "address-dead")  # reasons of its recipient, though it was true
UNSEEN = {"synchronize_session": False}  # nothing of it is in the session
PLAIN = ("message",)  # mails whose payload holds nothing but numbers, and so may stay

TARGET = func.coalesce(Delivery.endpoint_id, Delivery.account_id, Delivery.address)  # few go to one at a time
Lane = Literal["mail", "prompt", "slow"]  # what waits for one of them holds up none of another

MINUTE, HOUR = 60, 3600
RETRIES: dict[str, Sequence[int]] = {  # seconds to wait after the first, second … failed attempt
    "email": (MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, 12 * HOUR, *[12 * HOUR] * 9),  # five days and some
    "webhook": (5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR),
}


@dataclass(frozen=True)
class Claim:
    """The right to carry one row, as long as the fence stands."""

    delivery_id: str
    fence: int
    channel: str


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
) -> Delivery | None:
    """Promise a notice, in the caller's transaction. A second post under the same key is the same promise: None."""
    if session.scalar(select(Delivery.id).where(Delivery.dedupe_key == dedupe_key)):
        return None
    delivery = Delivery(
        id=new_id("dl"), kind=kind, channel=channel, dedupe_key=dedupe_key, account_id=account_id, address=address,
        endpoint_id=endpoint_id, game_id=game_id, seat=seat, decision=decision, payload=payload,
        state="due", attempts=0, fence=0, next_at=now, created_at=now, message_id=_new_message_id(channel),
    )  # fmt: skip
    if kind in REPLACED_BY_NEWER:
        _replace_older(session, delivery, now)
    session.add(delivery)
    return delivery


def _replace_older(session: Session, newer: Delivery, now: datetime) -> None:
    """One un-acted turn notice a game: after an outage or a burst only the newest is worth sending, or putting into a digest."""
    older = (
        Delivery.kind == newer.kind,
        Delivery.channel == newer.channel,
        Delivery.game_id == newer.game_id,
        Delivery.account_id == newer.account_id,
        Delivery.endpoint_id.is_not_distinct_from(newer.endpoint_id),
        Delivery.state.in_(("due", "leased")),
        Delivery.attempts == 0,
    )
    session.execute(update(Delivery).where(*older).values(**_replaced(now)), execution_options=UNSEEN)


def replace_turn_notice(session: Session, game_id: str, account_id: str, now: datetime) -> None:
    """The mail about a turn that nobody has tried to send yet: another one, promised beside it, will tell of the same."""
    mail = (Delivery.kind == "your_turn", Delivery.channel == "email", Delivery.account_id == account_id)
    waits = (Delivery.game_id == game_id, Delivery.state.in_(("due", "leased")), Delivery.attempts == 0)
    session.execute(update(Delivery).where(*mail, *waits).values(**_replaced(now)), execution_options=UNSEEN)


def _replaced(now: datetime) -> dict[str, Any]:
    """One that is claimed but not begun goes too: no longer leased, its claim is void."""
    return {"state": "obsolete", "reason": "replaced", "settled_at": now, "lease_owner": None, "lease_until": None}


def covered(session: Session, **about: Any) -> bool:
    """Whether such a notice waits already that nobody has tried to send: its text, not made yet, will tell of this, too.

    One that is claimed is free again, since its text may be in the making.
    """
    waits = (Delivery.state.in_(("due", "leased")), Delivery.attempts == 0, Delivery.rendered.is_(None))
    same = [getattr(Delivery, name) == value for name, value in about.items()]
    freed = update(Delivery).where(*same, *waits).values(state="due", lease_owner=None, lease_until=None)
    found: Any = session.execute(freed, execution_options={"synchronize_session": False})
    return bool(found.rowcount)


def _new_message_id(channel: str) -> str:
    return f"msg_{base32(16)}" if channel == "webhook" else f"<{base32(16)}@{_domain()}>"


@functools.cache
def _domain() -> str:
    """Of our mail, in ASCII; one too long for the Message-ID gives way to a name that never resolves."""
    domain = Settings.from_env().mail_domain
    fits = len(f"<{base32(16)}@{domain}>") <= MESSAGE_ID_LENGTH
    return domain if fits else "galapost.invalid"


def claim(worker: str, limit: int, now: datetime, lane: Lane | None = None) -> list[Claim]:
    """Lease up to `limit` due rows, oldest first, to this worker. An expired lease is simply a due row.

    `lane`: only mails; or only webhooks of endpoints that answered their last attempt quickly; or only the others."""
    with reading() as session:  # looked up before, since on SQLite a claim locks out the players' moves
        chosen = session.scalars(_in_turn(now, lane).limit(limit * 8)).all()  # some more, since others may take them
    if not chosen:
        return []
    with transaction() as session:
        due = list(session.scalars(_claimable(chosen, limit, now)))
        for delivery in due:
            delivery.state = "leased"
            delivery.fence += 1
            delivery.lease_owner = worker
            delivery.lease_until = now + LEASE
        return [Claim(delivery.id, delivery.fence, delivery.channel) for delivery in due]


def anything_due(now: datetime) -> bool:
    with reading() as session:
        return session.scalar(select(Delivery.id).where(_due(now)).limit(1)) is not None


def _claimable(chosen: Sequence[str], limit: int, now: datetime) -> Any:
    """Those that are still due; rows that others lock are skipped."""
    query = select(Delivery).where(Delivery.id.in_(chosen), _due(now)).order_by(Delivery.next_at, Delivery.id)
    return query.limit(limit).with_for_update(skip_locked=True)


def _in_turn(now: datetime, lane: Lane | None) -> Any:
    """Ids of due rows among the first few of their endpoint or account, what is in flight to it counting first. Two workers
    that look at the same moment may together take twice as many; never one row twice."""
    in_flight = and_(Delivery.state == "leased", Delivery.lease_until > now)
    place = func.row_number().over(
        partition_by=TARGET, order_by=(case((in_flight, 0), else_=1), Delivery.next_at, Delivery.id)
    )
    row = (
        select(Delivery.id, Delivery.next_at, _due(now).label("due"), place.label("place"))
        .where(or_(in_flight, _due(now)), *_of(lane))
        .subquery()
    )
    return select(row.c.id).where(row.c.due, row.c.place <= IN_FLIGHT).order_by(row.c.next_at, row.c.id)


def _of(lane: Lane | None) -> list[ColumnElement[bool]]:
    if lane is None:
        return []
    if lane == "mail":
        return [Delivery.channel == "email"]
    slow = Delivery.endpoint_id.in_(select(WebhookEndpoint.id).where(WebhookEndpoint.prompt.is_(False)))
    return [slow] if lane == "slow" else [Delivery.channel != "email", or_(Delivery.endpoint_id.is_(None), ~slow)]


def _due(now: datetime) -> ColumnElement[bool]:
    """What waits for a digest is sent in it, and not by itself."""
    return or_(
        and_(Delivery.state == "due", Delivery.mode == "immediate", Delivery.next_at <= now),
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


def cut_off(session: Session, delivery: Delivery, now: datetime) -> None:
    """Of an attempt that is still open when somebody else has the row nobody knows how far it came."""
    if delivery.attempts:
        still_open = update(Attempt).where(Attempt.delivery_id == delivery.id, Attempt.outcome.is_(None))
        session.execute(still_open.values(outcome="ambiguous", finished_at=now))


def begin(session: Session, delivery: Delivery, now: datetime) -> None:
    """Write the attempt before it is made."""
    cut_off(session, delivery, now)
    delivery.attempts, delivery.reason = delivery.attempts + 1, None
    delivery.again = delivery.again and delivery.channel == "email"  # where it is no leave to send what is not true
    session.add(Attempt(delivery_id=delivery.id, n=delivery.attempts, fence=delivery.fence, started_at=now))


def exhausted(delivery: Delivery) -> bool:
    """Whether the last step of the schedule is used up, since it was promised or asked for again."""
    return tries(delivery) > len(RETRIES[delivery.channel])


def tries(delivery: Delivery) -> int:
    return delivery.attempts - delivery.earlier_attempts


def postpone(delivery: Delivery, until: datetime, reason: str | None) -> None:
    """Not now: it is claimed anew then."""
    delivery.state, delivery.next_at, delivery.reason = "due", until, reason
    delivery.lease_owner, delivery.lease_until = None, None


def give_up(delivery: Delivery, reason: str, now: datetime) -> None:
    """It need not be sent: it is not true any more, or its recipient does not want it. Where it was asked for again after it
    had been sent, it was sent, all the same."""
    before = _sent_at(delivery)
    if before is not None:
        close(delivery, "sent", None, before)
    else:
        close(delivery, "suppressed" if reason in SUPPRESSED else "obsolete", reason, now)


def _sent_at(delivery: Delivery) -> datetime | None:
    session = object_session(delivery)
    if session is None or not delivery.earlier_attempts:
        return None
    taken = (Attempt.delivery_id == delivery.id, Attempt.outcome == "sent")
    return session.scalar(select(func.max(Attempt.finished_at)).where(*taken))


def close(delivery: Delivery, state: str, reason: str | None, now: datetime) -> None:
    """Settled for good. The text goes, for it holds a hand or a code; a webhook's body holds neither."""
    delivery.state, delivery.reason, delivery.settled_at = state, reason, now
    delivery.lease_owner, delivery.lease_until, delivery.rendered, delivery.again = None, None, None, False
    if delivery.channel == "email" and delivery.kind not in PLAIN:
        delivery.payload = None
    log.info("settled", delivery=delivery.id, kind=delivery.kind, channel=delivery.channel, state=state, reason=reason)
