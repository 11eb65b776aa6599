"""The HTTP skin: an operation is a decorator, a docstring and one call. Start a new one from `webhooks.py`."""

from __future__ import annotations

from server.api import accounts, entry, fairness, games, me, play, webhooks

RESOURCES = (
    entry.blueprint,
    accounts.blueprint,
    me.blueprint,
    games.blueprint,
    play.blueprint,
    fairness.blueprint,
    webhooks.blueprint,
)
