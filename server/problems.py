"""Every error as application/problem+json (RFC 9457), the framework's own included."""

from __future__ import annotations

from typing import Any

import flask
import structlog
from sqlalchemy.exc import DBAPIError, OperationalError, TimeoutError
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound, RequestEntityTooLarge, UnsupportedMediaType

from server import errors, language, links
from server.errors import PROBLEMS, DomainError
from server.said import said

MEDIA_TYPE = "application/problem+json"
BUSY_RETRY = 1  # seconds
OUR_FAULT = said("it is in our log; either nothing was changed or all of it: look before you send it again")
REALM = 'Bearer realm="galapost"'

log = structlog.get_logger(__name__)


def register(app: flask.Flask) -> None:
    app.register_error_handler(DomainError, respond)
    app.register_error_handler(HTTPException, _from_framework)
    for failure in (OperationalError, TimeoutError):
        app.register_error_handler(failure, _from_database)
    app.register_error_handler(Exception, _unforeseen)


def respond(error: DomainError) -> flask.Response:
    """In the language of whoever asked. `retry_after` becomes a header; all other members of the error go into the body."""
    problem = PROBLEMS[type(error)]
    members = {name: value for name, value in error.members.items() if name not in ("retry_after", "allow")}
    body = {
        "type": links.to(f"/v1/problems#{problem.code}"),
        "title": language.translated(problem.title),
        "status": problem.status,
        "code": problem.code,
        "detail": language.translated(error.detail),
        **language.all_translated(members),
    }
    response = flask.Response(flask.json.dumps(body), problem.status, _headers(error, problem), content_type=MEDIA_TYPE)
    return response


def _headers(error: DomainError, problem: errors.Problem) -> dict[str, str]:
    headers = {}
    if problem.status == 401:
        headers["WWW-Authenticate"] = (
            REALM
            if isinstance(error, errors.TokenMissing)
            else f'{REALM}, error="invalid_token", error_description="{problem.title}"'
        )
    if isinstance(error, errors.InsufficientScope):
        headers["WWW-Authenticate"] = (
            f'{REALM}, error="insufficient_scope", scope="{" ".join(error.members["needed"])}"'
        )
    if "retry_after" in error.members:
        headers["Retry-After"] = str(error.members["retry_after"])
    if "allow" in error.members:
        headers["Allow"] = error.members["allow"]
    return headers


def _from_framework(error: HTTPException) -> Any:
    """Redirects stay what they are."""
    if error.code is not None and error.code < 400:
        return error
    return respond(_ours(error))


def _ours(error: HTTPException) -> DomainError:
    if isinstance(error, NotFound):
        return errors.NotFound(said("nothing lives at {path}", path=flask.request.path[:200]))
    if isinstance(error, MethodNotAllowed):
        allowed = ", ".join(sorted(error.valid_methods or ()))
        used = said("{allowed} can be used here, not {method}", allowed=allowed, method=flask.request.method)
        return errors.MethodNotAllowed(used, allow=allowed)
    if isinstance(error, RequestEntityTooLarge):
        limit = flask.request.max_content_length
        return errors.BodyTooLarge(said("at most {limit:byte is|bytes are} read", limit=limit), limit=limit)
    if isinstance(error, UnsupportedMediaType):
        return errors.UnsupportedMediaType(said("application/json is expected"))
    return our_fault() if (error.code or 500) >= 500 else errors.BadRequest(said("the request can't be read"))


def _from_database(error: DBAPIError | TimeoutError) -> flask.Response:
    """Away, or locked for longer than our patience: worth another try, which the decision's number makes safe."""
    log.error(
        "database unavailable",
        error=type(error).__name__,
        cause=str(getattr(error, "orig", error)).partition("\n")[0][:200],
    )
    untouched = said("nothing was changed, or it was changed whole")
    return respond(errors.DatabaseUnavailable(untouched, retry_after=BUSY_RETRY))


def _unforeseen(error: Exception) -> flask.Response:
    log.exception("unforeseen", error=type(error).__name__)
    return respond(our_fault())


def our_fault() -> DomainError:
    return errors.InternalError(OUR_FAULT)
