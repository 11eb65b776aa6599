"""Digests: one mail an account and hour, that tells all the notices that waited for it and are still true.

A row of the outbox like others. It is begun when the hour has come, and what it tells is chosen right before its text is
made: so a crash in between costs nothing, the text is made of the same notices then, and of those that came meanwhile."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from server import clock
from server.database import one_at_a_time, reading, transaction
from server.kinds import DIGEST, EMAIL
from server.models import Delivery
from server.services import notifying, outbox, wishes
from server.services.outbox import Claim

AT_ONCE = 500  # accounts of one sweep


def begin() -> int:
    """Promises a digest to everybody whose hour has come, each in a transaction of its own; returns to how many."""
    now = clock.now()
    with reading() as session:
        whose = select(Delivery.account_id).where(_waiting(now)).group_by(Delivery.account_id)
        accounts = session.scalars(whose.order_by(func.min(Delivery.next_at)).limit(AT_ONCE)).all()
    return sum(_begin(account, now) for account in accounts if account is not None)


def _begin(account_id: str, now: datetime) -> bool:
    with transaction() as session:
        one_at_a_time(session, f"digest {account_id}")
        mine = (_waiting(now), Delivery.account_id == account_id)
        hour = session.scalar(select(func.max(Delivery.next_at)).where(*mine))
        if hour is None:
            return False
        key = f"digest:{account_id}:{hour.isoformat()}"
        if session.scalar(select(Delivery.id).where(Delivery.dedupe_key == key)) is None:
            outbox.post(session, kind=DIGEST, channel=EMAIL, dedupe_key=key, now=now, account_id=account_id)
            return True
        if not _takes_more(session, key):
            _leave_to_the_next(session, account_id, now)
        return False


def _waiting(now: datetime) -> ColumnElement[bool]:
    return (Delivery.mode == DIGEST) & (Delivery.state == "due") & (Delivery.next_at <= now)


def _takes_more(session: Session, key: str) -> bool:
    """Whether the text of that digest is still to be made."""
    untold = (Delivery.state.in_(("due", "leased")), Delivery.rendered.is_(None), Delivery.again.is_(False))
    return session.scalar(select(Delivery.id).where(Delivery.dedupe_key == key, *untold)) is not None


def _leave_to_the_next(session: Session, account_id: str, now: datetime) -> None:
    """They were promised for this hour, but committed when it was told already."""
    wanted = select(Delivery).where(_waiting(now), Delivery.account_id == account_id).order_by(Delivery.id)
    hour = wishes.of_account(session, account_id).next_digest(now)
    for late in session.scalars(wanted.with_for_update()):
        late.next_at = hour


def collect(claimed: Claim, now: datetime) -> None:
    """Of a digest whose text was never made: what it will tell. One that is asked for again tells what it told."""
    with reading() as session:
        known = session.get(Delivery, claimed.delivery_id)
        if known is None or known.kind != DIGEST or not _is_untold(known):
            return
    with transaction() as session:
        digest = outbox.held(session, claimed)
        if digest is None or not _is_untold(digest):
            return
        chosen = _waiting(now) & (Delivery.account_id == digest.account_id) | (Delivery.batch_id == digest.id)
        for notice in session.scalars(select(Delivery).where(chosen).order_by(Delivery.id).with_for_update()):
            _put_in(session, notice, digest, now)


def _is_untold(digest: Delivery) -> bool:
    return digest.rendered is None and not digest.again


def _put_in(session: Session, notice: Delivery, digest: Delivery, now: datetime) -> None:
    """Unless it is not true any more. A digest holds no token that lets somebody in."""
    reason = notifying.untrue(session, notice, now)
    if reason is not None:
        outbox.give_up(notice, reason, now)
        notice.batch_id = None
        return
    notice.state, notice.reason, notice.settled_at, notice.batch_id = "batched", None, now, digest.id
    notice.payload = notice.payload and {name: value for name, value in notice.payload.items() if name != "token"}
