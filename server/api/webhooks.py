"""Webhooks: registered, listed, deleted."""

from __future__ import annotations

from typing import Any

from flask import current_app

from server import queries
from server.api.paging import page
from server.api.smorest import NEVER_STORE, Resource
from server.errors import BadWebhookUrl, TooManyWebhooks, UnknownWebhook
from server.schemas import webhooks as schemas
from server.schemas.base import PageQuery
from server.services import webhooks
from server.services.accounts import Caller

blueprint = Resource(
    "webhooks",
    __name__,
    url_prefix="/v1/webhooks",
    description="Being told by machine, signed as Standard Webhooks 1.0 want it.",
)


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
    can_fail=(BadWebhookUrl, TooManyWebhooks),
)
def create_webhook(caller: Caller, body: dict[str, Any]) -> Any:
    """Register a webhook

    The answer has the secret that signs what we send, this once. Payloads say what happened where, and never a card.
    """
    to_loopback = current_app.config["GALAPOST"].webhooks_to_loopback
    return webhooks.register(caller, **body, to_loopback=to_loopback), NEVER_STORE


@blueprint.operation("DELETE", "/<string:webhook_id>", "webhooks", status=204, can_fail=(UnknownWebhook,))
def delete_webhook(caller: Caller, webhook_id: str) -> None:
    """Delete a webhook

    Nothing is sent there any more, not even what was waiting to be.
    """
    webhooks.delete(caller, webhook_id)
