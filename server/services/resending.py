"""What somebody has sent to himself: a notice once more, or a test."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from server import clock, kicking
from server.database import transaction
from server.errors import NotSendable, NoWayToSend, RateLimited, UnknownDelivery, WebhookDisabled
from server.ids import is_id
from server.kinds import DIGEST, EMAIL, IMMEDIATE, KINDS
from server.models import Account, Attempt, Delivery, WebhookEndpoint
from server.said import Said, said
from server.services import accounts, fates, notifying, redelivering
from server.services.accounts import Caller

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
TESTS = 5  # mails an hour
ON_THEIR_WAY = 20  # that were asked for again, at once
# Mails that can be written anew. Of others what they were made of is gone: a code, the token of an invitation.
REWRITABLE = (*(kind for kind in KINDS if kind != "invitation"), DIGEST, "test")


def again(caller: Caller, delivery_id: str) -> dict[str, Any]:
    """Once more, under the same identity, and now: whatever became of it, and whatever he wishes else. To ask twice is to
    ask once."""
    with transaction() as session:
        account, now = accounts.lock(session, caller), clock.now()
        delivery = _own(session, caller, delivery_id)
        if delivery.state != "leased" and not delivery.again:  # else it is under way
            _check_kept(delivery)
            _check_rate(session, account, delivery, now)
            redelivering.due_again(delivery, now)
            delivery.again, delivery.mode, delivery.batch_id = True, IMMEDIATE, None
            _check_true(session, delivery, now)
        session.flush()
        told = fates.described(session, [delivery])[0]
    kicking.kick()
    return told


def _own(session: Session, caller: Caller, delivery_id: str) -> Delivery:
    delivery = session.get(Delivery, delivery_id, with_for_update=True) if is_id("dl", delivery_id) else None
    if delivery is None or delivery.account_id != caller.account_id:
        raise UnknownDelivery(
            said("nothing with the id {delivery} was to be sent to you", delivery=repr(delivery_id[:40]))
        )
    if delivery.channel != EMAIL:
        caller.needs_one_of("webhooks")
    return delivery


def _check_rate(session: Session, account: Account, delivery: Delivery, now: datetime) -> None:
    last = session.scalar(select(func.max(Attempt.started_at)).where(Attempt.delivery_id == delivery.id))
    if last is not None and last > now - MINUTE:
        raise _too_soon(said("a notice is sent again once a minute"), last + MINUTE - now)
    under_way = select(func.count()).where(Delivery.account_id == account.id, Delivery.again)
    if (session.scalar(under_way) or 0) >= ON_THEIR_WAY:
        raise _too_soon(said("{count:notice is|notices are} on the way again already", count=ON_THEIR_WAY), MINUTE)


def _too_soon(why: Said, wait: timedelta) -> RateLimited:
    return RateLimited(why, retry_after=int(wait.total_seconds()) + 1)


def _check_kept(delivery: Delivery) -> None:
    if delivery.channel == EMAIL and delivery.settled_at is not None and delivery.kind not in REWRITABLE:
        raise NotSendable(said("what this mail was made of is no longer kept"))


def _check_true(session: Session, delivery: Delivery, now: datetime) -> None:
    reason = notifying.untrue(session, delivery, now)
    if reason == "endpoint-disabled":
        raise WebhookDisabled(said("nothing is sent to it; set `active` to true first"))
    if reason is not None:
        raise NotSendable(fates.why_not(reason), reason=reason)


def test(caller: Caller, channel: str) -> list[dict[str, Any]]:
    """A mail, or a ping to every webhook that is switched on."""
    with transaction() as session:
        account, now = accounts.lock(session, caller), clock.now()
        sent = [_mail(session, account, now)] if channel == EMAIL else _pings(session, caller, now)
        session.flush()
        told = fates.described(session, sent)
    kicking.kick()
    return told


def _mail(session: Session, account: Account, now: datetime) -> Delivery:
    if account.email is None:
        raise NoWayToSend(said("this account has no address"))
    recent = (Delivery.account_id == account.id, Delivery.kind == "test", Delivery.created_at > now - HOUR)
    times = _times(session, *recent)
    if len(times) >= TESTS:
        raise _too_soon(
            said("at most {count:test mail|test mails} an hour are sent", count=TESTS), times[-TESTS] + HOUR - now
        )
    return notifying.test(session, account, now)


def _pings(session: Session, caller: Caller, now: datetime) -> list[Delivery]:
    caller.needs_one_of("webhooks")
    mine = select(WebhookEndpoint).where(WebhookEndpoint.account_id == caller.account_id, WebhookEndpoint.active)
    endpoints = session.scalars(mine.order_by(WebhookEndpoint.id)).all()
    if not endpoints:
        raise NoWayToSend(said("you have no webhook that is switched on"))
    return [redelivering.pinged(session, endpoint, now) for endpoint in endpoints]


def _times(session: Session, *which: ColumnElement[bool]) -> list[datetime]:
    return list(session.scalars(select(Delivery.created_at).where(*which).order_by(Delivery.created_at)))
