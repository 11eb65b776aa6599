"""What a caller may see of a game: the table, his legal moves, what happened. Nothing in here changes anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

import engine
from server.database import reading
from server.errors import GameOver, NotYourDecision
from server.models import Account, Event, Game
from server.services import games
from server.services.accounts import Caller

Version = tuple[str | int | None, ...]
Known = Callable[[Version], bool]  # whether the client has that version already


@dataclass(frozen=True)
class Versioned:
    """An answer and what it depends on; no body for a client who has it already."""

    version: Version
    body: dict[str, Any] | str | None = None


def summary(caller: Caller | None, game_id: str, known: Known) -> Versioned:
    with reading() as session:
        game = games.find(session, game_id, caller)
        version = ("summary", game.id, game.version)
        if known(version):
            return Versioned(version)
        return Versioned(version, games.summary(game, session.get_one(Account, game.host_id)))


def view(caller: Caller | None, game_id: str, known: Known) -> Versioned:
    """The table as the caller may see it."""
    with reading() as session:
        game = games.find(session, game_id, caller)
        letter = games.viewer_of(game, caller)
        version = view_version(game, letter)
        if known(version):
            return Versioned(version)
        return Versioned(version, table(game.id, game.decision, games.state_of(game), letter))


def view_version(game: Game, letter: str | None) -> Version:
    """What a view depends on: whose eyes, and how often the game has changed."""
    return ("view", game.id, letter, game.version)


def table(game_id: str, decision: int | None, state: engine.State, letter: str | None) -> dict[str, Any]:
    """The engine's view, with what the server adds: which game, and the number of the open decision."""
    return {"game": game_id, "decision": decision, **engine.view(state, games.seat_number(letter))}


def legal_moves(caller: Caller, game_id: str) -> dict[str, Any]:
    """The answers to the caller's own open decision, numbered from 1."""
    with reading() as session:
        game = games.find(session, game_id, caller)
        letter = games.own_letter(game, caller)
        state = games.state_of(game)
        if game.decision is None:
            raise GameOver("nothing more is asked of anybody")
        if game.asked_seat != letter:
            raise NotYourDecision(f"the game waits for seat {game.asked_seat}, and you have seat {letter}")
        moves = engine.legal_moves(state)
        return {
            **(games.waiting_for(game) or {}),
            "game": game.id,
            "items": [_legal(number, move) for number, move in enumerate(moves, 1)],
        }


def _legal(number: int, move: engine.Move) -> dict[str, Any]:
    return {"number": number, "notation": str(move), "move": engine.move_json(move), "text": engine.sentence(move)}


def events(caller: Caller | None, game_id: str, after: int, limit: int) -> dict[str, Any]:
    """What happened after event number `after`, as the caller may know it."""
    with reading() as session:
        game = games.find(session, game_id, caller)
        viewer = games.seat_number(games.viewer_of(game, caller))
        later = select(Event).where(Event.game_id == game.id, Event.number > after).order_by(Event.number).limit(limit)
        items = [told(event, viewer) for event in session.scalars(later)]
        newest = items[-1]["number"] if items else after
        return {"items": items, "next_after": newest, "more": newest < game.last_event}


def told(event: Event, viewer: int | None) -> dict[str, Any]:
    """An event of the log as that viewer may know it."""
    seen = engine.project(engine.event_from_json(event.data), viewer)
    return {"number": event.number, "decision": event.decision, "at": event.created_at, **seen}
