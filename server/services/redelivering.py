"""Sending again, as its owner wishes: a ping, one delivery, or what a webhook has missed in a time."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, case, exists, select, true
from sqlalchemy.orm import Session

from server import clock, kicking
from server.database import transaction
from server.errors import InvalidBody, RateLimited, UnknownDelivery, WebhookDisabled
from server.ids import is_id
from server.kinds import WEBHOOK
from server.models import Delivery, Game, Invitation, WebhookEndpoint
from server.said import said
from server.services import delivery_log, notifying, payloads, planning, webhooks
from server.services.accounts import Caller

PINGS, MINUTE = 5, timedelta(minutes=1)
AT_ONCE = 200  # deliveries of one replay
PENDING = ("due", "leased")


def ping(caller: Caller, webhook_id: str) -> dict[str, Any]:
    """A ping, now."""
    with transaction() as session:
        delivery = pinged(session, _active(session, caller, webhook_id), clock.now())
        session.flush()
        told = delivery_log.told(delivery, [])
    kicking.kick()
    return told


def pinged(session: Session, endpoint: WebhookEndpoint, now: datetime) -> Delivery:
    """In the caller's transaction, who holds the endpoint or its account."""
    _check_pings(session, endpoint, now)
    return notifying.ping(session, endpoint, now)


def _check_pings(session: Session, endpoint: WebhookEndpoint, now: datetime) -> None:
    recent = (Delivery.endpoint_id == endpoint.id, Delivery.kind == payloads.PING, Delivery.created_at > now - MINUTE)
    times = session.scalars(select(Delivery.created_at).where(*recent).order_by(Delivery.created_at)).all()
    if len(times) >= PINGS:
        wait = times[-PINGS] + MINUTE - now
        detail = said("at most {count:ping|pings} a minute go to a webhook", count=PINGS)
        raise RateLimited(detail, retry_after=int(wait.total_seconds()) + 1)


def redeliver(caller: Caller, webhook_id: str, delivery_id: str) -> dict[str, Any]:
    """One delivery once more, under the same identity, whether it is still true or not: its owner asked for it."""
    with transaction() as session:
        endpoint, now = _active(session, caller, webhook_id), clock.now()
        delivery = session.get(Delivery, delivery_id, with_for_update=True) if is_id("dl", delivery_id) else None
        if delivery is None or delivery.endpoint_id != endpoint.id:
            raise UnknownDelivery(said("this webhook has no delivery {delivery}", delivery=delivery_id[:40]))
        if delivery.state != "leased":  # that one is being sent
            due_again(delivery, now)
            delivery.again = True
        session.flush()
        told = delivery_log.told(delivery, delivery_log.attempts_of(session, [delivery]))
    kicking.kick()
    return told


def replay(caller: Caller, webhook_id: str, since: datetime, until: datetime | None = None) -> dict[str, Any]:
    """What was promised in that time and is settled, oldest first. What was answered since is no news any more, and what its
    owner wants no more is left out: of both the log says what became of it then."""
    with transaction() as session:
        endpoint, now = _active(session, caller, webhook_id), clock.now()
        until = until or now
        if since >= until:
            detail = said("a time before `until` is expected")
            raise InvalidBody(detail, errors=[{"in": "body", "pointer": "/since", "detail": detail}])
        rows = session.scalars(_missed(session, endpoint, since, until, now).limit(AT_ONCE + 1).with_for_update()).all()
        for delivery in rows[:AT_ONCE]:
            due_again(delivery, now)
    kicking.kick()
    more = len(rows) > AT_ONCE
    return {"redelivered": len(rows[:AT_ONCE]), "next_since": rows[AT_ONCE].created_at if more else None}


def _missed(session: Session, endpoint: WebhookEndpoint, since: datetime, until: datetime, now: datetime) -> Any:
    window = (Delivery.created_at >= since, Delivery.created_at < until)
    settled = (Delivery.state.not_in(PENDING), Delivery.kind != payloads.PING)
    wanted = (_still_true(now), planning.wanted(session, endpoint.account_id, WEBHOOK))
    missed = select(Delivery).where(Delivery.endpoint_id == endpoint.id, *window, *settled, *wanted)
    return missed.order_by(Delivery.created_at, Delivery.id)


def _still_true(now: datetime) -> ColumnElement[bool]:
    owed = and_(Game.id == Delivery.game_id, Game.decision == Delivery.decision, Game.asked_seat == Delivery.seat)
    offered = and_(Invitation.id == Delivery.payload["invitation"].as_string(), Invitation.state == "open")
    return case(
        (Delivery.kind.in_(notifying.TURNS), exists().where(owed, Game.status == "running")),
        (Delivery.kind == "invitation", exists().where(offered, Invitation.expires_at > now)),
        else_=true(),
    )


def due_again(delivery: Delivery, now: datetime) -> None:
    """With the whole schedule before it."""
    delivery.state, delivery.reason, delivery.settled_at = "due", None, None
    delivery.earlier_attempts, delivery.next_at = delivery.attempts, now


def _active(session: Session, caller: Caller, webhook_id: str) -> WebhookEndpoint:
    endpoint = webhooks.own(session, caller, webhook_id, webhooks.CHANGE)
    if not endpoint.active:
        raise WebhookDisabled(said("nothing is sent to it; set `active` to true first"))
    return endpoint
