"""What a caller may see of a game: the table, his legal moves, what happened. Nothing in here changes anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

import engine
from server import language
from server.database import reading
from server.errors import GameOver, NotYourDecision, UnknownDecision
from server.models import Account, Decision, Event, Game, Move
from server.said import said
from server.services import archive, drawing, games, waiting
from server.services.accounts import Caller
from server.services.codes import network_of
from server.services.wording import Words

Version = tuple[str | int | None, ...]
Known = Callable[[Version], bool]  # whether the client has that version already
Expects = Callable[[Version], None]  # raises PreconditionFailed when the client wants to change another version


@dataclass(frozen=True)
class Versioned:
    """An answer and what it depends on; no body for a client who has it already."""

    version: Version
    body: dict[str, Any] | str | bytes | None = None


def summary(caller: Caller | None, game_id: str, known: Known) -> Versioned:
    with reading() as session:
        game = games.find(session, game_id, caller)
        version = summary_version(game)
        if known(version):
            return Versioned(version)
        return Versioned(version, games.summary(game, session.get_one(Account, game.host_id)))


def summary_version(game: Game) -> Version:
    """Players may change their names without the game's changing; its host is one of them. What else they change is theirs."""
    return ("summary", game.id, game.version, *games.names(game))


def view(caller: Caller | None, game_id: str, known: Known, at: int | None = None) -> Versioned:
    """The table as the caller may see it; or as he saw it when decision `at` was asked."""
    return _seen(caller, game_id, known, at, "view", lambda game, table: table)


def drawn(caller: Caller | None, game_id: str, known: Known, at: int | None = None) -> Versioned:
    """The same as plain text for people, in the language asked for."""
    return _seen(
        caller, game_id, known, at, "drawing", lambda game, table: Words(language.current()).table(table) + "\n"
    )


def picture(caller: Caller | None, game_id: str, known: Known, width: int, at: int | None = None) -> Versioned:
    """The same as SVG, `width` pixels wide, in the language asked for."""
    return _seen(caller, game_id, known, at, f"svg {width}", lambda game, table: _svg(game, table, width))


def photograph(caller: Caller | None, game_id: str, known: Known, width: int, at: int | None = None) -> Versioned:
    """The same picture as PNG."""
    return _seen(caller, game_id, known, at, f"png {width}", lambda game, table: drawing.png(_svg(game, table, width)))


def _svg(game: Game, table: dict[str, Any], width: int) -> str:
    names = {seat.letter: seat.account.name for seat in game.players}
    return drawing.svg(table, names, language.current(), width)


def _seen(
    caller: Caller | None,
    game_id: str,
    known: Known,
    at: int | None,
    form: str,
    shown: Callable[[Game, dict[str, Any]], Any],
) -> Versioned:
    with reading() as session:
        game = games.find(session, game_id, caller)
        letter = games.viewer_of(game, caller)
        version = view_version(game, letter, form) if at is None else (form, game.id, letter, "at", at)
        version += games.names(game) if form != "view" else ()  # drawings have them
        if known(version):
            return Versioned(version)
        state = games.state_of(game) if at is None else _when_asked(session, game, at)
        return Versioned(version, shown(game, table(game.id, game.decision if at is None else at, state, letter)))


def _when_asked(session: Session, game: Game, number: int) -> engine.State:
    if session.get(Decision, (game.id, number)) is None:
        games.state_of(game)  # before the start this says what is waited for
        raise UnknownDecision(said("the game has not come to decision {number}", number=number))
    return archive.before(session, game, number, when_asked=True)


def view_version(game: Game, letter: str | None, form: str = "view") -> Version:
    """What a view depends on: whose eyes, and how often the game has changed."""
    return (form, game.id, letter, game.version)


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
            raise GameOver(said("nothing more is asked of anybody"))
        if game.asked_seat != letter:
            raise NotYourDecision(
                said("the game waits for seat {seat}, and you have seat {yours}", seat=game.asked_seat, yours=letter)
            )
        moves = engine.legal_moves(state)
        return {
            **(games.waiting_for(game) or {}),
            "game": game.id,
            "items": [_legal(number, move) for number, move in enumerate(moves, 1)],
        }


def _legal(number: int, move: engine.Move) -> dict[str, Any]:
    spoken = Words(language.current()).move(engine.move_json(move), engine.sentence(move))
    return {"number": number, "notation": str(move), "move": engine.move_json(move), "text": spoken}


def events(
    caller: Caller | None, game_id: str, address: str | None, after: int, limit: int, wait: int
) -> dict[str, Any] | None:
    """What happened after event number `after`, as the caller may know it; None when nothing did within `wait` seconds.

    Whoever comes without an account waits in a place of his network's.
    """
    who = caller.account_id if caller else network_of(address) or "this machine"
    return waiting.until(game_id, who, wait, lambda: _events(caller, game_id, after, limit, wait > 0))


def _events(caller: Caller | None, game_id: str, after: int, limit: int, waits: bool) -> waiting.Look:
    with reading() as session:
        game = games.find(session, game_id, caller)
        viewer = games.seat_number(games.viewer_of(game, caller))
        later = select(Event).where(Event.game_id == game.id, Event.number > after).order_by(Event.number).limit(limit)
        items = [told(event, viewer) for event in session.scalars(later)]
        if waits and not items:
            return None, game.last_event
        newest = items[-1]["number"] if items else after
        return {"items": items, "next_after": newest, "more": newest < game.last_event}, game.last_event


def told(event: Event, viewer: int | None) -> dict[str, Any]:
    """An event of the log as that viewer may know it."""
    seen = engine.project(engine.event_from_json(event.data), viewer)
    seen["text"] = Words(language.current()).event(seen)
    return {"number": event.number, "decision": event.decision, "at": event.created_at, **seen}


def moves(caller: Caller | None, game_id: str, after: int, limit: int) -> dict[str, Any]:
    """The answers to the decisions after number `after`, as the caller may know them."""
    with reading() as session:
        game = games.find(session, game_id, caller)
        viewer = games.seat_number(games.viewer_of(game, caller))
        answered = archive.answers(session, game, after, limit)
        items = [answer_told(move, decision.kind, viewer) for move, decision in answered]
        newest = items[-1]["decision"] if items else after
        return {"items": items, "next_after": newest, "more": archive.has_answer_after(session, game, newest)}


def answer_told(move: Move, kind: str, viewer: int | None) -> dict[str, Any]:
    """An answer of the log as that viewer may know it: whether it was his own hand is nobody's business but his."""
    own = games.seat_number(move.seat) == viewer
    return {
        "decision": move.number,
        "seat": move.seat,
        "kind": kind,
        "move": engine.project_move(move.json, own),
        "at": move.made_at,
        "by": move.by if own else None,
    }
