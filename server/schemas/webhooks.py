from __future__ import annotations

from marshmallow import fields, validate

from server.said import said
from server.schemas.base import (
    NEXT_CURSOR,
    Boolean,
    Closed,
    Moment,
    Open,
    PageQuery,
    Text,
    Time,
    Word,
    growing,
    told,
)
from server.schemas.notices import NOTICES, PING

TYPES = tuple(kind for kind in NOTICES if kind != PING)
FORMATS = ("standard", "discord", "slack")
STATES = ("due", "sending", "sent", "suppressed", "obsolete", "dead")

URL = told(
    "An https address on the public internet, port 443 or 8443, without user info. What it points at is judged whenever"
    " something is sent.",
    examples=["https://bot.example.org/galapost"],
)
ANSWERS = told(
    'Whether the body of its answer to `turn.opened` may hold the move: `{"move": "…"}` or `{"moves": […]}`, as in'
    " `POST /v1/games/{game_id}/moves`, of 4 KiB at most. 202 says that you will post it later. To set it, or to change the"
    " address while it is set, takes the scope `games:play`."
)
FORMAT = told("Whom it is for: a program, or the incoming webhook of a chat, which gets a sentence instead of data.")


def types_field(**kwargs: object) -> fields.List:
    return fields.List(
        Word(*TYPES),
        validate=validate.Length(min=1, max=20, error=said("1 to 20 types are expected")),
        **kwargs,  # type: ignore[arg-type]
    )


class NewWebhook(Closed):
    """A webhook to be registered."""

    url = Text(2000, required=True, metadata=URL)
    types = types_field(load_default=list(TYPES), metadata=told("What to send; all when left out."))
    format = Word(*FORMATS, load_default="standard", metadata=FORMAT)
    answers = Boolean(load_default=False, metadata=ANSWERS)


class WebhookChanges(Closed):
    """What is left out stays as it is."""

    url = Text(2000, metadata=URL)
    types = types_field(metadata=told("What to send."))
    format = Word(*FORMATS, metadata=FORMAT)
    answers = Boolean(metadata=ANSWERS)
    active = Boolean(metadata=told("False stops deliveries; true starts them again, and forgets past failures."))


class Webhook(Open):
    """Where a program is told of what happens."""

    id = fields.String(required=True)
    url = fields.String(required=True, metadata=told("Where notices are sent."))
    types = fields.List(fields.String(), required=True, metadata=told("Which are sent."))
    format = growing("Whom it is for.", *FORMATS, required=True)
    answers = fields.Boolean(required=True, metadata=told("Whether its answer may hold the move."))
    active = fields.Boolean(required=True, metadata=told("False when deliveries have stopped."))
    created_at = Time(required=True)
    failing_since = Time(
        required=True,
        allow_none=True,
        metadata=told("Since when nothing arrived there; after five days it is switched off, and you get a mail."),
    )
    disabled_at = Time(required=True, allow_none=True)
    disabled_reason = growing(
        "By whom it was switched off.", "owner", "gone", "failing", required=True, allow_none=True
    )


class WebhookWithSecret(Webhook):
    """A webhook with the secret that signs what is sent there."""

    secret = fields.String(
        required=True,
        allow_none=True,
        metadata=told(
            "Signs what we send (Standard Webhooks 1.0). Shown this once, so null on a repetition.",
            examples=["whsec_MfKQ9r8G…"],
        ),
    )


class WebhookList(Open):
    """A page of webhooks."""

    items = fields.List(fields.Nested(Webhook), required=True)
    next_cursor = fields.String(required=True, allow_none=True, metadata=NEXT_CURSOR)


class DeliveryQuery(PageQuery):
    state = Word(*STATES, metadata=told("Only those in this state."))


class DeliveryAttempt(Open):
    """One try. Where nobody could be connected to, for whatever reason, the reply is `unreachable`, and no more is told."""

    number = fields.Integer(required=True, metadata=told("From 1, counted on when it is sent again."))
    at = Time(required=True)
    outcome = growing(
        "`ambiguous`: it may have arrived, the answer never came.",
        *("sending", "sent", "transient", "permanent", "ambiguous"),
        required=True,
    )
    status = fields.Integer(required=True, allow_none=True, metadata=told("Of HTTP."))
    ms = fields.Integer(required=True, allow_none=True, metadata=told("How long it took."))
    reply = fields.String(required=True, allow_none=True, metadata=told("The first 1,024 characters of the answer."))
    answer = growing(
        "What became of the move in the answer; null when there was none.",
        *("played", "closed", "later", "refused", "unreadable", "failed"),
        required=True,
        allow_none=True,
    )
    problem = fields.String(
        required=True,
        allow_none=True,
        metadata=told("Of a refused move the code out of `GET /v1/problems`; of several, why not all were played."),
    )
    detail = fields.String(required=True, allow_none=True, metadata=told("Of a move that was not played: why."))


class WebhookDelivery(Open):
    """Something that was to be sent to a webhook, and what became of it."""

    id = fields.String(required=True)
    webhook_id = fields.String(
        required=True, metadata=told("The header `webhook-id`: the same on every attempt.", examples=["msg_2k…"])
    )
    type = growing("Of the notice.", "turn.opened", "game.over", PING, required=True)
    game = fields.String(required=True, allow_none=True)
    seat = fields.String(required=True, allow_none=True)
    decision = fields.Integer(required=True, allow_none=True)
    state = growing("How far it is; `suppressed`: you wished for silence about this game.", *STATES, required=True)
    reason = growing("Why it was not sent.", "answered", "replaced", "gave-up", required=True, allow_none=True)
    created_at = Time(required=True, metadata=told("When it happened."))
    next_at = Time(required=True, allow_none=True, metadata=told("When it is tried next, at the earliest."))
    settled_at = Time(required=True, allow_none=True)
    attempts = fields.List(fields.Nested(DeliveryAttempt), required=True)


class WebhookDeliveryList(Open):
    """A page of the log."""

    items = fields.List(fields.Nested(WebhookDelivery), required=True)
    next_cursor = fields.String(required=True, allow_none=True, metadata=NEXT_CURSOR)


class Window(Closed):
    """A time."""

    since = Moment(required=True, metadata=told("What was promised from then on.", examples=["2027-03-01T18:00:00Z"]))
    until = Moment(metadata=told("And before then; now when left out."))


class Redelivered(Open):
    """What is sent again."""

    redelivered = fields.Integer(required=True, metadata=told("How many are on their way again.", examples=[3]))
    next_since = Time(
        required=True,
        allow_none=True,
        metadata=told("Not all in one go: ask again with this as `since`. Null at the end."),
    )
