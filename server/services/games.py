"""What all services of games share: finding one that the caller may see, locking it, describing it.

Shown to everybody is a game that lists show, that everybody may join, or whose table everybody may look at; a game that
is none of that only to its host, its players, and before the start to whom a seat is offered. Who holds the link of an
invitation sees the game through that link, and through nothing else."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.orm import Session, selectinload, undefer

import engine
from server import clock, links
from server.errors import (
    BadOption,
    GameNotStarted,
    GameOver,
    GameStarted,
    NoSpectators,
    NotAPlayer,
    NotTheHost,
    TokenMissing,
    UnknownGame,
)
from server.ids import is_id
from server.models import Account, Game, Invitation, Seat
from server.said import Said, said
from server.services.accounts import Caller

LETTERS = "ABCDEFGH"


def names(game: Game) -> tuple[str, ...]:
    """Of its players, which change while the game does not."""
    return tuple(seat.account.name for seat in game.players)


def find(session: Session, game_id: str, caller: Caller | None) -> Game:
    """The game, if it is shown to the caller: to everybody else there is no such game."""
    wanted = select(Game).where(Game.id == game_id).options(selectinload(Game.players))
    return _shown(session, session.scalar(wanted) if is_id("g", game_id) else None, game_id, caller)


def lock(session: Session, game_id: str, caller: Caller) -> Game:
    """The same for a writer: until the end of the transaction nobody else changes this game."""
    return _shown(session, locked(session, game_id) if is_id("g", game_id) else None, game_id, caller)


def locked(session: Session, game_id: str) -> Game | None:
    """The game as it is under its lock, for who need not be asked whether it is shown to him.

    `key_share`: rows that name the game may be written beside it, else whoever holds a notice and stores its text, and whoever
    moves and replaces that notice, would wait for each other.
    """
    wanted = select(Game).where(Game.id == game_id).options(selectinload(Game.players), undefer(Game.state))
    return session.scalar(wanted.with_for_update(of=Game, key_share=True).execution_options(populate_existing=True))


def hosted(session: Session, game_id: str, caller: Caller) -> Game:
    """The caller's own game, locked, before its start."""
    game = lock(session, game_id, caller)
    if game.host_id != caller.account_id:
        raise NotTheHost(said("only the host of a game may do this"))
    check_not_started(game)
    return game


def check_not_started(game: Game) -> None:
    if game.status == "cancelled":
        raise GameOver(said("the game was cancelled"))
    if game.status != "open":
        raise GameStarted(said("the game has begun already"))


def check_options(options: dict[str, str], seats: int) -> None:
    try:
        engine.check_options(options, seats)
    except engine.BadOption as error:
        fault = {"in": "body", "pointer": f"/options/{error.option}", "detail": error.detail}
        raise BadOption(error.detail, errors=[fault]) from error


def _shown(session: Session, game: Game | None, game_id: str, caller: Caller | None) -> Game:
    if game is None or not (_is_open_to_all(game) or takes_part(game, caller) or _is_offered(session, game, caller)):
        raise UnknownGame(said("there is no game {game} that is shown to you", game=repr(game_id[:40])))
    return game


def _is_open_to_all(game: Game) -> bool:
    """An id can't be guessed: whoever has that of a game kept out of lists was given it, and may look whether to join."""
    return game.listed or game.join == "open" or game.spectators == "public"


def _is_offered(session: Session, game: Game, caller: Caller | None) -> bool:
    """Before the start: who may take a seat looks at the table first."""
    if caller is None:
        return False
    offers = select(Invitation.id).where(Invitation.game_id == game.id, offered_now(caller))
    return session.scalar(offers.limit(1)) is not None


def offered_to(caller: Caller, now: datetime) -> ColumnElement[bool]:
    """That an invitation stands, and is for the caller's account or for its address."""
    address = select(Account.email).where(Account.id == caller.account_id).scalar_subquery()
    his = or_(Invitation.account_id == caller.account_id, Invitation.email == address)
    return his & (Invitation.state == "open") & (Invitation.expires_at > now)


def offered_now(caller: Caller) -> ColumnElement[bool]:
    return offered_to(caller, clock.now())


def takes_part(game: Game, caller: Caller | None) -> bool:
    return caller is not None and (game.host_id == caller.account_id or letter_of(game, caller) is not None)


def letter_of(game: Game, caller: Caller | None) -> str | None:
    """The caller's seat, if he has one."""
    if caller is None:
        return None
    return next((seat.letter for seat in game.players if seat.account_id == caller.account_id), None)


def own_letter(game: Game, caller: Caller) -> str:
    return own_seat(game, caller).letter


def own_seat(game: Game, caller: Caller) -> Seat:
    seat = next((seat for seat in game.players if seat.account_id == caller.account_id), None)
    if seat is None:
        raise NotAPlayer(said("you have no seat in this game"))
    return seat


def viewer_of(game: Game, caller: Caller | None) -> str | None:
    """With whose eyes the caller looks: his seat's, or a spectator's (None) where those are let in."""
    letter = letter_of(game, caller)
    if letter is not None and caller is not None:
        caller.needs_one_of("games:play", "games:read")
    elif game.spectators != "public":
        raise (
            NoSpectators(said("only its players see this table"))
            if caller
            else TokenMissing(said("only its players see this table"))
        )
    return letter


def check_runs(game: Game) -> None:
    if game.status == "open":
        raise GameNotStarted(_what_it_waits_for(game))
    if game.status != "running":
        raise GameOver(said("nothing more is asked of anybody"))


def state_of(game: Game) -> engine.State:
    if game.state is None:
        raise GameNotStarted(_what_it_waits_for(game))
    return engine.load(game.state)


def _what_it_waits_for(game: Game) -> Said:
    if game.status == "cancelled":
        return said("it was called off before the cards were dealt")
    if len(game.players) < game.seats:
        return said("{taken} of {count:seat is|seats are} taken", taken=len(game.players), count=game.seats)
    silent = [seat.letter for seat in game.players if seat.entropy_commitment is not None and seat.entropy is None]
    if not silent:
        return said("all seats are taken; its host has not started it")
    return said("all seats are taken; the entropy that {silent} committed to is still to be revealed", silent=silent)


def seat_number(letter: str | None) -> int | None:
    """A letter as the engine counts seats."""
    return None if letter is None else LETTERS.index(letter)


def about(session: Session, game: Game) -> dict[str, Any]:
    """The summary, with the host looked up."""
    return summary(game, session.get_one(Account, game.host_id))


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
        "own_bots": game.own_bots,
        "commitment": game.commitment,
        "waiting_for": waiting_for(game),
        "result": game.result,
        "ended_by": game.ended_by,
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
        "played_by": seat.played_by,
        "resigned": seat.resigned_at is not None,
        "cancels": seat.cancels_at is not None,
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
