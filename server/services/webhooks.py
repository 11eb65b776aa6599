"""Where an account wants to be told by machine. The secret signs what we send; it is shown once."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from server import clock, kicking, sealing
from server.database import reading, transaction
from server.errors import InvalidBody, RateLimited, TooManyWebhooks, UnknownWebhook
from server.ids import is_id, new_id
from server.models import Account, Delivery, WebhookEndpoint
from server.said import said
from server.services import health, notifying, repeating
from server.services.accounts import Caller
from server.services.looking import Known, Version, Versioned
from server.services.repeating import Made
from server.services.webhook_urls import check_url

MOST = 20
SECRET_BYTES = 32
SECRET_FIRST = timedelta(seconds=2)  # so that whoever is pinged has got the secret by then
OVERLAP = timedelta(hours=24)  # in which a secret that was replaced signs, too
CHANGE = {"key_share": True}  # locks that let a move write a notice for it meanwhile, and that don't
DELETE = True
SECRETS_AT_ONCE = 5  # as many signatures go with a message


def register(caller: Caller, url: str, types: list[str], format: str, answers: bool, to_loopback: bool) -> Made:
    """`to_loopback` is the development switch of the installation. Addresses are judged when we send, names can change."""
    check_url(url, to_loopback)
    _check_answers(caller, answers, format)
    secret = _new_secret()
    with transaction() as session:
        again = repeating.earlier(session, caller)
        if again is not None:
            return Made({**described(repeating.found(session, WebhookEndpoint, again)), "secret": None}, again=True)
        _check_number(session, caller)
        now = clock.now()
        endpoint = WebhookEndpoint(
            id=new_id("wh"),
            account_id=caller.account_id,
            url=url,
            secret_sealed=sealing.seal(secret),
            types=sorted(set(types)),
            format=format,
            answers=answers,
            active=True,
            created_at=now,
        )
        session.add(endpoint)
        session.flush()
        notifying.ping(session, endpoint, now, after=SECRET_FIRST)
        repeating.remember(session, caller, endpoint.id)
    kicking.kick()
    return Made({**described(endpoint), "secret": secret})


def _check_answers(caller: Caller, answers: bool, format: str) -> None:
    """Whoever answers plays, so the right to play is needed to allow it; a chat has nothing to answer."""
    if answers:
        caller.needs_one_of("games:play")
        if format != "standard":
            detail = said("only a webhook of the format `standard` answers")
            raise InvalidBody(detail, errors=[{"in": "body", "pointer": "/answers", "detail": detail}])


def _new_secret() -> str:
    return "whsec_" + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def _check_number(session: Session, caller: Caller) -> None:
    session.get_one(Account, caller.account_id, with_for_update=True)  # two at once shall not both be the last
    if (session.scalar(select(func.count()).where(WebhookEndpoint.account_id == caller.account_id)) or 0) >= MOST:
        raise TooManyWebhooks(said("an account has at most {count:webhook|webhooks}", count=MOST))


def show(caller: Caller, webhook_id: str, known: Known) -> Versioned:
    with reading() as session:
        endpoint = own(session, caller, webhook_id)
        version = version_of(endpoint)
        return Versioned(version) if known(version) else Versioned(version, described(endpoint))


def change(
    caller: Caller,
    webhook_id: str,
    changes: dict[str, Any],
    to_loopback: bool,
    expects: Callable[[Version], None],
) -> Versioned:
    """What is not among the changes stays. Another address is not known to be quick, and has not failed yet."""
    if "url" in changes:
        check_url(changes["url"], to_loopback)
    with transaction() as session:
        endpoint = own(session, caller, webhook_id, CHANGE)
        expects(version_of(endpoint))
        answers = changes.get("answers", endpoint.answers)
        if {"answers", "url"} & changes.keys() or (answers and "format" in changes):
            _check_answers(caller, answers, changes.get("format", endpoint.format))
        _change(endpoint, changes, clock.now())
        return Versioned(version_of(endpoint), described(endpoint))


def _change(endpoint: WebhookEndpoint, changes: dict[str, Any], now: datetime) -> None:
    if changes.get("url", endpoint.url) != endpoint.url:
        endpoint.url, endpoint.prompt, endpoint.failing_since, endpoint.failed_at = changes["url"], False, None, None
    endpoint.types = sorted(set(changes.get("types", endpoint.types)))
    endpoint.format = changes.get("format", endpoint.format)
    endpoint.answers = changes.get("answers", endpoint.answers)
    endpoint.version += 1
    if changes.get("active") is True:
        health.enable(endpoint)
    elif changes.get("active") is False and endpoint.active:
        health.disable(endpoint, "owner", now)


def rotate(caller: Caller, webhook_id: str) -> Made:
    """A new secret. The one that it replaces signs beside it for a while, so that no message fails meanwhile."""
    secret = _new_secret()
    with transaction() as session:
        again = repeating.earlier(session, caller)
        endpoint = own(session, caller, webhook_id, CHANGE)
        if again is not None:
            return Made({**described(endpoint), "secret": None}, again=True)
        now = clock.now()
        endpoint.retired = _still_good(endpoint, now) | {endpoint.secret_sealed: (now + OVERLAP).isoformat()}
        endpoint.secret_sealed = sealing.seal(secret)
        endpoint.version += 1
        repeating.remember(session, caller, endpoint.id)
    return Made({**described(endpoint), "secret": secret})


def _still_good(endpoint: WebhookEndpoint, now: datetime) -> dict[str, str]:
    """The secrets that were replaced less than a day ago; not so many that their signatures fill the header."""
    good = {sealed: until for sealed, until in (endpoint.retired or {}).items() if until > now.isoformat()}
    if len(good) + 2 > SECRETS_AT_ONCE:
        wait = datetime.fromisoformat(min(good.values())) - now
        detail = said("at most {count:secret|secrets} of a webhook are valid at once", count=SECRETS_AT_ONCE)
        raise RateLimited(detail, retry_after=int(wait.total_seconds()) + 1)
    return good


def delete(caller: Caller, webhook_id: str, expects: Callable[[Version], None]) -> None:
    """What was still to be sent there becomes obsolete; what was sent stays in the database."""
    with transaction() as session:
        endpoint = own(session, caller, webhook_id, DELETE)
        expects(version_of(endpoint))
        _give_up(session, endpoint)
        session.delete(endpoint)


def _give_up(session: Session, endpoint: WebhookEndpoint) -> None:
    """A new fence, too: a worker that is sending right now may settle nothing any more."""
    pending = update(Delivery).where(Delivery.endpoint_id == endpoint.id, Delivery.state.in_(("due", "leased")))
    session.execute(
        pending.values(
            state="obsolete", reason="webhook-deleted", fence=Delivery.fence + 1, settled_at=clock.now(), rendered=None
        )
    )
    session.execute(update(Delivery).where(Delivery.endpoint_id == endpoint.id).values(endpoint_id=None))


def own(session: Session, caller: Caller, webhook_id: str, lock: Any = None) -> WebhookEndpoint:
    """A webhook of the caller's; others are as if they were not there. `lock`: CHANGE or DELETE."""
    found = session.get(WebhookEndpoint, webhook_id, with_for_update=lock) if is_id("wh", webhook_id) else None
    if found is None or found.account_id != caller.account_id:
        raise UnknownWebhook(said("you have no webhook {webhook}", webhook=webhook_id[:40]))
    return found


def version_of(endpoint: WebhookEndpoint) -> Version:
    return ("webhook", endpoint.id, endpoint.version)


def described(endpoint: WebhookEndpoint) -> dict[str, Any]:
    return {
        "id": endpoint.id,
        "url": endpoint.url,
        "types": endpoint.types,
        "format": endpoint.format,
        "answers": endpoint.answers,
        "active": endpoint.active,
        "created_at": endpoint.created_at,
        "failing_since": endpoint.failing_since,
        "disabled_at": endpoint.disabled_at,
        "disabled_reason": endpoint.disabled_reason,
    }
