"""The HTTP skin: an operation is a decorator, a docstring and one call. Start a new one from `webhooks.py`."""

from __future__ import annotations

from server.api import (
    accounts,
    bots,
    entry,
    fairness,
    games,
    inbound,
    invitations,
    leaving,
    me,
    messages,
    notifications,
    orders,
    play,
    rules,
    seats,
    tokens,
    unsubscribing,
    users,
    webhooks,
)

RESOURCES = (
    entry.blueprint,
    rules.blueprint,
    accounts.blueprint,
    me.blueprint,
    tokens.blueprint,
    bots.blueprint,
    users.blueprint,
    games.blueprint,
    seats.blueprint,
    invitations.blueprint,
    play.blueprint,
    orders.blueprint,
    leaving.blueprint,
    messages.blueprint,
    notifications.blueprint,
    fairness.blueprint,
    webhooks.blueprint,
    unsubscribing.blueprint,
    inbound.blueprint,
)
