"""How webhooks fare: who answers quickly, who fails and since when, and when we give up on one."""

from datetime import datetime, timedelta

import structlog
from sqlalchemy import select
from sqlalchemy.orm import Session

from server.models import Delivery, WebhookEndpoint
from server.services import notifying

log = structlog.get_logger(__name__)

PATIENCE = timedelta(days=5)  # of failure without a success; days on which there was nothing to send are none
QUICK = 5000  # ms


def locked(session: Session, delivery_id: str) -> WebhookEndpoint | None:
    """Where a delivery goes, locked; None when that is no webhook (any more)."""
    wanted = select(WebhookEndpoint).join(Delivery, Delivery.endpoint_id == WebhookEndpoint.id)
    return session.scalar(wanted.where(Delivery.id == delivery_id).with_for_update(of=WebhookEndpoint, key_share=True))


def note(session: Session, endpoint: WebhookEndpoint, taken: bool, ms: int | None, gone: bool, now: datetime) -> None:
    """What an attempt tells of the endpoint."""
    endpoint.prompt = taken and (ms or 0) < QUICK
    before = endpoint.failing_since
    if taken:
        endpoint.failing_since = endpoint.failed_at = None
    elif endpoint.active:
        _failed(session, endpoint, gone, now)
    if endpoint.failing_since != before:
        endpoint.version += 1


def _failed(session: Session, endpoint: WebhookEndpoint, gone: bool, now: datetime) -> None:
    endpoint.failing_since, endpoint.failed_at = endpoint.failing_since or now, now
    if gone or now - endpoint.failing_since >= PATIENCE:
        disable(endpoint, "gone" if gone else "failing", now)
        notifying.webhook_disabled(session, endpoint, now)


def disable(endpoint: WebhookEndpoint, reason: str, now: datetime) -> None:
    """Nothing is sent there until its owner switches it on again."""
    endpoint.active, endpoint.disabled_at, endpoint.disabled_reason = False, now, reason
    endpoint.version += 1
    log.info("webhook disabled", webhook=endpoint.id, reason=reason)


def enable(endpoint: WebhookEndpoint) -> None:
    """With a clean slate: the failures of before count no more."""
    endpoint.active, endpoint.disabled_at, endpoint.disabled_reason = True, None, None
    endpoint.failing_since = endpoint.failed_at = None
