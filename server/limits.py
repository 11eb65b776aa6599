"""How often one may ask: an account, or the network of whoever comes without one.

Flask-Limiter counts on the broker, for all processes together. While the broker is away each process counts in its own
memory: that lets pass more, and refuses nobody who should be served. A request never waits for the broker: what takes longer
than PATIENCE counts as away, and is asked again a second later, then two, then four."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import flask
import structlog
from flask import g, request
from flask_limiter import Limiter, RateLimitExceeded
from redis.backoff import NoBackoff
from redis.retry import Retry

from server import clock
from server.config import Settings
from server.errors import RateLimited
from server.said import said
from server.services.accounts import Caller
from server.services.codes import network_of

WINDOW = 60  # seconds
PATIENCE = 0.025  # seconds for the broker to answer
MOST_AT_ONCE = 1300  # more than the threads in gunicorn.py: Flask-Limiter has no answer to a pool that is exhausted
SIGNING_IN = "signing-in"
UNCOUNTED = "uncounted"  # whoever watches over us asks as often as he likes
READING = frozenset(("GET", "HEAD", "OPTIONS"))

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Limits:
    """Of one app."""

    rates: dict[str, int]
    limiter: Limiter
    count: Callable[[], None]


def register(app: flask.Flask, settings: Settings) -> None:
    if not settings.rates:
        return
    limiter = Limiter(
        key_func=lambda: str(g.counted_for),
        app=app,
        storage_uri=settings.broker,
        storage_options=_impatient(),  # type: ignore[arg-type]  # they go to redis-py as they are
        strategy="fixed-window",
        key_prefix="galapost",
        in_memory_fallback_enabled=True,
        swallow_errors=True,  # of two requests that miss the broker at the same moment it would let the second fail
        headers_enabled=False,
        request_identifier=lambda: request.endpoint or "nothing",
    )
    limiter.request_filter(lambda: "counted_as" not in g)  # its own look comes before the token is read
    rates = dict(settings.rates)
    rate = limiter.shared_limit(lambda: f"{rates[g.counted_as]} per minute", scope=lambda _: str(g.counted_as))
    app.extensions["galapost-limits"] = Limits(rates, limiter, rate(_counted))
    app.before_request(_count_strays)
    app.after_request(_tell)


def _impatient() -> dict[str, object]:
    return {
        "socket_connect_timeout": PATIENCE,
        "socket_timeout": PATIENCE,
        "retry": Retry(NoBackoff(), 0),
        "health_check_interval": 0,
        "max_connections": MOST_AT_ONCE,
    }


def _counted() -> None:
    """What Flask-Limiter guards: having asked."""


def _count_strays() -> None:
    """What is no operation of ours, and so reads no token: the pages, and what does not exist."""
    view = flask.current_app.view_functions.get(request.endpoint or "")
    if getattr(view, "counts_its_callers", False) is False:
        count(None)


def count(caller: Caller | None, kind: str | None = None) -> None:
    """One more request of his. Raises RateLimited when there were too many."""
    limits: Limits | None = flask.current_app.extensions.get("galapost-limits")
    if limits is None or kind == UNCOUNTED:
        return
    g.counted_as = kind or ("reading" if request.method in READING else "writing")
    g.counted_for = caller.account_id if caller else network_of(request.remote_addr) or "this machine"
    try:
        limits.count()
    except RateLimitExceeded as error:
        g.left = (0, *_left(limits)[1:])
        most = limits.rates[g.counted_as]
        raise RateLimited(
            said("at most {most:request|requests} of this kind a minute", most=most), retry_after=g.left[1]
        ) from error
    g.left = _left(limits)


def _left(limits: Limits) -> tuple[int, int]:
    """How many more, and the seconds until there are all again."""
    now = limits.limiter.current_limit
    if now is None:
        return limits.rates[g.counted_as], WINDOW
    try:
        return now.remaining, min(max(1, math.ceil(clock.seconds_until(now.reset_at))), WINDOW)
    except Exception as error:  # the broker went away between the two questions
        log.warning("limits are counted in memory", error=type(error).__name__)
        return limits.rates[g.counted_as], WINDOW


def _tell(response: flask.Response) -> flask.Response:
    """In the form of draft-ietf-httpapi-ratelimit-headers."""
    if "left" in g:
        limits: Limits = flask.current_app.extensions["galapost-limits"]
        kind, (remaining, seconds) = g.counted_as, g.left
        response.headers["RateLimit-Policy"] = f'"{kind}";q={limits.rates[kind]};w={WINDOW}'
        response.headers["RateLimit"] = f'"{kind}";r={remaining};t={seconds}'
    return response
