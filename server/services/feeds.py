"""The feed of an account: everything that happened in its games, in the order in which it was committed.

An item gets its number right before the commit, under the lock of the account's counter, which is held until then: so
whoever has read up to a number has missed nothing. The counters are the last locks that a transaction takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import event, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from server import links
from server.database import reading
from server.models import Event, Feed, FeedItem, Game, Seat
from server.services import games, looking, waiting
from server.services.accounts import Caller

INSERT = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
NOTED = "noted"  # under this name a session keeps the items that have no number yet


def note(
    session: Session, game: Game, type: str, now: datetime, first: int | None = None, last: int | None = None
) -> None:
    """Adds an item to the feed of every seat's account. Whatever changes what an account owes or sees of a game is noted.

    `type`: events, or a word for what is no event of the engine; `first` and `last`: numbers of events or messages of that game.
    """
    session.info.setdefault(NOTED, []).extend(
        FeedItem(account_id=account, game_id=game.id, type=type, first=first, last=last, created_at=now)
        for account in (seat.account_id for seat in game.players if seat.account.deleted_at is None)
    )


@event.listens_for(Session, "before_commit")
def _number(session: Session) -> None:
    if session.in_nested_transaction():  # a savepoint: what is to be committed is not complete yet
        return
    items: list[FeedItem] = session.info.pop(NOTED, [])
    if items:
        session.flush()  # all else: the counters are held as short as can be
        numbers = _raise_counters(session, Counter(item.account_id for item in items))
        for item in reversed(items):
            item.number = numbers[item.account_id]
            numbers[item.account_id] -= 1
        session.add_all(items)


def _raise_counters(session: Session, counts: Counter[str]) -> dict[str, int]:
    """Each account's newest number; locked in the order of the ids, lest two transactions wait for each other."""
    rows = [{"account_id": account, "last": count} for account, count in sorted(counts.items())]
    insert: Any = INSERT[session.get_bind().dialect.name](Feed).values(rows)
    last = Feed.__table__.c.last
    raised = insert.on_conflict_do_update(index_elements=["account_id"], set_={"last": last + insert.excluded.last})
    return dict(session.execute(raised.returning(Feed.__table__.c.account_id, last)).all())


def since(caller: Caller, after: int, limit: int, wait: int) -> dict[str, Any] | None:
    """What happened in the caller's games after item `after`; None when nothing did within `wait` seconds."""
    return waiting.until(
        caller.account_id, caller.account_id, wait, lambda: _page(caller.account_id, after, limit, wait > 0)
    )


def _page(account: str, after: int, limit: int, waits: bool) -> waiting.Look:
    with reading() as session:
        newest = session.scalar(select(Feed.last).where(Feed.account_id == account)) or 0
        later = select(FeedItem).where(FeedItem.account_id == account, FeedItem.number > after)
        items = list(session.scalars(later.order_by(FeedItem.number).limit(limit)))
        if waits and not items:
            return None, newest
        read_to = items[-1].number if items else after
        return {"items": _told(session, account, items), "next_after": read_to, "more": read_to < newest}, newest


def _told(session: Session, account: str, items: list[FeedItem]) -> list[dict[str, Any]]:
    """Each item with its events, as the account's seat in that game may know them."""
    happened = {game: _events(session, account, game, items) for game in {item.game_id for item in items}}
    return [
        {
            "number": item.number,
            "game": item.game_id,
            "type": item.type,
            "at": item.created_at,
            "events": _between(happened[item.game_id], item) if item.type == "events" else [],
            "message": item.first if item.type == "message" else None,
            "links": links.of_game(item.game_id),
        }
        for item in items
    ]


def _events(session: Session, account: str, game: str, items: Iterable[FeedItem]) -> list[dict[str, Any]]:
    """All the events of one game that these items speak of."""
    ranges = [(item.first or 0, item.last or 0) for item in items if item.game_id == game and item.type == "events"]
    letter = session.scalar(select(Seat.letter).where(Seat.game_id == game, Seat.account_id == account))
    if not ranges or letter is None:
        return []
    first, last = min(first for first, _ in ranges), max(last for _, last in ranges)
    logged = select(Event).where(Event.game_id == game, Event.number.between(first, last)).order_by(Event.number)
    return [looking.told(event, games.seat_number(letter)) for event in session.scalars(logged)]


def _between(events: list[dict[str, Any]], item: FeedItem) -> list[dict[str, Any]]:
    return [event for event in events if (item.first or 0) <= event["number"] <= (item.last or 0)]
