from __future__ import annotations

from marshmallow import fields

from server.schemas.base import Open, growing, told


class Subscription(Open):
    """What one kind of mail is, and whether it is still sent."""

    kind = growing("Of mails.", "your_turn", "game_over", "message", required=True)
    channel = growing("How they come.", "email", required=True)
    subscribed = fields.Boolean(required=True, metadata=told("Whether mails of this kind are still sent."))
    text = fields.String(required=True, metadata=told("The same in a sentence."))
