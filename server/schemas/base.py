"""The two kinds of schema, and the fields that are stricter than marshmallow's own."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

UNKNOWN = "this key is not known here"
UNPRINTABLE = ("Cc", "Cf", "Zl", "Zp")  # Unicode's control, format (bidi among them), line and paragraph signs
LARGEST = 2**31 - 1  # what both databases hold in an integer column

# What marshmallow says of its own accord, in our words. A field without a word here would speak with Python's accent.
for _kind, _words in {
    fields.Field: {
        "required": "it is required",
        "null": "it must not be null",
        "validator_failed": "another value is expected",
    },
    fields.String: {"invalid": "text is expected", "invalid_utf8": "text in UTF-8 is expected"},
    fields.Email: {"invalid": "an e-mail address is expected"},
    fields.Mapping: {"invalid": "an object is expected"},
    fields.List: {"invalid": "a list is expected"},
    fields.Nested: {"type": "an object is expected"},
}.items():
    _kind.default_error_messages = {**_kind.default_error_messages, **_words}


class Closed(ma.Schema):
    """A request: every key is known, or it is refused (marshmallow's default, said aloud in the document)."""

    class Meta:
        unknown = ma.RAISE

    error_messages = {"unknown": UNKNOWN, "type": "an object is expected"}  # noqa: RUF012 – marshmallow's own form


class Open(ma.Schema):
    """An answer: clients ignore keys that they don't know, and the document allows for them."""

    class Meta:
        unknown = ma.EXCLUDE


class Integer(fields.Integer):
    """A JSON integer: not 1.5, not "1", not true."""

    def __init__(self, least: int, most: int = LARGEST, **kwargs: Any) -> None:
        detail = f"an integer from {least} to {most} is expected"
        range_ = validate.Range(least, most, error=detail)
        super().__init__(
            strict=True, validate=range_, error_messages={"invalid": detail, "too_large": detail}, **kwargs
        )


class Boolean(fields.Boolean):
    """A JSON boolean: not 0, not "yes"."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise ma.ValidationError("true or false is expected")
        return value


def printable(text: str) -> None:
    """No validator of marshmallow's: a pattern in the document would have to mean the same in every language."""
    if any(unicodedata.category(sign) in UNPRINTABLE for sign in text):
        raise ma.ValidationError("one line of text without control characters is expected")


class Text(fields.String):
    """A line of text. What is no sign on paper is refused: PostgreSQL stores no NUL, and the others turn a line around."""

    def __init__(self, longest: int, shortest: int = 1, **kwargs: Any) -> None:
        length = validate.Length(shortest, longest, error=f"{shortest} to {longest} characters are expected")
        super().__init__(validate=[length, printable], **kwargs)


class Word(fields.String):
    """One word of a closed list."""

    def __init__(self, *words: str, **kwargs: Any) -> None:
        super().__init__(validate=validate.OneOf(words, error=f"one of {', '.join(words)} is expected"), **kwargs)


class Whole(validate.Regexp):
    """In Python `$` lets a line break pass; in the document's dialect it does not."""

    def __call__(self, value: Any) -> Any:
        if self.regex.fullmatch(value) is None:
            raise ma.ValidationError(self._format_error(value))
        return value


class Digest(fields.String):
    """A SHA-256 in hex."""

    def __init__(self, **kwargs: Any) -> None:
        shape = Whole("^[0-9a-f]{64}$", error="64 hexadecimal digits in lower case are expected")
        super().__init__(validate=shape, **kwargs)


class QueryInteger(fields.Integer):
    """An integer in a query, written plainly: not +1, not 1_000, not Arabic digits, all of which int() reads."""

    def __init__(self, least: int, most: int = LARGEST, **kwargs: Any) -> None:
        self.detail = f"an integer from {least} to {most} is expected"
        super().__init__(validate=validate.Range(least, most, error=self.detail), **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> int:
        if re.fullmatch(r"-?[0-9]{1,20}", value) is None:
            raise ma.ValidationError(self.detail)
        return int(value)


class QueryBoolean(fields.Boolean):
    """`true` or `false`, and nothing else that marshmallow would take for one."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> bool:
        if value not in ("true", "false"):
            raise ma.ValidationError("true or false is expected")
        return bool(value == "true")


class Time(fields.DateTime):
    """RFC 3339 in UTC, to the millisecond."""

    def _serialize(self, value: datetime | None, attr: str | None, obj: Any, **kwargs: Any) -> str | None:
        return None if value is None else value.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Given(fields.Nested):
    """Part of an answer that the engine has made ready: described in the document, passed on untouched."""

    def _serialize(self, nested_obj: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return nested_obj


def growing(description: str, *examples: str, **kwargs: Any) -> fields.String:
    """A word of a list that may grow: examples instead of an enum, so that no generated client chokes on a new one."""
    return fields.String(metadata={"description": description, "examples": list(examples)}, **kwargs)


def told(description: str, **more: Any) -> dict[str, Any]:
    """The metadata of a field."""
    return {"description": description, **more}


class NoQuery(Closed):
    """Of an operation without parameters."""


class NoBody(Closed):
    """Of an operation that needs nothing said: no body, or an empty object."""


class PageQuery(Closed):
    limit = QueryInteger(1, 200, load_default=50, metadata=told("How many items a page has at most."))
    cursor = Text(500, metadata=told("`next_cursor` of the page before; opaque."))


NEXT_CURSOR = told("Ask for the next page with this as `cursor`; null on the last one.")
