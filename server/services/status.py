"""What the server tells about itself: the entry document, readiness, the list of problems."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import redis

import engine
from server import __version__, clock, errors, language, links, migrate
from server.config import Settings
from server.database import reading
from server.said import said
from server.services import bots, codes, counting, tokens, webhooks

LARGEST_BODY = 256 * 1024
LATE = timedelta(minutes=2)  # a due delivery that has waited so long says that no worker is listening
PATIENCE = 0.25  # seconds for the broker to answer


def entry(settings: Settings) -> dict[str, Any]:
    return {
        "name": "Galapost",
        "version": __version__,
        "links": {
            "documentation": links.to("/v1/docs/"),
            "openapi": links.to("/v1/openapi.json"),
            "problems": links.to("/v1/problems"),
            "rules": links.to("/v1/rules"),
            "accounts": links.to("/v1/accounts"),
            "me": links.to("/v1/me"),
            "decisions": links.to("/v1/me/decisions"),
            "games": links.to("/v1/games"),
            "bots": links.to("/v1/bots"),
            "webhooks": links.to("/v1/webhooks"),
        },
        "limits": {
            "body_bytes": LARGEST_BODY,
            **{f"{kind.replace('-', '_')}_a_minute": most for kind, most in settings.rates.items()},
            "mails_an_hour_an_address": codes.MAILS_AN_ADDRESS,
            "mails_an_hour_a_network": codes.MAILS_A_NETWORK,
            "webhooks_an_account": webhooks.MOST,
            "tokens_an_account": tokens.MOST,
            "bots_an_account": bots.MOST,
        },
        "options": {name: list(values) for name, values in engine.OPTIONS.items()},
        "languages": list(language.LANGUAGES),
    }


def problems() -> list[dict[str, Any]]:
    """Their texts in the language asked for."""
    return [
        {**vars(problem), "title": language.translated(problem.title), "about": language.translated(problem.about)}
        for problem in errors.PROBLEMS.values()
    ]


def ready(settings: Settings) -> dict[str, Any]:
    """Raises DatabaseUnavailable; everything else is at most degraded."""
    with reading() as session:
        at, head = migrate.current(session.connection()), migrate.head()
        if at != head:
            raise errors.DatabaseUnavailable(
                said(
                    "its tables are at {at}, this server needs {head}: run `python -m server.migrate`", at=at, head=head
                )
            )
        late = counting.oldest_due(session, clock.now()) > LATE.total_seconds()
    degraded = [name for name, broken in (("broker", not _broker_answers(settings)), ("deliveries", late)) if broken]
    return {"status": "ready", "degraded": degraded}


def _broker_answers(settings: Settings) -> bool:
    try:
        with redis.Redis.from_url(
            settings.broker, socket_connect_timeout=PATIENCE, socket_timeout=PATIENCE, retry=None
        ) as broker:
            return bool(broker.ping())
    except (redis.RedisError, OSError, ValueError):
        return False
