"""The two kinds of schema, and the fields that are stricter than marshmallow's own."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from server.said import Said, said

UNKNOWN = said("this key is not known here")
UNPRINTABLE = ("Cc", "Cf", "Zl", "Zp")  # Unicode's control, format (bidi among them), line and paragraph signs
LARGEST = 2**31 - 1  # what both databases hold in an integer column
LONGEST_WAIT = 60  # seconds

AN_OBJECT = said("an object is expected")
TRUE_OR_FALSE = said("true or false is expected")

# What marshmallow says of its own accord, in our words. A field without a word here would speak with Python's accent.
for _kind, _words in {
    fields.Field: {
        "required": said("it is required"),
        "null": said("it must not be null"),
        "validator_failed": said("another value is expected"),
    },
    fields.String: {"invalid": said("text is expected"), "invalid_utf8": said("text in UTF-8 is expected")},
    fields.Email: {"invalid": said("an e-mail address is expected")},
    fields.Mapping: {"invalid": AN_OBJECT},
    fields.List: {"invalid": said("a list is expected")},
    fields.Nested: {"type": AN_OBJECT},
}.items():
    _kind.default_error_messages = {**_kind.default_error_messages, **_words}


class Closed(ma.Schema):
    """A request: every key is known, or it is refused (marshmallow's default, said aloud in the document)."""

    class Meta:
        unknown = ma.RAISE

    error_messages = {"unknown": UNKNOWN, "type": AN_OBJECT}  # noqa: RUF012 – marshmallow's own form


class Open(ma.Schema):
    """An answer: clients ignore keys that they don't know, and the document allows for them."""

    class Meta:
        unknown = ma.EXCLUDE


def integer_expected(least: int, most: int) -> Said:
    return said("an integer from {least} to {most} is expected", least=least, most=most)


def characters_expected(least: int, most: int) -> Said:
    return said("{least} to {most:character is|characters are} expected", least=least, most=most)


def word_expected(words: Sequence[str]) -> Said:
    return said("one of {words} is expected", words=words)


class Integer(fields.Integer):
    """A JSON integer: not 1.5, not "1", not true."""

    def __init__(self, least: int, most: int = LARGEST, **kwargs: Any) -> None:
        detail = integer_expected(least, most)
        range_ = validate.Range(least, most, error=detail)
        super().__init__(
            strict=True, validate=range_, error_messages={"invalid": detail, "too_large": detail}, **kwargs
        )


class Boolean(fields.Boolean):
    """A JSON boolean: not 0, not "yes"."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise ma.ValidationError(TRUE_OR_FALSE)
        return value


def printable(text: str) -> None:
    """No validator of marshmallow's: a pattern in the document would have to mean the same in every language."""
    if any(unicodedata.category(sign) in UNPRINTABLE for sign in text):
        raise ma.ValidationError(said("one line of text without control characters is expected"))


class Text(fields.String):
    """A line of text. What is no sign on paper is refused: PostgreSQL stores no NUL, and the others turn a line around."""

    def __init__(self, longest: int, shortest: int = 1, **kwargs: Any) -> None:
        length = validate.Length(shortest, longest, error=characters_expected(shortest, longest))
        super().__init__(validate=[length, printable], **kwargs)


class Word(fields.String):
    """One word of a closed list."""

    def __init__(self, *words: str, **kwargs: Any) -> None:
        super().__init__(validate=validate.OneOf(words, error=word_expected(words)), **kwargs)


class Whole(validate.Regexp):
    """In Python `$` lets a line break pass; in the document's dialect it does not."""

    def __call__(self, value: Any) -> Any:
        if self.regex.fullmatch(value) is None:
            raise ma.ValidationError(self.error)
        return value


class Digest(fields.String):
    """A SHA-256 in hex."""

    def __init__(self, **kwargs: Any) -> None:
        shape = Whole("^[0-9a-f]{64}$", error=said("64 hexadecimal digits in lower case are expected"))
        super().__init__(validate=shape, **kwargs)


class Duration(fields.String):
    """ISO 8601 of days to seconds (`P90D`, `PT12H`, `P1DT30M`): months and years are of no certain length."""

    SHAPE = "^P([0-9]{1,5}D|([0-9]{1,5}D)?T([0-9]{1,9}H([0-9]{1,9}M)?([0-9]{1,9}S)?|[0-9]{1,9}M([0-9]{1,9}S)?|[0-9]{1,9}S))$"
    PARTS = re.compile(
        "P(?:(?P<days>[0-9]+)D)?T?(?:(?P<hours>[0-9]+)H)?(?:(?P<minutes>[0-9]+)M)?(?:(?P<seconds>[0-9]+)S)?"
    )

    def __init__(self, least: timedelta, most: timedelta, metadata: dict[str, Any], **kwargs: Any) -> None:
        self.least, self.most = least, most
        self.detail = said(
            "a duration from {least} to {most} is expected, in days to seconds", least=iso(least), most=iso(most)
        )
        shape = {"format": "duration", "pattern": self.SHAPE}
        super().__init__(metadata=shape | metadata, error_messages={"invalid": self.detail}, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs) or ""
        read = self.PARTS.fullmatch(text) if re.fullmatch(self.SHAPE, text) and "\n" not in text else None
        length = timedelta(**{unit: int(count) for unit, count in read.groupdict("0").items()}) if read else None
        if length is None or not self.least <= length <= self.most:
            raise self.make_error("invalid")
        return length

    def _serialize(self, value: timedelta | None, attr: str | None, obj: Any, **kwargs: Any) -> str | None:
        return None if value is None else iso(value)


def iso(length: timedelta) -> str:
    """As short as it goes: `P3D`, `PT12H`, `P1DT30M`; nothing at all is `PT0S`."""
    if not length:
        return "PT0S"
    minutes, seconds = divmod(length.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    time = "".join(f"{count}{unit}" for count, unit in ((hours, "H"), (minutes, "M"), (seconds, "S")) if count)
    days = f"{length.days}D" if length.days else ""
    return f"P{days}T{time}" if time or not days else f"P{days}"


class QueryInteger(fields.Integer):
    """An integer in a query, written plainly: not +1, not 1_000, not Arabic digits, all of which int() reads."""

    def __init__(self, least: int, most: int = LARGEST, **kwargs: Any) -> None:
        self.detail = integer_expected(least, most)
        super().__init__(validate=validate.Range(least, most, error=self.detail), **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> int:
        if re.fullmatch(r"-?[0-9]{1,20}", value) is None:
            raise ma.ValidationError(self.detail)
        return int(value)


class QueryBoolean(fields.Boolean):
    """`true` or `false`, and nothing else that marshmallow would take for one."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> bool:
        if value not in ("true", "false"):
            raise ma.ValidationError(TRUE_OR_FALSE)
        return bool(value == "true")


class Time(fields.DateTime):
    """RFC 3339 in UTC, to the millisecond."""

    def _serialize(self, value: datetime | None, attr: str | None, obj: Any, **kwargs: Any) -> str | None:
        return None if value is None else value.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Moment(fields.DateTime):
    """A time in a request: RFC 3339, with its zone."""

    SHAPE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})")

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> datetime:
        try:
            if self.SHAPE.fullmatch(value) is None:
                raise ValueError("not RFC 3339")
            return datetime.fromisoformat(value).astimezone(UTC)
        except (TypeError, ValueError, OverflowError) as error:
            raise ma.ValidationError(said("a time as in RFC 3339 is expected, with its zone")) from error


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


class WaitQuery(Closed):
    wait = QueryInteger(
        0,
        LONGEST_WAIT,
        load_default=0,
        metadata=told(
            "How many seconds to hold the request while there is nothing new; then 204. Your read timeout must be longer."
        ),
    )


NEXT_CURSOR = told("Ask for the next page with this as `cursor`; null on the last one.")
