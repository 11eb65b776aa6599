"""The header `Link: rel="next"` of lists and feeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from flask import Response, request

from server import links
from server.api.cursors import bound
from server.api.smorest import NEVER_STORE

Page = tuple[dict[str, Any], dict[str, str]]


def page(body: dict[str, Any]) -> Page:
    """A list with its next page, if there is one."""
    if not body["next_cursor"]:
        return body, {}
    cursor = bound(body["next_cursor"])
    return {**body, "next_cursor": cursor}, _next(cursor=cursor)


def feed(body: dict[str, Any]) -> Page:
    """A part of a feed with the next one, if there is more already."""
    return body, _next(after=body["next_after"]) if body["more"] else {}


def waited(form: Callable[[dict[str, Any]], Page], body: dict[str, Any] | None) -> Page | Response:
    """What was waited for, as a page or feed; 204 when nothing has happened, and the client's cursor is still good."""
    if body is None:
        return Response(status=204, headers=NEVER_STORE)
    body, headers = form(body)
    return body, {**headers, **NEVER_STORE}


def _next(**changed: Any) -> dict[str, str]:
    query = urlencode({**request.args.to_dict(), **changed})
    return {"Link": f'<{links.to(request.path)}?{query}>; rel="next"'}
