"""The entry document, the signs of life, the list of problems."""

from __future__ import annotations

from typing import Any

from flask import current_app

from server import limits
from server.api.smorest import Resource
from server.errors import DatabaseUnavailable
from server.schemas import entry as schemas
from server.schemas.base import LONGEST_WAIT
from server.schemas.problems import ProblemList
from server.services import status

blueprint = Resource("entry", __name__, url_prefix="/v1", description="The way in, and whether anybody is at home.")


@blueprint.operation("GET", "", answer=schemas.Entry)
def get_entry() -> dict[str, Any]:
    """The entry document

    Links to everything else, the numbers that a client may run into, the rule sets and the house rules there are.
    """
    return status.entry(current_app.config["GALAPOST"], LONGEST_WAIT)


@blueprint.operation("GET", "/health", answer=schemas.Health, counts_as=limits.UNCOUNTED)
def get_health() -> dict[str, Any]:
    """Is the process alive?

    It touches nothing else; whether the server can do its work tells GET /v1/ready.
    """
    return {"status": "alive"}


@blueprint.operation(
    "GET", "/ready", answer=schemas.Readiness, counts_as=limits.UNCOUNTED, can_fail=(DatabaseUnavailable,)
)
def get_ready() -> dict[str, Any]:
    """Can the server do its work?

    503 only when the database is away or its tables are not of this version. What else is broken is named in `degraded`:
    moves are safe, notices are late.
    """
    return status.ready(current_app.config["GALAPOST"])


@blueprint.operation("GET", "/problems", answer=ProblemList)
def list_problems() -> dict[str, Any]:
    """The closed list of problem codes

    Every error of this server is `application/problem+json` with a `code` out of this list.
    """
    return {"items": status.problems()}
