"""A line of the log for every request. Ids only: no bodies, no queries, no tokens, no paths with secrets in them."""

from __future__ import annotations

import time

import flask
import structlog

from server.ids import is_id

log = structlog.get_logger("server.requests")


def register(app: flask.Flask) -> None:
    app.before_request(_start)
    app.after_request(_note)


def _start() -> None:
    flask.g.started = time.perf_counter()


def _note(response: flask.Response) -> flask.Response:
    """The rule, not the path: a path may hold the token of an invitation, or what was pasted there by mistake."""
    caller, game = flask.g.get("caller"), (flask.request.view_args or {}).get("game_id", "")
    log.info(
        "request",
        method=flask.request.method,
        rule=str(flask.request.url_rule or "none"),
        status=response.status_code,
        ms=round((time.perf_counter() - flask.g.started) * 1000, 1),
        account=caller.account_id if caller else None,
        game=game if is_id("g", game) else None,
    )
    return response
