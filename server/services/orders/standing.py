"""The standing orders of a game's seats, in a transaction that holds its lock: what they answer, and what is left of them.

Orders are no part of the game as others see it: nothing here touches its row, its log or a feed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, or_, select
from sqlalchemy.orm import Session

import engine
from server.language import translated
from server.models import Event, Game, Move, StandingOrders
from server.said import Said
from server.services.orders import acting, reasons
from server.services.orders.acting import Circumstances
from server.services.orders.grammar import DEVELOPMENT_MOVES, BadOrders, Orders, read

BY_ORDERS = "orders"
BEGINNINGS = ("turn_began", "last_turn_began")  # of all turns but the first


class Standing:
    """Read once for all the answers of a transaction."""

    def __init__(self, session: Session, game: Game, now: datetime) -> None:
        self._session, self._game, self._now = session, game, now
        given = select(StandingOrders).where(StandingOrders.game_id == game.id).order_by(StandingOrders.seat)
        rows = session.scalars(given.execution_options(populate_existing=True))
        self._rows = {row.seat: row for row in rows if row.lines}
        self._orders: dict[str, Orders] = {}

    def answer(self, seat: str, state: engine.State) -> engine.Move | None:
        """To the open decision of that seat; None: it has to be asked."""
        row = self._rows.get(seat)
        orders = self._read(row) if row is not None else None
        if row is None or orders is None:
            return None
        given = acting.answer(orders, state, self._circumstances(row, orders, state))
        if given.left != orders or given.stopped is not None:
            self._orders[seat] = given.left
            self._keep(row, given)
        return given.move

    def _read(self, row: StandingOrders) -> Orders | None:
        """None for what an earlier version of this server could read, and this one can't: then he is told so."""
        if row.seat not in self._orders:
            try:
                self._orders[row.seat] = read(row.lines)
            except BadOrders as error:
                del self._rows[row.seat]
                row.lines, row.stopped = [], self._stopped(error.detail)
                row.version += 1
                return None
        return self._orders[row.seat]

    def _keep(self, row: StandingOrders, given: acting.Answer) -> None:
        row.lines = given.left.lines()
        row.version += 1
        if given.stopped is not None:
            row.stopped = self._stopped(given.stopped)
        if given.skipped:
            skipped = [{"decision": self._game.decision, "order": move} for move in given.skipped]
            row.skipped = [*since(self._session, row, row.skipped), *skipped]

    def _stopped(self, reason: Said) -> dict[str, Any]:
        return {"reason": reasons.stored(reason), "decision": self._game.decision, "at": self._now.isoformat()}

    def _circumstances(self, row: StandingOrders, orders: Orders, state: engine.State) -> Circumstances:
        """What these orders ask for, and nothing else: each is a look into the log."""
        return Circumstances(
            attacked=bool(orders.queue) and "attacked" in orders.stop_when and self._attacked(row),
            turn_changed=state.turn != row.given_turn,
            cards_played=0 if orders.pass_after is None else self._cards_played(row.seat),
        )

    def _attacked(self, row: StandingOrders) -> bool:
        attacks = select(Event.data).where(
            Event.game_id == row.game_id, Event.type == "attacked", Event.number > row.given_event
        )
        return any(data["facts"]["target"].startswith(row.seat) for data in self._session.scalars(attacks))

    def _cards_played(self, seat: str) -> int:
        """In this turn."""
        began = select(func.max(Event.decision)).where(Event.game_id == self._game.id, Event.type.in_(BEGINNINGS))
        played = select(func.count()).where(
            Move.game_id == self._game.id,
            Move.seat == seat,
            Move.number > (self._session.scalar(began) or 0),
            or_(*(Move.notation.startswith(f"{word} ") for word in DEVELOPMENT_MOVES)),
        )
        return self._session.scalar(played) or 0


def kept(row: StandingOrders) -> Orders:
    """What is left of them; nothing of what can't be read any more."""
    try:
        return read(row.lines)
    except BadOrders:
        return Orders()


def last_by_hand(session: Session, game_id: str, seat: str) -> int:
    """The decision that the seat's player answered himself last; 0: none yet."""
    mine = select(func.max(Move.number)).where(Move.game_id == game_id, Move.seat == seat, Move.by == "hand")
    return session.scalar(mine) or 0


def since(session: Session, row: StandingOrders, told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What of it is news to its player: since he moved last, he knows of no more."""
    last = last_by_hand(session, row.game_id, row.seat) if told else 0
    return [one for one in told if one["decision"] > last]


def acted(session: Session, game_id: str, seat: str) -> list[Move]:
    """What the orders of a seat answered since its player moved last."""
    last = last_by_hand(session, game_id, seat)
    by_orders = select(Move).where(Move.game_id == game_id, Move.seat == seat, Move.by == BY_ORDERS, Move.number > last)
    return list(session.scalars(by_orders.order_by(Move.number)))


def told(session: Session, game_id: str, seat: str, language: str) -> dict[str, Any] | None:
    """What became of them since their player moved last, for a letter to him; None: nothing did."""
    row = session.get(StandingOrders, (game_id, seat))
    stopped = since(session, row, [row.stopped] if row.stopped is not None else []) if row is not None else []
    news = {
        "acted": [(move.number, move.notation) for move in acted(session, game_id, seat)],
        "skipped": [one["order"] for one in since(session, row, row.skipped)] if row is not None else [],
        "stopped": [translated(reasons.again(one["reason"]), language) for one in stopped],
    }
    return news if any(news.values()) else None


def forget(session: Session, game: Game, seat: str | None = None) -> None:
    """Of a seat that is played by somebody else from now on; of all, when the game is over."""
    gone = delete(StandingOrders).where(StandingOrders.game_id == game.id)
    session.execute(gone if seat is None else gone.where(StandingOrders.seat == seat))
