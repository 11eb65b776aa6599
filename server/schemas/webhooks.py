from __future__ import annotations

from marshmallow import fields, validate

from server.schemas.base import NEXT_CURSOR, Closed, Open, Text, Time, Word, told

TYPES = ("turn.opened", "game.started", "game.over")


class NewWebhook(Closed):
    url = Text(
        2000,
        required=True,
        metadata=told("An https address on the public internet.", examples=["https://bot.example.org/galapost"]),
    )
    types = fields.List(
        Word(*TYPES),
        load_default=list(TYPES),
        validate=validate.Length(min=1, max=20, error="1 to 20 types are expected"),
        metadata=told("What to send; all when left out."),
    )


class Webhook(Open):
    id = fields.String(required=True)
    url = fields.String(required=True)
    types = fields.List(fields.String(), required=True)
    active = fields.Boolean(required=True, metadata=told("False when deliveries have stopped."))
    created_at = Time(required=True)
    disabled_at = Time(required=True, allow_none=True)


class WebhookWithSecret(Webhook):
    secret = fields.String(
        required=True,
        metadata=told("Signs what we send (Standard Webhooks 1.0). Shown this once.", examples=["whsec_MfKQ9r8G…"]),
    )


class WebhookList(Open):
    items = fields.List(fields.Nested(Webhook), required=True)
    next_cursor = fields.String(required=True, allow_none=True, metadata=NEXT_CURSOR)
