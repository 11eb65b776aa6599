"""flask-smorest as we need it: every override in one place, with the reason.

`Resource.operation` is the one way to make an operation: it composes smorest's decorators in the order that a request
meets them (token, scope, query, body, the function, the answer) and writes all that can happen into the document.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import flask
import flask_smorest
import marshmallow as ma
from flask import g, request

from server import auth, errors
from server.api.strict import StrictParser
from server.errors import PROBLEMS, DomainError
from server.schemas.base import NoBody, NoQuery
from server.schemas.problems import Problem
from server.services.looking import Version, Versioned

PROBLEM_TYPE = "application/problem+json"
TEXT_TYPE = "text/plain"
TEXT = {"type": "string"}  # its schema
ANYBODY = "anybody"  # in place of scopes: a token may be shown, but need not be
NEVER_STORE = {"Cache-Control": "no-store"}  # of answers with a secret that is shown once
SECURITY = "token"  # the name of the scheme in the document

IF_NONE_MATCH = {
    "in": "header",
    "name": "If-None-Match",
    "description": "The ETag that you have.",
    "schema": {"type": "string"},
}
REPLAYED = {"description": "`true` on a repetition.", "schema": {"type": "string"}}

EMPTY: dict[str, type[ma.Schema]] = {"query": NoQuery, "body": NoBody}

View = Callable[..., Any]
Errors = tuple[type[DomainError], ...]
ALWAYS: Errors = (errors.UnknownQueryKey, errors.InternalError, errors.DatabaseUnavailable)
WITH_QUERY: Errors = (errors.InvalidQuery,)
WITH_BODY: Errors = (
    errors.MalformedJson,
    errors.BodyTooLarge,
    errors.UnsupportedMediaType,
    errors.NullBody,
    errors.InvalidBody,
    errors.UnknownBodyKey,
)
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
        text: bool = False,
        status: int = 200,
        versioned: bool = False,
        replays: bool = False,
        can_fail: Errors = (),
    ) -> Callable[[View], View]:
        """`scopes`: one of these is enough; none: no token is read; ANYBODY: the caller may be None.

        `text`: answers with plain text; `versioned`: has an ETag, and answers 304; `replays`: answers 200 to a repetition.
        The function gets what it needs by name: `caller`, `query`, `body`, and what is in the path.
        """
        takes_a_body = body is not None or verb == "POST"
        fails = _failures(scopes, query is not None, takes_a_body, can_fail)
        about = {"status": str(status), "versioned": versioned, "replays": replays, "fails": fails}

        def decorate(function: View) -> View:
            form = {"schema": TEXT, "content_type": TEXT_TYPE} if text else {"schema": answer}
            view = self.response(status, **form)(_answered(function))
            if takes_a_body:
                view = self._taking(view, "body", body, location="json", required=_something_required(body))
            view = self._taking(view, "query", query, location="query")
            view = self.doc(**_documented(function, scopes))(_with_caller(view, scopes))
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
            return view(**kwargs)

        return self.arguments(schema or EMPTY[name], arg_name=name, **where)(called)

    def _prepare_response_doc(self, doc: Any, doc_info: Any, *, api: Any, spec: Any, **kwargs: Any) -> Any:
        """smorest documents a bare 422; every error here has its media type and its codes."""
        doc = super()._prepare_response_doc(doc, doc_info, api=api, spec=spec, **kwargs)
        doc["responses"] = {str(int(code)): response for code, response in doc["responses"].items() if int(code) < 400}
        about = doc_info["operation"]
        if about["versioned"]:
            _document_version(doc, about["status"])
        if about["replays"]:
            again = {
                "description": "The same answer was given before: the first response once more",
                "headers": {"Idempotency-Replayed": REPLAYED},
            }
            doc["responses"]["200"] = doc["responses"][about["status"]] | again
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
        by_status.setdefault(PROBLEMS[failure].status, []).append(f"`{PROBLEMS[failure].code}`")
    content = {PROBLEM_TYPE: {"schema": Problem}}
    return {
        str(status): {"description": f"{HTTPStatus(status).phrase}: {', '.join(codes)}", "content": content}
        for status, codes in sorted(by_status.items())
    }


def _document_version(doc: dict[str, Any], status: str) -> None:
    doc["responses"][status]["headers"] = {
        "ETag": {"description": "Of this version, for this viewer.", "schema": {"type": "string"}}
    }
    doc["responses"]["304"] = {"description": "You have this version already"}
    doc.setdefault("parameters", []).append(IF_NONE_MATCH)


def _documented(function: View, scopes: tuple[str, ...]) -> dict[str, Any]:
    """What needs no token says so."""
    security: list[dict[str, list[str]]] = [{SECURITY: []}] if scopes else []
    return {"operationId": function.__name__, "security": [{}, *security] if ANYBODY in scopes else security}


def _with_caller(view: View, scopes: tuple[str, ...]) -> View:
    """The token is read first: without the right to ask nobody learns what else was wrong."""

    @functools.wraps(view)
    def guarded(**kwargs: Any) -> Any:
        if ANYBODY in scopes:
            kwargs["caller"] = auth.anybody()
        elif scopes:
            kwargs["caller"] = auth.caller()
            kwargs["caller"].needs_one_of(*scopes)
        g.caller = kwargs.get("caller")
        return view(**kwargs)

    return guarded


def _answered(function: View) -> View:
    """An answer with a version gets its ETag; one whose version the client has is a 304."""

    @functools.wraps(function)
    def answered(**kwargs: Any) -> Any:
        made = function(**kwargs)
        if not isinstance(made, Versioned):
            return made
        headers = {"ETag": etag(made.version)}
        if made.body is None:
            return flask.Response(status=304, headers=headers)
        if isinstance(made.body, str):
            return flask.Response(made.body, headers=headers, content_type=f"{TEXT_TYPE}; charset=utf-8")
        return made.body, headers

    return answered


def etag(version: Version) -> str:
    """Strong, and made of nothing but what the answer depends on: never of a state that the viewer sees only in part."""
    return f'"{hashlib.sha256(repr(version).encode()).hexdigest()[:32]}"'


def known(version: Version) -> bool:
    """Whether the client has this version already; compared weakly, as RFC 9110 wants it for If-None-Match."""
    return request.if_none_match.contains_weak(etag(version).strip('"'))
