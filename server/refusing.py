"""What gunicorn can't read, or won't, answered as a problem like all others."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import structlog
from gunicorn.http import errors as unreadable

from server import headers, problems
from server.errors import BadRequest, DomainError, ExpectationFailed, HeadersTooLarge, UriTooLong
from server.said import said

OURS = (unreadable.ConfigurationProblem, unreadable.InvalidResponseHeader, unreadable.InvalidResponseHeaderName)

log = structlog.get_logger(__name__)


def answer(fault: BaseException, limits: Any) -> bytes:
    """As it goes over the wire. `limits`: gunicorn's settings."""
    error = refusal(fault, limits)
    if error is None:
        log.error("gunicorn failed", exc_info=fault)
        error = problems.our_fault()
    else:
        log.info("unreadable", error=type(fault).__name__)  # without its words: they quote the request
    return _on_the_wire(error)


def refusal(fault: BaseException, limits: Any) -> DomainError | None:
    """What was wrong with the request; None when the fault is not the client's."""
    if isinstance(fault, unreadable.LimitRequestLine):
        most = limits.limit_request_line
        return UriTooLong(said("at most {most:byte is|bytes are} read of the first line of a request", most=most))
    if isinstance(fault, unreadable.LimitRequestHeaders):
        most, longest = limits.limit_request_fields, limits.limit_request_field_size
        return HeadersTooLarge(said("at most {most} headers of {longest} bytes are read", most=most, longest=longest))
    if isinstance(fault, unreadable.ExpectationFailed):
        return ExpectationFailed(said("only {known} can be expected", known="100-continue"))
    if isinstance(fault, unreadable.ParseException) and not isinstance(fault, OURS):
        return BadRequest(said("this is no HTTP as it is read here"))
    return None


def _on_the_wire(error: DomainError) -> bytes:
    response = headers.add(problems.respond(error))
    response.headers["Connection"] = "close"
    status = f"HTTP/1.1 {response.status_code} {HTTPStatus(response.status_code).phrase}"
    lines = [status, *(f"{name}: {value}" for name, value in response.headers)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + response.get_data()
