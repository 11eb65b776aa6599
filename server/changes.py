"""What a transaction changes, gathered from its session; who waits for it is woken after the commit.

So no service has to think of it. Registered in `database.py`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from server import waking
from server.models import FeedItem, Game, Message, Seat

CHANGED = "changed"  # under this name a session keeps the topics


def gather(session: Session, _: Any) -> None:
    """After each flush: what was new, changed or deleted in it."""
    changed = session.info.setdefault(CHANGED, set())
    for row in (*session.new, *session.dirty, *session.deleted):
        changed.update(_topics(session, row))


def announce(session: Session) -> None:
    """After the commit of the whole, not of a savepoint in it."""
    if not session.in_nested_transaction() and (topics := session.info.pop(CHANGED, None)):
        waking.announce(topics)


def _topics(session: Session, row: Any) -> Iterator[str]:
    """The games and accounts whose waiters want to know."""
    if isinstance(row, Game):
        yield row.id
        yield from _players(session, row)
    elif isinstance(row, Seat | FeedItem):
        yield row.game_id
        yield row.account_id
    elif isinstance(row, Message):
        yield row.game_id


def _players(session: Session, game: Game) -> Iterator[str]:
    """Whoever changes a game has its seats at hand, as a rule."""
    if "players" in vars(game):
        yield from (seat.account_id for seat in game.players)
    else:
        yield from session.scalars(select(Seat.account_id).where(Seat.game_id == game.id))
