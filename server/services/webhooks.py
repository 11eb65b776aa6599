"""Where an account wants to be told by machine. The secret signs what we send; it is shown once."""

from __future__ import annotations

import base64
import secrets
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, urlsplit

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from server import clock, sealing
from server.database import transaction
from server.errors import BadWebhookUrl, TooManyWebhooks, UnknownWebhook
from server.ids import is_id, new_id
from server.models import Account, Delivery, WebhookEndpoint
from server.services.accounts import Caller

MOST = 20
SECRET_BYTES = 32


def register(caller: Caller, url: str, types: list[str], to_loopback: bool) -> dict[str, Any]:
    """`to_loopback` is the development switch of the installation. Addresses are judged when we send, names can change."""
    _check_url(url, to_loopback)
    secret = "whsec_" + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()
    with transaction() as session:
        _check_number(session, caller)
        endpoint = WebhookEndpoint(
            id=new_id("wh"),
            account_id=caller.account_id,
            url=url,
            secret_sealed=sealing.seal(secret),
            types=sorted(set(types)),
            active=True,
            created_at=clock.now(),
        )
        session.add(endpoint)
    return {**described(endpoint), "secret": secret}


def _check_url(url: str, to_loopback: bool) -> None:
    parts = _split(url)
    if parts.username is not None or parts.password is not None:
        raise BadWebhookUrl("an address without user info is expected")
    if parts.scheme != "https" and not (to_loopback and parts.scheme == "http" and _is_loopback(parts.hostname)):
        raise BadWebhookUrl(f"an https address is expected, not {parts.scheme or 'one without a scheme'}")


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises when it is no number
    except ValueError as error:
        raise BadWebhookUrl(f"this is no address: {error}") from error
    if not parts.hostname or not url.isascii() or any(sign <= " " or sign == "\\" for sign in url):
        raise BadWebhookUrl("an address with a host is expected, in ASCII and without spaces")
    return parts


def _is_loopback(host: str | None) -> bool:
    try:
        return host == "localhost" or ip_address(host or "").is_loopback
    except ValueError:
        return False


def _check_number(session: Session, caller: Caller) -> None:
    session.get_one(Account, caller.account_id, with_for_update=True)  # two at once shall not both be the last
    if (session.scalar(select(func.count()).where(WebhookEndpoint.account_id == caller.account_id)) or 0) >= MOST:
        raise TooManyWebhooks(f"an account has at most {MOST}")


def delete(caller: Caller, webhook_id: str) -> None:
    """What was still to be sent there becomes obsolete; what was sent stays in the log."""
    with transaction() as session:
        endpoint = session.get(WebhookEndpoint, webhook_id) if is_id("wh", webhook_id) else None
        if endpoint is None or endpoint.account_id != caller.account_id:
            raise UnknownWebhook(f"you have no webhook {webhook_id[:40]!r}")
        _give_up(session, endpoint)
        session.delete(endpoint)


def _give_up(session: Session, endpoint: WebhookEndpoint) -> None:
    """A new fence, too: a worker that is sending right now may settle nothing any more."""
    pending = update(Delivery).where(Delivery.endpoint_id == endpoint.id, Delivery.state.in_(("due", "leased")))
    session.execute(
        pending.values(
            state="obsolete", reason="webhook deleted", fence=Delivery.fence + 1, settled_at=clock.now(), rendered=None
        )
    )
    session.execute(update(Delivery).where(Delivery.endpoint_id == endpoint.id).values(endpoint_id=None))


def described(endpoint: WebhookEndpoint) -> dict[str, Any]:
    return {
        "id": endpoint.id,
        "url": endpoint.url,
        "types": endpoint.types,
        "active": endpoint.active,
        "created_at": endpoint.created_at,
        "disabled_at": endpoint.disabled_at,
    }
