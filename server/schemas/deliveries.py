"""What became of what was to be told to me."""

from __future__ import annotations

from marshmallow import fields

from server.kinds import EMAIL, KINDS, WEBHOOK
from server.schemas.base import NEXT_CURSOR, Closed, Open, PageQuery, Text, Time, Word, growing, told

STATES = ("due", "sending", "sent", "batched", "suppressed", "obsolete", "dead")
REASONS = (
    "answered",
    "replaced",
    "muted",
    "off",
    "unsubscribed",
    "address-dead",
    "quiet-hours",
    "delay",
    "digest",
    "refused",
)


class NotificationQuery(PageQuery):
    channel = Word(EMAIL, WEBHOOK, metadata=told("Only what went, or was to go, this way."))
    state = Word(*STATES, metadata=told("Only those in this state."))
    game = Text(40, metadata=told("Only those about this game."))


class NotificationAttempt(Open):
    """One try."""

    number = fields.Integer(required=True, metadata=told("From 1, counted on when it is sent again."))
    at = Time(required=True)
    outcome = growing(
        "`ambiguous`: it may have arrived, the answer never came.",
        *("sending", "sent", "transient", "permanent", "ambiguous"),
        required=True,
    )
    status = fields.Integer(required=True, allow_none=True, metadata=told("Of SMTP or HTTP.", examples=[250]))
    reply = fields.String(
        required=True, allow_none=True, metadata=told("What the receiving server said: the first 1,024 characters.")
    )


class Notification(Open):
    """A notice to me, and what became of it."""

    id = fields.String(required=True)
    kind = growing("What it is about.", *KINDS, "digest", "verification", "test", required=True)
    channel = growing("Which way it goes.", EMAIL, WEBHOOK, required=True)
    webhook = fields.String(required=True, allow_none=True, metadata=told("To which webhook."))
    game = fields.String(required=True, allow_none=True)
    decision = fields.Integer(required=True, allow_none=True)
    state = growing(
        "How far it is. `batched`: it was told in a digest; `suppressed`: you wished so, or your address is dead;"
        " `obsolete`: it was not true any more; `dead`: it could not be delivered.",
        *STATES,
        required=True,
    )
    reason = growing("Why, in a word; why it waits, if it is due.", *REASONS, required=True, allow_none=True)
    text = fields.String(required=True, metadata=told("What became of it and why, as a sentence."))
    digest = fields.String(
        required=True, allow_none=True, metadata=told("In which digest it was told: the id of that notification.")
    )
    message_id = fields.String(
        required=True,
        metadata=told("Of the mail, or the `webhook-id`: the same on every try.", examples=["<mfr…@example.org>"]),
    )
    created_at = Time(required=True, metadata=told("When it happened."))
    next_at = Time(required=True, allow_none=True, metadata=told("When it is sent, or tried next, at the earliest."))
    settled_at = Time(required=True, allow_none=True, metadata=told("When that became of it."))
    sent_at = Time(required=True, allow_none=True, metadata=told("When it was accepted by the server that it went to."))
    attempts = fields.List(
        fields.Nested(NotificationAttempt), required=True, metadata=told("Every try, the first one first.")
    )


class NotificationList(Open):
    """A page of notices."""

    items = fields.List(fields.Nested(Notification), required=True)
    next_cursor = fields.String(required=True, allow_none=True, metadata=NEXT_CURSOR)


class TestWish(Closed):
    """By which channel."""

    channel = Word(EMAIL, WEBHOOK, required=True, metadata=told("To my address, or a ping to every webhook of mine."))


class TestsSent(Open):
    """What is on its way."""

    items = fields.List(fields.Nested(Notification), required=True)
