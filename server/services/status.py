"""What the server tells about itself: the entry document, readiness, the list of problems."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import redis

import engine
from server import __version__, clock, errors, language, links, migrate, waking
from server.config import Settings
from server.database import reading
from server.said import said
from server.services import bots, codes, counting, rules, tokens, webhooks

LARGEST_BODY = 256 * 1024
LATE = timedelta(minutes=2)  # a due delivery that has waited so long says that no worker is listening
PATIENCE = 0.25  # seconds for the broker to answer
DOORS = {  # all that can be read without knowing the name of something, and where to sign in
    "documentation": "/v1/docs/",
    "openapi": "/v1/openapi.json",
    "problems": "/v1/problems",
    "health": "/v1/health",
    "ready": "/v1/ready",
    "rules": "/v1/rules",
    "accounts": "/v1/accounts",
    "me": "/v1/me",
    "decisions": "/v1/me/decisions",
    "events": "/v1/me/events",
    "invitations": "/v1/me/invitations",
    "notifications": "/v1/me/notifications",
    "deliveries": "/v1/me/deliveries",
    "tokens": "/v1/me/tokens",
    "export": "/v1/me/export",
    "games": "/v1/games",
    "bots": "/v1/bots",
    "webhooks": "/v1/webhooks",
}
TEMPLATES = {
    "game": "/v1/games/{game_id}",
    "user": "/v1/users/{name}",
    "bot": "/v1/bots/{bot_id}",
    "webhook": "/v1/webhooks/{webhook_id}",
    "invitation": "/v1/invitations/{token}",
    "rule_set": "/v1/rules/{rule_set}",
}


def entry(settings: Settings, longest_wait: int) -> dict[str, Any]:
    """`longest_wait`: seconds."""
    return {
        "name": "Galapost",
        "version": __version__,
        "links": {name: links.to(path) for name, path in DOORS.items()},
        "templates": {name: links.to(path) for name, path in TEMPLATES.items()},
        "limits": {**_limits(settings), "seconds_of_a_wait": longest_wait},
        "rule_sets": [rules.named(name) for name in rules.RULE_SETS],
        "options": {name: list(values) for name, values in engine.OPTIONS.items()},
        "languages": list(language.LANGUAGES),
    }


def _limits(settings: Settings) -> dict[str, int]:
    return {
        "body_bytes": LARGEST_BODY,
        **{f"{kind.replace('-', '_')}_a_minute": most for kind, most in settings.rates.items()},
        "waits_an_account": waking.MOST_AN_ACCOUNT,
        "mails_an_hour_an_address": codes.MAILS_AN_ADDRESS,
        "mails_an_hour_a_network": codes.MAILS_A_NETWORK,
        "webhooks_an_account": webhooks.MOST,
        "tokens_an_account": tokens.MOST,
        "bots_an_account": bots.MOST,
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
