"""What all services of games share: finding one that the caller may see, locking it, describing it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload, undefer

import engine
from server import links
from server.errors import GameNotStarted, NoSpectators, NotAPlayer, TokenMissing, UnknownGame
from server.ids import is_id
from server.models import Account, Game, Seat
from server.services.accounts import Caller

LETTERS = "ABCDEFGH"


def find(session: Session, game_id: str, caller: Caller | None) -> Game:
    """The game, if it is shown to the caller: to everybody else there is no such game."""
    wanted = select(Game).where(Game.id == game_id).options(selectinload(Game.players))
    return _shown(session.scalar(wanted) if is_id("g", game_id) else None, game_id, caller)


def lock(session: Session, game_id: str, caller: Caller) -> Game:
    """The same for a writer: until the end of the transaction nobody else changes this game."""
    wanted = (
        select(Game)
        .where(Game.id == game_id)
        .options(selectinload(Game.players), undefer(Game.state))
        .with_for_update(of=Game)
    )
    return _shown(session.scalar(wanted) if is_id("g", game_id) else None, game_id, caller)


def _shown(game: Game | None, game_id: str, caller: Caller | None) -> Game:
    if game is None or not (_is_open_to_all(game) or takes_part(game, caller)):
        raise UnknownGame(f"there is no game {game_id[:40]!r} that is shown to you")
    return game


def _is_open_to_all(game: Game) -> bool:
    """An id can't be guessed: whoever has that of a game kept out of lists was given it, and may look whether to join."""
    return game.listed or game.join == "open" or game.spectators == "public"


def takes_part(game: Game, caller: Caller | None) -> bool:
    return caller is not None and (game.host_id == caller.account_id or letter_of(game, caller) is not None)


def letter_of(game: Game, caller: Caller | None) -> str | None:
    """The caller's seat, if he has one."""
    if caller is None:
        return None
    return next((seat.letter for seat in game.players if seat.account_id == caller.account_id), None)


def own_letter(game: Game, caller: Caller) -> str:
    letter = letter_of(game, caller)
    if letter is None:
        raise NotAPlayer("you have no seat in this game")
    return letter


def viewer_of(game: Game, caller: Caller | None) -> str | None:
    """With whose eyes the caller looks: his seat's, or a spectator's (None) where those are let in."""
    letter = letter_of(game, caller)
    if letter is not None and caller is not None:
        caller.needs_one_of("games:play", "games:read")
    elif game.spectators != "public":
        raise (
            NoSpectators("only its players see this table")
            if caller
            else TokenMissing("only its players see this table")
        )
    return letter


def state_of(game: Game) -> engine.State:
    if game.state is None:
        raise GameNotStarted(_what_it_waits_for(game))
    return engine.load(game.state)


def _what_it_waits_for(game: Game) -> str:
    if len(game.players) < game.seats:
        return f"{len(game.players)} of {game.seats} seats are taken"
    silent = [seat.letter for seat in game.players if seat.entropy_commitment is not None and seat.entropy is None]
    if not silent:
        return "all seats are taken; its host has not started it"
    return f"all seats are taken; the entropy that {', '.join(silent)} committed to is still to be revealed"


def seat_number(letter: str | None) -> int | None:
    """A letter as the engine counts seats."""
    return None if letter is None else LETTERS.index(letter)


def summary(game: Game, host: Account) -> dict[str, Any]:
    """What is public about a game: nothing of it is hidden from anybody who may know that it exists."""
    return {
        "id": game.id,
        "status": game.status,
        "host": host.name,
        "seats": game.seats,
        "free_seats": game.seats - len(game.players) if game.status == "open" else 0,
        "players": [_player(seat) for seat in game.players],
        "options": game.options,
        "listed": game.listed,
        "join": game.join,
        "spectators": game.spectators,
        "start": game.start,
        "commitment": game.commitment,
        "waiting_for": waiting_for(game),
        "result": game.result,
        "version": game.version,
        "created_at": game.created_at,
        "started_at": game.started_at,
        "ended_at": game.ended_at,
        "links": links.of_game(game.id),
    }


def _player(seat: Seat) -> dict[str, Any]:
    return {
        "seat": seat.letter,
        "name": seat.account.name,
        "kind": seat.account.kind,
        "entropy": _entropy_in_a_word(seat),
    }


def _entropy_in_a_word(seat: Seat) -> str:
    if seat.entropy_commitment is None:
        return "none"
    return "committed" if seat.entropy is None else "revealed"


def waiting_for(game: Game) -> dict[str, Any] | None:
    """The open decision as everybody may know it."""
    if game.decision is None or game.asked_seat is None or game.question_kind is None:
        return None
    return announced(game.decision, game.asked_seat, game.question_kind)


def announced(decision: int, seat: str, kind: str) -> dict[str, Any]:
    return {"decision": decision, "seat": seat, "kind": kind, "deadline": None}
