"""Webhooks: registered, looked after, tried out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import current_app

from server import links, queries
from server.api.paging import page
from server.api.smorest import NEVER_STORE, Resource, known
from server.errors import (
    BadWebhookUrl,
    RateLimited,
    TooManyWebhooks,
    UnknownDelivery,
    UnknownWebhook,
    WebhookDisabled,
)
from server.schemas import webhooks as schemas
from server.schemas.base import PageQuery
from server.services import redelivering, webhooks
from server.services.accounts import Caller
from server.services.looking import Version
from server.services.repeating import Made

Expects = Callable[[Version], None]

blueprint = Resource(
    "webhooks",
    __name__,
    url_prefix="/v1/webhooks",
    description="Being told by machine, signed as Standard Webhooks 1.0 want it.",
)


def _to_loopback() -> bool:
    return bool(current_app.config["GALAPOST"].webhooks_to_loopback)


def _located(made: Made) -> Any:
    """With the secret, so never to be stored."""
    return made, {**NEVER_STORE, "Location": links.of_webhook(made.body["id"])["webhook"]}


@blueprint.operation("GET", "", "webhooks", query=PageQuery, answer=schemas.WebhookList)
def list_webhooks(caller: Caller, query: dict[str, Any]) -> Any:
    """My webhooks, the oldest first"""
    return page(queries.my_webhooks(caller, **query))


@blueprint.operation(
    "POST",
    "",
    "webhooks",
    body=schemas.NewWebhook,
    answer=schemas.WebhookWithSecret,
    status=201,
    repeatable=True,
    can_fail=(BadWebhookUrl, TooManyWebhooks),
)
def create_webhook(caller: Caller, body: dict[str, Any]) -> Any:
    """Register a webhook

    The answer has the secret that signs what we send, this once. A `ping` is sent there two seconds later. Payloads say what
    happened where, and never a card. What is not answered with 2xx within 15 seconds is tried again after 5 s, 5 min, 30 min, 2 h, 5 h,
    10 h, 14 h, 20 h and 24 h; 410 switches the webhook off, and so do five days in which nothing arrives.
    """
    return _located(webhooks.register(caller, **body, to_loopback=_to_loopback()))


@blueprint.operation(
    "GET", "/<string:webhook_id>", "webhooks", answer=schemas.Webhook, versioned=True, can_fail=(UnknownWebhook,)
)
def get_webhook(caller: Caller, webhook_id: str) -> Any:
    """A webhook of mine"""
    return webhooks.show(caller, webhook_id, known)


@blueprint.operation(
    "PATCH",
    "/<string:webhook_id>",
    "webhooks",
    body=schemas.WebhookChanges,
    answer=schemas.Webhook,
    conditional=True,
    can_fail=(UnknownWebhook, BadWebhookUrl),
)
def change_webhook(caller: Caller, webhook_id: str, body: dict[str, Any], expects: Expects) -> Any:
    """Change a webhook, or switch it off and on

    What is waiting to be sent goes to the new address. Switched off, it gets nothing: what becomes due meanwhile is obsolete,
    and can be sent again later.
    """
    return webhooks.change(caller, webhook_id, body, _to_loopback(), expects)


@blueprint.operation(
    "DELETE", "/<string:webhook_id>", "webhooks", status=204, conditional=True, can_fail=(UnknownWebhook,)
)
def delete_webhook(caller: Caller, webhook_id: str, expects: Expects) -> None:
    """Delete a webhook

    Nothing is sent there any more, not even what was waiting to be.
    """
    webhooks.delete(caller, webhook_id, expects)


@blueprint.operation(
    "POST",
    "/<string:webhook_id>/secret",
    "webhooks",
    answer=schemas.WebhookWithSecret,
    status=201,
    repeatable=True,
    can_fail=(UnknownWebhook, RateLimited),
)
def rotate_webhook_secret(caller: Caller, webhook_id: str) -> Any:
    """Get a new secret

    Shown this once. For 24 hours the old one signs, too: `webhook-signature` then has both signatures, and one that fits is
    enough.
    """
    return _located(webhooks.rotate(caller, webhook_id))


@blueprint.operation(
    "POST",
    "/<string:webhook_id>/test",
    "webhooks",
    answer=schemas.WebhookDelivery,
    status=202,
    can_fail=(UnknownWebhook, WebhookDisabled, RateLimited),
)
def ping_webhook(caller: Caller, webhook_id: str) -> Any:
    """Have a ping sent, now

    At most five a minute. What came of it is in the log of deliveries.
    """
    return redelivering.ping(caller, webhook_id)


@blueprint.operation(
    "GET",
    "/<string:webhook_id>/deliveries",
    "webhooks",
    query=schemas.DeliveryQuery,
    answer=schemas.WebhookDeliveryList,
    can_fail=(UnknownWebhook,),
)
def list_webhook_deliveries(caller: Caller, webhook_id: str, query: dict[str, Any]) -> Any:
    """What was sent to a webhook, the newest first

    With every attempt, and what became of it; of push bots also what became of their moves.
    """
    return page(queries.deliveries_to(caller, webhook_id, **query))


@blueprint.operation(
    "POST",
    "/<string:webhook_id>/deliveries/<string:delivery_id>/redeliver",
    "webhooks",
    answer=schemas.WebhookDelivery,
    status=202,
    can_fail=(UnknownWebhook, UnknownDelivery, WebhookDisabled),
)
def redeliver_to_webhook(caller: Caller, webhook_id: str, delivery_id: str) -> Any:
    """Send one delivery again

    The same message under the same `webhook-id`, whatever became of it before, be it even about a decision that was answered
    since.
    """
    return redelivering.redeliver(caller, webhook_id, delivery_id)


@blueprint.operation(
    "POST",
    "/<string:webhook_id>/redeliver",
    "webhooks",
    body=schemas.Window,
    answer=schemas.Redelivered,
    status=202,
    can_fail=(UnknownWebhook, WebhookDisabled),
)
def replay_to_webhook(caller: Caller, webhook_id: str, body: dict[str, Any]) -> Any:
    """Send again what happened in a time

    For when the receiver was away, or forgot: everything that was to be sent then, arrived or not, the oldest first and at most 200
    in one go. Left out are pings, what was answered since, and what you have switched off or muted.
    """
    return redelivering.replay(caller, webhook_id, **body)
