"""What we read off a request, stricter than the libraries do, and the errors they raise as ours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NoReturn

import marshmallow as ma
from flask import Request, g
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge
from werkzeug.wsgi import get_input_stream

from server.errors import (
    BadRequest,
    DomainError,
    InvalidBody,
    InvalidQuery,
    MalformedJson,
    NullBody,
    UnknownBodyKey,
    UnknownQueryKey,
    UnsupportedMediaType,
)
from server.said import Said, joined, said
from server.schemas.base import UNKNOWN

MEDIA_TYPE = "application/json"
INVALID: dict[str, type[DomainError]] = {"json": InvalidBody, "query": InvalidQuery}
UNKNOWN_KEY: dict[str, type[DomainError]] = {"json": UnknownBodyKey, "query": UnknownQueryKey}
CALLED = {"json": "body", "query": "query"}
PLACES = {"body": said("the body"), "query": said("the query")}  # as people call them


class NoJson(ValueError):
    """What Python's reader would have let pass; in our words."""

    def __init__(self, text: Said) -> None:
        super().__init__(text)
        self.said = text


class StrictParser(FlaskParser):
    """webargs, where it would be lenient: unknown keys, media types, JSON that is none, repeated parameters."""

    # Each schema says itself that it is closed; by default webargs overrules it for queries.
    DEFAULT_UNKNOWN_BY_LOCATION = {"json": None, "query": None}  # noqa: RUF012 – webargs' own form

    def load_json(self, req: Request, schema: ma.Schema) -> Any:
        """webargs takes a body of another media type for no body at all; it is judged before anything is read."""
        if not has_body(req) and not any(field.required for field in schema.fields.values()):
            g.body_as_sent = {}
            return {}
        if req.mimetype != MEDIA_TYPE:
            came = req.mimetype or said("a body without Content-Type")
            raise UnsupportedMediaType(said("{wanted} is expected, not {came}", wanted=MEDIA_TYPE, came=came))
        _check_coding(req)
        body = read_json(whole_body(req))
        if body is None:
            raise NullBody(said("an object is expected, not null"))
        g.body_as_sent = body  # by which a repetition is known
        return body

    def load_querystring(self, req: Request, schema: ma.Schema) -> Any:
        """As a plain dict: of a parameter that comes twice webargs would take the last."""
        repeated = [name for name, values in req.args.lists() if len(values) > 1]
        if repeated:
            raise refused(InvalidQuery, "query", {(name,): said("it is expected once") for name in repeated})
        return req.args.to_dict()

    def handle_error(self, error: ma.ValidationError, req: Request, schema: ma.Schema, **_: Any) -> NoReturn:
        """webargs would abort with its own 422."""
        ((location, messages),) = error.messages_dict.items()
        faults = dict(_faults(messages))
        only_unknown = all(detail == UNKNOWN for detail in faults.values())
        raise refused((UNKNOWN_KEY if only_unknown else INVALID)[location], CALLED[location], faults)


def read_as_it_is(req: Request, media: str, largest: int) -> bytes:
    """A body of another media type than JSON, whole and unread."""
    if req.mimetype != media:
        came = req.mimetype or said("a body without Content-Type")
        raise UnsupportedMediaType(said("{wanted} is expected, not {came}", wanted=media, came=came))
    _check_no_coding(req)
    req.max_content_length = largest
    return whole_body(req)


def _check_coding(req: Request) -> None:
    """JSON between systems is UTF-8, and we unpack nothing."""
    charset = req.mimetype_params.get("charset", "utf-8").lower()
    if charset not in ("utf-8", "utf8"):
        raise UnsupportedMediaType(said("UTF-8 is expected, not {charset}", charset=charset[:40]))
    _check_no_coding(req)


def _check_no_coding(req: Request) -> None:
    coding = req.headers.get("Content-Encoding", "identity").strip().lower()
    if coding != "identity":
        raise UnsupportedMediaType(
            said("a body without Content-Encoding is expected, not {coding}", coding=coding[:40])
        )


def has_body(req: Request) -> bool:
    """A chunked body has no length; gunicorn marks that it ends somewhere."""
    return bool(req.content_length) or (
        req.content_length is None
        and "wsgi.input_terminated" in req.environ
        and "HTTP_TRANSFER_ENCODING" in req.environ
    )


def whole_body(req: Request) -> bytes:
    """All that was announced, or nothing: a move that was cut on its way may be another move."""
    most = req.max_content_length
    # One byte more than may be: of a chunked body that is too large werkzeug gives the first part and says nothing.
    body = _read(req, None if most is None else most + 1)
    if most is not None and len(body) > most:
        raise RequestEntityTooLarge
    announced = req.content_length or 0
    if len(body) < announced:
        raise BadRequest(
            said("the body ends after {came} of {announced:byte|bytes}", came=len(body), announced=announced)
        )
    return body


def _read(req: Request, most: int | None) -> bytes:
    try:
        return get_input_stream(req.environ, max_content_length=most).read()
    except HTTPException:
        raise
    except Exception as error:  # the server's, each has its own: of chunks that are none, of a line that is cut
        raise BadRequest(said("the body can't be read to its end")) from error


def refused(error: type[DomainError], location: str, faults: dict[tuple[str, ...], str]) -> DomainError:
    """One error with a JSON pointer to everything at fault."""
    errors = [{"in": location, "pointer": pointer(path), "detail": detail} for path, detail in faults.items()]
    told = [
        said("{where}: {what}", where=fault["pointer"] or PLACES.get(location, location), what=fault["detail"])
        for fault in errors[:5]
    ]
    return error(joined(told), errors=errors)


def pointer(path: tuple[str, ...]) -> str:
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in path)


def _faults(messages: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """marshmallow nests its messages as the data are nested; `_schema` is the whole, `key` and `value` are of a dict."""
    if isinstance(messages, dict):
        for step, below in messages.items():
            yield from _faults(below, path if step in ("_schema", "key", "value") else (*path, str(step)))
    else:
        yield path, joined(messages)


def read_json(body: bytes) -> Any:
    """RFC 8259 as written. Python's reader would also take NaN, the last of two equal keys, and half a surrogate pair."""
    try:
        read = json.loads(body.decode("utf-8"), object_pairs_hook=_once_each, parse_constant=_no_constant)
        json.dumps(read, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise MalformedJson(said("JSON in UTF-8 is expected: {fault}", fault=_in_short(error))) from error
    return read


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) < len(pairs):
        raise NoJson(said("a key comes twice"))
    return read


def _no_constant(name: str) -> NoReturn:
    raise NoJson(said("{name} is no JSON", name=name))


def _in_short(error: Exception) -> Said:
    if isinstance(error, UnicodeError):
        return said("a character is no UTF-8")
    if isinstance(error, json.JSONDecodeError):
        return _where(error)
    if isinstance(error, NoJson):
        return error.said
    return said("it is nested too deep") if isinstance(error, RecursionError) else said("a number is too long")


def _where(error: json.JSONDecodeError) -> Said:
    """Without the parser's words: they are Python's, and change with it."""
    if not error.doc.strip():
        return said("the body is empty")
    if error.doc.startswith("\ufeff"):
        return said("it begins with a byte order mark")
    return said("it can't be read from line {line}, column {column} on", line=error.lineno, column=error.colno)
