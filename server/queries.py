"""Read-only lists, all paged the same way: a cursor is the key of the last item that was given."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Select, func, literal, or_, select, tuple_
from sqlalchemy.orm import aliased, selectinload

from server import links
from server.database import reading
from server.errors import InvalidQuery, TokenMissing
from server.models import (
    Account,
    Bot,
    Decision,
    Delivery,
    Feed,
    Game,
    Invitation,
    Seat,
    Token,
    UtcDateTime,
    WebhookEndpoint,
)
from server.said import said
from server.services import bots, delivery_log, fates, games, invitations, invited, tokens, waiting, webhooks
from server.services.accounts import Caller

Row = TypeVar("Row")
Key = tuple[datetime, str]
Page = dict[str, Any]  # {"items": […], "next_cursor": str | None}


def list_games(
    caller: Caller | None,
    limit: int,
    mine: bool,
    my_turn: bool,
    open: bool,
    bots: bool | None = None,
    status: str | None = None,
    cursor: str | None = None,
) -> Page:
    """Games that are listed, one's own, and those that one is invited to; the newest first."""
    if (mine or my_turn) and caller is None:
        raise TokenMissing(said("`mine` and `my_turn` need a token: whose games?"))
    wanted = select(Game, Account).join(Account, Account.id == Game.host_id).options(selectinload(Game.players))
    wanted = wanted.where(*_filters(caller, status, mine, my_turn, open, bots)).order_by(
        Game.created_at.desc(), Game.id.desc()
    )
    if cursor is not None:
        wanted = wanted.where(tuple_(Game.created_at, Game.id) < _key(cursor))
    with reading() as session:
        rows = [(game, host) for game, host in session.execute(wanted.limit(limit + 1))]
        return _page(rows, limit, lambda row: games.summary(*row), lambda row: (row[0].created_at, row[0].id))


def _filters(
    caller: Caller | None, status: str | None, mine: bool, my_turn: bool, open: bool, bots: bool | None
) -> list[ColumnElement[bool]]:
    filters: list[ColumnElement[bool]] = [_shown_in_lists(caller)]
    if status is not None:
        filters.append(Game.status == status)
    if caller is not None and mine:
        filters.append(_mine(caller))
    if caller is not None and my_turn:
        filters.append(Game.players.any((Seat.account_id == caller.account_id) & (Seat.letter == Game.asked_seat)))
    if open:
        filters.append((Game.status == "open") & (Game.join == "open") & (_seats_taken() < Game.seats))
    if bots is not None:
        with_bots = Game.players.any(Seat.account.has(Account.kind == "bot"))
        filters.append(with_bots if bots else ~with_bots)
    return filters


def _shown_in_lists(caller: Caller | None) -> ColumnElement[bool]:
    if caller is None:
        return Game.listed.is_(True)
    offered = select(Invitation.game_id).where(games.offered_now(caller))
    return or_(Game.listed, _mine(caller), Game.id.in_(offered))


def _mine(caller: Caller) -> ColumnElement[bool]:
    return or_(Game.host_id == caller.account_id, Game.players.any(Seat.account_id == caller.account_id))


def _seats_taken() -> Any:
    return select(func.count()).where(Seat.game_id == Game.id).scalar_subquery()


def my_decisions(
    caller: Caller, limit: int, wait: int, cursor: str | None = None, after: str | None = None
) -> Page | None:
    """Everything that the caller owes, across his games; what has waited longest first.

    None when that is still what `after` stands for, or nothing if there is no `after`, for all of `wait` seconds.
    """
    if cursor is not None:
        return _decisions(caller.account_id, limit, read_cursor(cursor))[0]
    return waiting.until(
        caller.account_id,
        caller.account_id,
        wait,
        lambda: _changed_decisions(caller.account_id, limit, after, wait > 0),
    )


def _changed_decisions(account: str, limit: int, after: str | None, waits: bool) -> waiting.Look:
    page, number = _decisions(account, limit)
    same = page["next_after"] == after if after is not None else waits and not page["items"]
    return None if same else page, number


def _decisions(account: str, limit: int, behind: Key | None = None) -> tuple[Page, int]:
    """With the number of the account's feed at that moment: each change of what it owes stands there too."""
    with reading() as session:
        number = session.scalar(select(Feed.last).where(Feed.account_id == account)) or 0
        owed = sorted(session.scalars(_owed_by(account)), key=_place)
    rest = [decision for decision in owed if behind is None or _place(decision) > behind]
    return _page(rest[: limit + 1], limit, _owed, _place) | {"next_after": _digest(owed)}, number


def _place(decision: Decision) -> Key:
    return decision.opened_at, decision.game_id


def _digest(owed: Iterable[Decision]) -> str:
    """Of all that is told of these decisions: another one as soon as one is opened or closed, or its deadline moved."""
    told = sorted((decision.game_id, *map(str, _announced(decision).values())) for decision in owed)
    digest = hashlib.sha256(json.dumps(told).encode()).digest()
    return base64.urlsafe_b64encode(digest[:16]).decode().rstrip("=")


def _owed_by(account: str) -> Select[tuple[Decision]]:
    return (
        select(Decision)
        .join(Game, (Game.id == Decision.game_id) & (Game.decision == Decision.number))
        .join(Seat, (Seat.game_id == Game.id) & (Seat.letter == Game.asked_seat))
        .where(Seat.account_id == account, Seat.played_by == "player")
    )


def _owed(decision: Decision) -> dict[str, Any]:
    return {
        "game": decision.game_id,
        **_announced(decision),
        "opened_at": decision.opened_at,
        "links": links.of_game(decision.game_id),
    }


def _announced(decision: Decision) -> dict[str, Any]:
    return games.announced(decision.number, decision.seat, decision.kind)


def tokens_of(caller: Caller, limit: int, cursor: str | None = None, bot_id: str | None = None) -> Page:
    """The caller's own, or those of a bot of his; without the revoked ones."""
    with reading() as session:
        if bot_id is not None:
            bots.check_owner(session, caller, bot_id)
        wanted = select(Token).where(Token.account_id == (bot_id or caller.account_id), Token.revoked_at.is_(None))
        if cursor is not None:
            wanted = wanted.where(tuple_(Token.created_at, Token.id) > _key(cursor))
        rows = list(session.scalars(wanted.order_by(Token.created_at, Token.id).limit(limit + 1)))
        return _page(
            rows, limit, lambda token: tokens.described(token, caller), lambda token: (token.created_at, token.id)
        )


def list_bots(caller: Caller | None, limit: int, mine: bool, cursor: str | None = None) -> Page:
    """The oldest first."""
    if mine and caller is None:
        raise TokenMissing(said("`mine` needs a token: whose bots?"))
    owner = aliased(Account)
    wanted = select(Bot, Account, owner).join(Account, Account.id == Bot.account_id)
    wanted = wanted.join(owner, owner.id == Bot.owner_id)
    if mine and caller is not None:
        wanted = wanted.where(Bot.owner_id == caller.account_id)
    if cursor is not None:
        wanted = wanted.where(tuple_(Account.created_at, Account.id) > _key(cursor))
    with reading() as session:
        rows = [tuple(row) for row in session.execute(wanted.order_by(Account.created_at, Account.id).limit(limit + 1))]
        return _page(rows, limit, lambda row: bots.described(*row), lambda row: (row[1].created_at, row[1].id))


def invitations_to(caller: Caller, game_id: str, limit: int, cursor: str | None = None) -> Page:
    """Those that the caller made for a game of his; the oldest first."""
    with reading() as session:
        game = invitations.find_hosted(session, game_id, caller)
        wanted = _by_age(select(Invitation).where(Invitation.game_id == game.id), cursor)
        rows = list(session.scalars(wanted.limit(limit + 1)))
        return _page(rows, limit, lambda row: invitations.shown(session, row), _age)


def my_invitations(caller: Caller, limit: int, cursor: str | None = None) -> Page:
    """Those that the caller may accept without a token; the oldest first."""
    wanted = _by_age(select(Invitation).where(games.offered_now(caller)), cursor)
    with reading() as session:
        rows = list(session.scalars(wanted.limit(limit + 1)))
        return _page(rows, limit, lambda row: invited.shown(session, row, row.id), _age)


def _by_age(wanted: Select[tuple[Invitation]], cursor: str | None) -> Select[tuple[Invitation]]:
    if cursor is not None:
        wanted = wanted.where(tuple_(Invitation.created_at, Invitation.id) > _key(cursor))
    return wanted.order_by(Invitation.created_at, Invitation.id)


def _age(invitation: Invitation) -> Key:
    return invitation.created_at, invitation.id


def my_webhooks(caller: Caller, limit: int, cursor: str | None = None) -> Page:
    wanted = select(WebhookEndpoint).where(WebhookEndpoint.account_id == caller.account_id)
    wanted = wanted.order_by(WebhookEndpoint.created_at, WebhookEndpoint.id)
    if cursor is not None:
        wanted = wanted.where(tuple_(WebhookEndpoint.created_at, WebhookEndpoint.id) > _key(cursor))
    with reading() as session:
        rows = list(session.scalars(wanted.limit(limit + 1)))
        return _page(rows, limit, webhooks.described, lambda endpoint: (endpoint.created_at, endpoint.id))


def deliveries_to(
    caller: Caller, webhook_id: str, limit: int, state: str | None = None, cursor: str | None = None
) -> Page:
    """Everything that was to be sent to a webhook, the newest first, with every attempt."""
    with reading() as session:
        wanted = select(Delivery).where(Delivery.endpoint_id == webhooks.own(session, caller, webhook_id).id)
        if state is not None:
            wanted = wanted.where(Delivery.state == ("leased" if state == "sending" else state))
        if cursor is not None:
            wanted = wanted.where(tuple_(Delivery.created_at, Delivery.id) < _key(cursor))
        wanted = wanted.order_by(Delivery.created_at.desc(), Delivery.id.desc())
        rows = list(session.scalars(wanted.limit(limit + 1)))
        attempts = delivery_log.attempts_of(session, rows)
        return _page(rows, limit, lambda row: delivery_log.told(row, attempts), lambda row: (row.created_at, row.id))


def my_deliveries(
    caller: Caller,
    limit: int,
    channel: str | None = None,
    state: str | None = None,
    game: str | None = None,
    cursor: str | None = None,
) -> Page:
    """Everything that was to be told to the caller, and what became of it; the newest first."""
    wanted = select(Delivery).where(Delivery.account_id == caller.account_id)
    if channel is not None:
        wanted = wanted.where(Delivery.channel == channel)
    if state is not None:
        wanted = wanted.where(Delivery.state == ("leased" if state == "sending" else state))
    if game is not None:
        wanted = wanted.where(Delivery.game_id == game)
    if cursor is not None:
        wanted = wanted.where(tuple_(Delivery.created_at, Delivery.id) < _key(cursor))
    wanted = wanted.order_by(Delivery.created_at.desc(), Delivery.id.desc())
    with reading() as session:
        rows = list(session.scalars(wanted.limit(limit + 1)))
        told = {item["id"]: item for item in fates.described(session, rows)}
        return _page(rows, limit, lambda row: told[row.id], lambda row: (row.created_at, row.id))


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
        return time.astimezone(UTC), id
    except (binascii.Error, ValueError, TypeError, OverflowError, RecursionError) as error:
        detail = said("a cursor as this list gave it is expected")
        raise InvalidQuery(detail, errors=[{"in": "query", "pointer": "/cursor", "detail": detail}]) from error
