"""flask-smorest as we need it: every override in one place, with the reason.

`Resource.operation` is the one way to make an operation: it composes smorest's decorators in the order that a request
meets them (token, scope, query, body, the function, the answer) and writes all that can happen into the document.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import flask
import flask_smorest
import marshmallow as ma
from flask import g
from flask_smorest.utils import unpack_tuple_response
from werkzeug.http import HTTP_STATUS_CODES

from server import auth, errors, limits
from server.api import cursors, repetition
from server.api.conditions import etag as etag
from server.api.conditions import expects, expects_nothing
from server.api.conditions import known as known
from server.api.strict import StrictParser, read_as_it_is
from server.errors import PROBLEMS, DomainError
from server.schemas.base import NoBody, NoQuery
from server.schemas.problems import Problem
from server.services.accounts import Caller
from server.services.looking import Versioned
from server.services.repeating import Made

PROBLEM_TYPE = "application/problem+json"
MEDIA: dict[str, dict[str, Any]] = {  # what is answered beside JSON: media type → schema
    "text/plain": {"type": "string"},
    "image/svg+xml": {"type": "string"},
    "image/png": {"type": "string", "format": "binary"},
}
CHANGING = ("PUT", "PATCH", "DELETE")
ANYBODY = "anybody"  # in place of scopes: a token may be shown, but need not be
NEVER_STORE = {"Cache-Control": "no-store"}  # of answers with a secret that is shown once
SECURITY = "token"  # the name of the scheme in the document
GUARDED_BY = ("bearer", "basic")  # how a secret that is no token is shown

IF_NONE_MATCH = {
    "in": "header",
    "name": "If-None-Match",
    "description": "The ETag that you have.",
    "schema": {"type": "string"},
}
IF_MATCH = {
    "in": "header",
    "name": "If-Match",
    "description": "The ETag of what you have seen and want to change. When it has changed since, nothing is done (412).",
    "schema": {"type": "string"},
}
IDEMPOTENCY_KEY = {
    "in": "header",
    "name": repetition.HEADER,
    "description": "Of your choice, new for every new request. The same request with the same key makes nothing a second"
    " time within 48 hours: it answers with what was made at the first.",
    "schema": {"type": "string", "minLength": 1, "maxLength": repetition.LONGEST},
}
REPLAYED = {"description": "`true` on a repetition.", "schema": {"type": "string"}}

EMPTY: dict[str, type[ma.Schema]] = {"query": NoQuery, "body": NoBody}

View = Callable[..., Any]
Errors = tuple[type[DomainError], ...]
ALWAYS: Errors = (
    errors.UnknownQueryKey,
    errors.UriTooLong,
    errors.HeadersTooLarge,
    errors.InternalError,
    errors.DatabaseUnavailable,
)
WITH_QUERY: Errors = (errors.InvalidQuery,)
WITH_BODY: Errors = (
    errors.BadRequest,  # chunks that are none, less than was announced
    errors.MalformedJson,
    errors.BodyTooLarge,
    errors.UnsupportedMediaType,
    errors.NullBody,
    errors.InvalidBody,
    errors.UnknownBodyKey,
)
WITH_RAW: Errors = (errors.BadRequest, errors.BodyTooLarge, errors.UnsupportedMediaType)
WITH_KEY: Errors = (errors.InvalidHeader, errors.KeyReused, errors.MadeAndGone)
WITH_TOKEN: Errors = (errors.TokenMissing, errors.TokenUnknown, errors.TokenExpired, errors.TokenRevoked)


class Api(flask_smorest.Api):
    """Errors are `server.problems`', and are listed one by one in the document."""

    ERROR_SCHEMA = Problem
    DEFAULT_ERROR_RESPONSE_NAME = None  # a `default` response says nothing that a client could act on

    def _register_error_handlers(self) -> None:
        """None here: smorest's has a form of its own, and drops `Allow` and `Retry-After`."""

    def _register_doc_blueprint(self) -> None:
        """None here: smorest's pages need scripts from outside; `server.api.documentation` serves bundled ones."""

    def _register_responses(self) -> None:
        """None here: smorest would offer one response a status, as application/json."""

    def _register_etag_headers(self) -> None:
        """None here: our ETags are made of versions before there is a body, smorest's of the body."""

    def _register_pagination_header(self) -> None:
        """None here: our pages have cursors, and no totals."""


class Resource(flask_smorest.Blueprint):
    """A blueprint whose operations are strict."""

    ARGUMENTS_PARSER = StrictParser()

    def operation(
        self,
        verb: str,
        path: str,
        *scopes: str,
        query: type[ma.Schema] | None = None,
        body: type[ma.Schema] | None = None,
        answer: type[ma.Schema] | None = None,
        media: str = "application/json",
        status: int = 200,
        versioned: bool = False,
        replays: bool = False,
        repeatable: bool = False,
        conditional: bool = False,
        waits: bool = False,
        counts_as: str | None = None,
        overlooks_its_body: bool = False,
        raw: tuple[str, int] | None = None,
        guard: Callable[[], None] | None = None,
        can_fail: Errors = (),
    ) -> Callable[[View], View]:
        """`scopes`: one of these is enough; none: no token is read; ANYBODY: the caller may be None.

        `media`: answers with that, of MEDIA; `versioned`: has an ETag, and answers 304; `replays`: answers 200 to a repetition.
        `waits`: may be held, and answers 204 when nothing happened.
        `counts_as`: which limit of requests, if not that of reading or writing.
        `repeatable`: takes an Idempotency-Key; `conditional`: what it changes has an ETag, and the function gets `expects`.
        `overlooks_its_body`: of a POST by programs that send what they please.
        `raw`: media type and largest size of a body that the function gets as bytes; `guard`: who lets somebody in without a token.
        The function gets what it needs by name: `caller`, `query`, `body`, and what is in the path.
        """
        takes_a_body = body is not None or (verb == "POST" and not overlooks_its_body and raw is None)
        can_fail += (errors.RateLimited,) if counts_as != limits.UNCOUNTED else ()
        can_fail += WITH_KEY if repeatable else ()
        can_fail += WITH_RAW if raw is not None else ()
        can_fail += (errors.PreconditionFailed,) if verb in CHANGING else ()
        fails = _failures(scopes, query is not None, takes_a_body, can_fail)
        about = {"status": str(status), "versioned": versioned, "replays": replays, "fails": fails}
        about |= {"repeatable": repeatable, "conditional": verb in CHANGING, "waits": waits, "raw": raw}

        def decorate(function: View) -> View:
            shape = {"schema": MEDIA[media], "content_type": media} if media in MEDIA else {"schema": answer}
            view = _repeatable(function) if repeatable else function
            view = _conditional(view, conditional) if verb in CHANGING else view
            view = self.response(status, **shape)(_answered(view, function, media))
            if takes_a_body:
                view = self._taking(view, "body", body, location="json", required=_something_required(body))
            view = _unread(view, *raw) if raw is not None else view
            view = self._taking(view, "query", query, location="query")
            view = self.doc(**_documented(function, scopes, guard))(_with_caller(view, scopes, counts_as, guard))
            view._apidoc["operation"] = about
            self.route(path, methods=[verb], endpoint=function.__name__)(view)
            return function

        return decorate

    def _taking(self, view: View, name: str, schema: type[ma.Schema] | None, **where: Any) -> Any:
        """Exactly one schema for a place: two with RAISE refuse each other's keys, and none lets everything pass.

        So what an operation does not take is checked to be empty, and then dropped.
        """

        @functools.wraps(view)
        def called(**kwargs: Any) -> Any:
            if schema is None:
                del kwargs[name]
            elif name == "query":
                kwargs[name] = cursors.unbound(kwargs[name])
            return view(**kwargs)

        return self.arguments(schema or EMPTY[name], arg_name=name, **where)(called)

    def _prepare_response_doc(self, doc: Any, doc_info: Any, *, api: Any, spec: Any, **kwargs: Any) -> Any:
        """smorest documents a bare 422; every error here has its media type and its codes."""
        doc = super()._prepare_response_doc(doc, doc_info, api=api, spec=spec, **kwargs)
        doc["responses"] = {str(int(code)): response for code, response in doc["responses"].items() if int(code) < 400}
        about = doc_info["operation"]
        if about["versioned"]:
            _document_version(doc)
        if about["replays"]:
            again = {
                "description": "The same answer was given before: the first response once more",
                "headers": {"Idempotency-Replayed": REPLAYED},
            }
            doc["responses"]["200"] = doc["responses"][about["status"]] | again
        if about["repeatable"]:
            doc["responses"][about["status"]].setdefault("headers", {})["Idempotency-Replayed"] = REPLAYED
            doc.setdefault("parameters", []).append(IDEMPOTENCY_KEY)
        if about["conditional"]:
            doc.setdefault("parameters", []).append(IF_MATCH)
        if about["raw"] is not None:
            doc["requestBody"] = {"required": True, "content": {about["raw"][0]: {"schema": {"type": "string"}}}}
        if about["waits"]:
            doc["responses"]["204"] = {"description": "Nothing has happened: ask again with the same `after`"}
        doc["responses"] |= _problem_responses(about["fails"])
        return doc


def _something_required(body: type[ma.Schema] | None) -> bool:
    return body is not None and any(field.required for field in body().fields.values())


def _failures(scopes: tuple[str, ...], query: bool, body: bool, can_fail: Errors) -> Errors:
    failures = ALWAYS + can_fail
    failures += WITH_QUERY if query else ()
    failures += WITH_BODY if body else ()
    failures += WITH_TOKEN if scopes else ()
    failures += (errors.InsufficientScope,) if scopes and ANYBODY not in scopes else ()
    return tuple(kind for kind in PROBLEMS if kind in failures)  # in the order of the table


def _problem_responses(failures: Errors) -> dict[str, Any]:
    by_status: dict[int, list[str]] = {}
    for failure in failures:
        by_status.setdefault(PROBLEMS[failure].status, []).append(PROBLEMS[failure].code)
    return {str(status): _problem_response(status, codes) for status, codes in sorted(by_status.items())}


def _problem_response(status: int, codes: list[str]) -> dict[str, Any]:
    examples = {code: {"$ref": f"#/components/examples/{code}"} for code in codes}
    return {
        "description": f"{HTTP_STATUS_CODES[status]}: {', '.join(f'`{code}`' for code in codes)}",
        "content": {PROBLEM_TYPE: {"schema": Problem, "examples": examples}},
    }


def _document_version(doc: dict[str, Any]) -> None:
    doc["responses"]["304"] = {"description": "You have this version already"}
    doc.setdefault("parameters", []).append(IF_NONE_MATCH)


def _unread(view: View, media: str, largest: int) -> View:
    @functools.wraps(view)
    def called(**kwargs: Any) -> Any:
        return view(body=read_as_it_is(flask.request, media, largest), **kwargs)

    return called


def _documented(function: View, scopes: tuple[str, ...], guard: Callable[[], None] | None) -> dict[str, Any]:
    """Each scope is a way in; what needs no token says so. A guard is named after the scheme that it wants."""
    ways: list[dict[str, list[str]]] = [{SECURITY: [scope]} for scope in scopes if scope != ANYBODY]
    ways += [{f"{guard.__name__}_{scheme}": []} for scheme in GUARDED_BY] if guard is not None else []
    security = [{}, {SECURITY: []}] if ANYBODY in scopes else ways
    return {"operationId": function.__name__, "security": security}


def _with_caller(view: View, scopes: tuple[str, ...], counts_as: str | None, guard: Callable[[], None] | None) -> View:
    """The token is read first: without the right to ask nobody learns what else was wrong."""

    @functools.wraps(view)
    def guarded(**kwargs: Any) -> Any:
        if guard is not None:
            guard()
        caller = _who_asks(scopes, counts_as)
        if scopes:
            kwargs["caller"] = caller
        return view(**kwargs)

    guarded.counts_its_callers = True  # type: ignore[attr-defined]
    return guarded


def _who_asks(scopes: tuple[str, ...], counts_as: str | None) -> Caller | None:
    """Counted for his account; for his network where there is none, or none that could be read."""
    try:
        g.caller = (auth.anybody() if ANYBODY in scopes else auth.caller()) if scopes else None
    except DomainError:
        limits.count(None, counts_as)
        raise
    limits.count(g.caller, counts_as)
    if g.caller is not None and ANYBODY not in scopes:
        g.caller.needs_one_of(*scopes)
    return g.caller


def _repeatable(function: View) -> View:
    """The caller gets what a repetition is known by."""

    @functools.wraps(function)
    def asked(caller: Any, **kwargs: Any) -> Any:
        return function(caller=repetition.repeatable(caller, function.__name__), **kwargs)

    return asked


def _conditional(view: View, versioned: bool) -> View:
    """If-Match: of what has a version under the lock, by the service."""
    if versioned:
        return functools.partial(view, expects=expects)

    def called(**kwargs: Any) -> Any:
        expects_nothing()
        return view(**kwargs)

    return called


def _answered(view: View, function: View, media: str) -> View:
    """An answer with a version gets its ETag, and is a 304 for who has it; one that was given before says so."""

    @functools.wraps(function)
    def answered(**kwargs: Any) -> Any:
        made, status, headers = unpack_tuple_response(view(**kwargs))
        if isinstance(made, Made):
            return made.body, status, {**(headers or {}), **(repetition.REPLAYED if made.again else {})}
        return _of_a_version(made, media) if isinstance(made, Versioned) else (made, status, headers)

    return answered


def _of_a_version(made: Versioned, media: str) -> Any:
    headers = {"ETag": etag(made.version)}
    if made.body is None:
        return flask.Response(status=304, headers=headers)
    if isinstance(made.body, str | bytes):
        return flask.Response(made.body, headers=headers, mimetype=media)
    return made.body, headers
