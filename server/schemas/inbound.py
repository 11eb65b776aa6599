from __future__ import annotations

from marshmallow import fields

from server.schemas.base import Closed, Open, Text, told


class Addressed(Closed):
    recipient = Text(
        320,
        metadata=told("Of the envelope: one address. Without it the headers of the letter have to say whom it is for."),
    )


class TakenIn(Open):
    """A letter that was stored, and is looked at soon."""

    letter = fields.String(required=True, metadata=told("Its id: the same when it comes again."))
