"""A player's standing orders: looked at, given, added to, withdrawn. Nobody else learns that there are any."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

import engine
from server import clock, kicking, language
from server.database import reading, transaction
from server.errors import BadOrders, HasResigned
from server.models import Game, Move, StandingOrders
from server.said import said
from server.services import cascade, games
from server.services.accounts import Caller
from server.services.looking import Expects, Known, Version, Versioned
from server.services.orders import grammar, reasons, standing
from server.services.orders.grammar import Orders

Noting = Callable[[Session], None]


def look(caller: Caller, game_id: str, known: Known) -> Versioned:
    """What is left of them, and what they did since their player moved last."""
    with reading() as session:
        game = games.find(session, game_id, caller)
        letter = _seat_of_a_running_game(game, caller)
        row = session.get(StandingOrders, (game.id, letter))
        version = _version(session, game, letter, row)
        return Versioned(version, None if known(version) else _described(session, game, letter, row))


def give(
    caller: Caller, game_id: str, lines: Sequence[str], expects: Expects, noting: Noting | None = None
) -> Versioned:
    """These in place of all there were. Raises BadOrders. `noting`: what else is to be written with them."""
    return _change(caller, game_id, lines, expects, False, noting)


def add(caller: Caller, game_id: str, lines: Sequence[str], expects: Expects) -> Versioned:
    """These after those that are left. Raises BadOrders."""
    return _change(caller, game_id, lines, expects, add=True)


def withdraw(caller: Caller, game_id: str, expects: Expects) -> None:
    _change(caller, game_id, (), expects, add=False)


def _change(
    caller: Caller, game_id: str, lines: Sequence[str], expects: Expects, add: bool, noting: Noting | None = None
) -> Versioned:
    """They act at once when a decision of their player is open."""
    with transaction() as session:
        now = clock.now()
        game = games.lock(session, game_id, caller)
        letter = _seat_of_a_running_game(game, caller)
        row = session.get(StandingOrders, (game.id, letter), populate_existing=True)
        expects(_version(session, game, letter, row))
        orders = _read(lines, standing.kept(row) if row is not None and add else None)
        state = games.state_of(game)
        if row is not None or orders != Orders():
            _keep(session, game, letter, row, orders, state, now)
        if game.asked_seat == letter and cascade.look_again(session, game, state, now):
            game.version += 1
        session.flush()
        if noting is not None:
            noting(session)
        row = session.get(StandingOrders, (game.id, letter))
        answer = Versioned(_version(session, game, letter, row), _described(session, game, letter, row))
    kicking.kick()
    return answer


def _seat_of_a_running_game(game: Game, caller: Caller) -> str:
    seat = games.own_seat(game, caller)
    games.check_runs(game)
    if seat.resigned_at is not None:
        raise HasResigned(said("you have resigned: the house plays for you"))
    return seat.letter


def _read(lines: Sequence[str], known: Orders | None) -> Orders:
    try:
        return grammar.read(lines, known)
    except grammar.BadOrders as error:
        fault = {"in": "body", "pointer": f"/lines/{error.line - 1}", "column": error.column, "detail": error.detail}
        text = said("line {line}, column {column}: {fault}", line=error.line, column=error.column, fault=error.detail)
        raise BadOrders(text, errors=[fault]) from error


def _keep(
    session: Session,
    game: Game,
    letter: str,
    row: StandingOrders | None,
    orders: Orders,
    state: engine.State,
    now: datetime,
) -> None:
    """The row stays when they are withdrawn: a version must not come a second time."""
    if row is None:
        row = StandingOrders(game_id=game.id, seat=letter, version=0)
        session.add(row)
    row.lines, row.stopped, row.skipped = orders.lines(), None, []
    row.given_at, row.given_turn, row.given_event = now, state.turn, game.last_event
    row.version += 1


def _version(session: Session, game: Game, letter: str, row: StandingOrders | None) -> Version:
    """What they did depends on the answers of this seat: by a hand's answer it is forgotten."""
    newest = session.scalar(select(func.max(Move.number)).where(Move.game_id == game.id, Move.seat == letter))
    return ("orders", game.id, letter, row.version if row is not None else 0, newest)


def _described(session: Session, game: Game, letter: str, row: StandingOrders | None) -> dict[str, Any]:
    orders = standing.kept(row) if row is not None else Orders()
    return {
        "lines": orders.lines(),
        "queue": list(orders.queue),
        "defend": list(orders.defend),
        "scavenge": list(orders.scavenge),
        "share": list(orders.share),
        "pass_after": orders.pass_after,
        "pass_when_empty": orders.pass_empty,
        "pass_when_fed": orders.pass_fed,
        "stop_when": list(orders.stop_when),
        "if_illegal": "skip" if orders.skip_illegal else "stop",
        "given_at": row.given_at if row is not None and row.lines else None,
        "stopped": _stopped(row),
        "skipped": standing.since(session, row, row.skipped) if row is not None else [],
        "acted": [_answer(move) for move in standing.acted(session, game.id, letter)],
    }


def _stopped(row: StandingOrders | None) -> dict[str, Any] | None:
    if row is None or row.stopped is None:
        return None
    text = language.translated(reasons.again(row.stopped["reason"]))
    return {"text": text, "decision": row.stopped["decision"], "at": datetime.fromisoformat(row.stopped["at"])}


def _answer(move: Move) -> dict[str, Any]:
    return {"decision": move.number, "move": move.json}
