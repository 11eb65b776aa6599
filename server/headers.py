"""The headers that all answers have in common: for caches, and for browsers of other sites."""

from __future__ import annotations

import flask

ALLOWED_HEADERS = "Authorization, Content-Type, Accept-Language, If-None-Match, If-Match, Idempotency-Key"
EXPOSED_HEADERS = (
    "Date, ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Idempotency-Replayed, WWW-Authenticate"
)
PREFLIGHT_SECONDS = 86400


def register(app: flask.Flask) -> None:
    app.before_request(_preflight)
    app.after_request(add)


def _preflight() -> flask.Response | None:
    """A browser asks before it sends a token from another site; a path that does not exist is 404 to it, too."""
    asked = flask.request
    if asked.method != "OPTIONS" or asked.url_rule is None:
        return None
    response = flask.current_app.make_default_options_response()
    del response.headers["Content-Type"]  # there is none
    if "Access-Control-Request-Method" not in asked.headers:
        return response
    response.headers["Access-Control-Allow-Methods"] = ", ".join(sorted(response.allow))
    response.headers["Access-Control-Allow-Headers"] = ALLOWED_HEADERS
    response.headers["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
    return response


def add(response: flask.Response) -> flask.Response:
    """Any site may ask: it is the token that opens, never a cookie."""
    response.headers.setdefault("Cache-Control", "private, no-cache")
    response.vary.update(("Authorization", "Accept", "Accept-Language"))
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    return response
