from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from server.said import said
from server.schemas.base import LARGEST, UNPRINTABLE, Closed, Open, QueryInteger, Time, characters_expected, told

LONGEST_MESSAGE = 2000  # characters
# Of the signs that are none on paper: the break of a line, and what joins letters in Persian and figures in pictures.
ALLOWED = "\n\u200c\u200d"


class Lines(fields.String):
    """Text of several lines, without what a terminal obeys or what turns a line around."""

    def __init__(self, longest: int, **kwargs: Any) -> None:
        super().__init__(validate=validate.Length(1, longest, error=characters_expected(1, longest)), **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> str:
        text = (super()._deserialize(value, attr, data, **kwargs) or "").replace("\r\n", "\n")
        if any(sign not in ALLOWED and unicodedata.category(sign) in UNPRINTABLE for sign in text):
            raise ma.ValidationError(said("text without control characters is expected"))
        if text and not text.strip():
            raise ma.ValidationError(said("something but blanks is expected"))
        return text


class NewMessage(Closed):
    """Words for the table."""

    text = Lines(
        LONGEST_MESSAGE, required=True, metadata=told("Plain; lines may be broken.", examples=["Nice hunt, that."])
    )


class Message(Open):
    """Words at the table."""

    number = fields.Integer(required=True, metadata=told("Grows by one within a game."))
    seat = fields.String(
        required=True, allow_none=True, metadata=told("Whose words; null when he left the table before the start.")
    )
    name = fields.String(required=True, metadata=told("Of the account."))
    text = fields.String(required=True, metadata=told("As it was written: nothing in it is markup."))
    at = Time(required=True)


class MessageQuery(Closed):
    after = QueryInteger(
        0,
        LARGEST,
        load_default=0,
        metadata=told("Only messages with a greater number: `next_after` of the answer before."),
    )
    limit = QueryInteger(1, 200, load_default=50, metadata=told("How many at most."))


class MessageList(Open):
    """A part of what was said at a table."""

    items = fields.List(fields.Nested(Message), required=True)
    next_after = fields.Integer(
        required=True, metadata=told("Ask again with this as `after`, now or later: nothing is skipped.")
    )
    more = fields.Boolean(required=True, metadata=told("Whether there is more already."))
