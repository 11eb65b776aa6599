"""Waiting: a request is held until what it looks for is there. It holds no connection to the database meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from sqlalchemy import select

from server import waking
from server.database import reading
from server.models import Feed, Game

Look = tuple[dict[str, Any] | None, int]  # what was found, if anything; and the number of the topic at that moment


def until(topic: str, who: str, seconds: int, look: Callable[[], Look]) -> dict[str, Any] | None:
    """What `look` finds, as soon as it finds something; None when that takes longer, or the server is about to stop.

    `topic`: the account or the game whose changes are waited for; `who`: whose place the wait takes, of the four he has.
    """
    if seconds == 0:
        return look()[0]
    ends = time.monotonic() + seconds
    with waking.waiter(topic) as waiter:  # from here on no change is missed
        found, waiter.seen = look()
        if found is None:
            with waking.place(who, ends):
                found = _wait(waiter, ends, look)
        return found


def _wait(waiter: waking.Waiter, ends: float, look: Callable[[], Look]) -> dict[str, Any] | None:
    """Looks once more at the end: a wake-up may have been lost."""
    while (left := ends - time.monotonic()) > 0 and not waiter.is_sent_away:
        waiter.wait(left)
        if not waiter.is_sent_away:
            found, waiter.seen = look()
            if found is not None:
                return found
    return None


def numbers(topics: list[str]) -> dict[str, int]:
    """Of accounts how many items their feeds have, of games how many events: each grows with every change."""
    accounts = select(Feed.account_id, Feed.last).where(Feed.account_id.in_(_beginning_with("u_", topics)))
    games = select(Game.id, Game.last_event).where(Game.id.in_(_beginning_with("g_", topics)))
    with reading() as session:
        return {topic: number for wanted in (accounts, games) for topic, number in session.execute(wanted)}


def _beginning_with(prefix: str, topics: list[str]) -> list[str]:
    return [topic for topic in topics if topic.startswith(prefix)]
