"""Cursors belong to the list that gave them: to any other one they would mean some other place, or none."""

from __future__ import annotations

import hashlib
from typing import Any

from flask import request

from server.api.strict import refused
from server.errors import InvalidQuery
from server.said import said

LENGTH = 8  # of the mark of a list, in front of the cursor


def bound(cursor: str) -> str:
    """With the mark of the list that is being asked for."""
    return _mark() + cursor


def unbound(query: dict[str, Any]) -> dict[str, Any]:
    """A query whose cursor is as the list made it."""
    cursor = query.get("cursor")
    if cursor is None:
        return query
    if not cursor.startswith(_mark()):
        raise refused(InvalidQuery, "query", {("cursor",): said("a cursor as this list gave it is expected")})
    return {**query, "cursor": cursor[LENGTH:]}


def _mark() -> str:
    return hashlib.sha256(request.path.encode()).hexdigest()[:LENGTH]
