"""Read-only lists, all paged the same way: a cursor is the key of the last item that was given."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, func, literal, or_, select, tuple_
from sqlalchemy.orm import selectinload

from server import links
from server.database import reading
from server.errors import InvalidQuery, TokenMissing
from server.models import Account, Decision, Game, Seat, UtcDateTime, WebhookEndpoint
from server.services import games
from server.services.accounts import Caller
from server.services.webhooks import described

Row = TypeVar("Row")
Key = tuple[datetime, str]
Page = dict[str, Any]  # {"items": […], "next_cursor": str | None}


def list_games(
    caller: Caller | None,
    limit: int,
    mine: bool,
    my_turn: bool,
    open: bool,
    status: str | None = None,
    cursor: str | None = None,
) -> Page:
    """Games that are listed, and one's own; the newest first."""
    if (mine or my_turn) and caller is None:
        raise TokenMissing("`mine` and `my_turn` need a token: whose games?")
    wanted = select(Game, Account).join(Account, Account.id == Game.host_id).options(selectinload(Game.players))
    wanted = wanted.where(*_filters(caller, status, mine, my_turn, open)).order_by(
        Game.created_at.desc(), Game.id.desc()
    )
    if cursor is not None:
        wanted = wanted.where(tuple_(Game.created_at, Game.id) < _key(cursor))
    with reading() as session:
        rows = [(game, host) for game, host in session.execute(wanted.limit(limit + 1))]
        return _page(rows, limit, lambda row: games.summary(*row), lambda row: (row[0].created_at, row[0].id))


def _filters(
    caller: Caller | None, status: str | None, mine: bool, my_turn: bool, open: bool
) -> list[ColumnElement[bool]]:
    filters: list[ColumnElement[bool]] = [Game.listed.is_(True) if caller is None else or_(Game.listed, _mine(caller))]
    if status is not None:
        filters.append(Game.status == status)
    if caller is not None and mine:
        filters.append(_mine(caller))
    if caller is not None and my_turn:
        filters.append(Game.players.any((Seat.account_id == caller.account_id) & (Seat.letter == Game.asked_seat)))
    if open:
        filters.append((Game.status == "open") & (Game.join == "open") & (_seats_taken() < Game.seats))
    return filters


def _mine(caller: Caller) -> ColumnElement[bool]:
    return or_(Game.host_id == caller.account_id, Game.players.any(Seat.account_id == caller.account_id))


def _seats_taken() -> Any:
    return select(func.count()).where(Seat.game_id == Game.id).scalar_subquery()


def my_decisions(caller: Caller, limit: int, cursor: str | None = None) -> Page:
    """Everything that the caller owes, across his games; what has waited longest first."""
    wanted = (
        select(Decision)
        .join(Game, (Game.id == Decision.game_id) & (Game.decision == Decision.number))
        .join(Seat, (Seat.game_id == Game.id) & (Seat.letter == Game.asked_seat))
        .where(Seat.account_id == caller.account_id)
        .order_by(Decision.opened_at, Decision.game_id)
    )
    if cursor is not None:
        wanted = wanted.where(tuple_(Decision.opened_at, Decision.game_id) > _key(cursor))
    with reading() as session:
        rows = list(session.scalars(wanted.limit(limit + 1)))
        return _page(rows, limit, _owed, lambda decision: (decision.opened_at, decision.game_id))


def _owed(decision: Decision) -> dict[str, Any]:
    announced = games.announced(decision.number, decision.seat, decision.kind)
    return {
        "game": decision.game_id,
        **announced,
        "opened_at": decision.opened_at,
        "links": links.of_game(decision.game_id),
    }


def my_webhooks(caller: Caller, limit: int, cursor: str | None = None) -> Page:
    wanted = select(WebhookEndpoint).where(WebhookEndpoint.account_id == caller.account_id)
    wanted = wanted.order_by(WebhookEndpoint.created_at, WebhookEndpoint.id)
    if cursor is not None:
        wanted = wanted.where(tuple_(WebhookEndpoint.created_at, WebhookEndpoint.id) > _key(cursor))
    with reading() as session:
        rows = list(session.scalars(wanted.limit(limit + 1)))
        return _page(rows, limit, described, lambda endpoint: (endpoint.created_at, endpoint.id))


def _page(rows: list[Row], limit: int, show: Callable[[Row], dict[str, Any]], key: Callable[[Row], Key]) -> Page:
    """One row more than `limit` was asked for: whether it is there tells whether a next page is."""
    given = rows[:limit]
    return {
        "items": [show(row) for row in given],
        "next_cursor": make_cursor(key(given[-1])) if len(rows) > limit else None,
    }


def make_cursor(key: Key) -> str:
    text = json.dumps([key[0].isoformat(), key[1]])
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _key(cursor: str) -> Any:
    """A cursor, to be compared with the columns that a list is ordered by."""
    at, id = read_cursor(cursor)
    return tuple_(literal(at, UtcDateTime()), literal(id))


def read_cursor(cursor: str) -> Key:
    try:
        at, id = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
        time = datetime.fromisoformat(at)
        if time.tzinfo is None or not (isinstance(id, str) and id.isascii() and id.isprintable()):
            raise ValueError("not a key")
        return time, id
    except (binascii.Error, ValueError, TypeError, RecursionError) as error:
        detail = "a cursor as this list gave it is expected"
        raise InvalidQuery(detail, errors=[{"in": "query", "pointer": "/cursor", "detail": detail}]) from error
