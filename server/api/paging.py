"""The header `Link: rel="next"` of lists and feeds."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from flask import request

from server import links

Page = tuple[dict[str, Any], dict[str, str]]


def page(body: dict[str, Any]) -> Page:
    """A list with its next page, if there is one."""
    return body, _next(cursor=body["next_cursor"]) if body["next_cursor"] else {}


def feed(body: dict[str, Any]) -> Page:
    """A part of a feed with the next one, if there is more already."""
    return body, _next(after=body["next_after"]) if body["more"] else {}


def _next(**changed: Any) -> dict[str, str]:
    query = urlencode({**request.args.to_dict(), **changed})
    return {"Link": f'<{links.to(request.path)}?{query}>; rel="next"'}
