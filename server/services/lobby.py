"""Games before their first move: made, joined, started."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

import engine
from engine.game import opening
from server import clock, kicking
from server.database import transaction
from server.errors import AlreadySeated, BadOption, GameStarted, InvitationNeeded, NoFreeSeat, NotTheHost, TooFewPlayers
from server.ids import new_id
from server.models import Account, Game, Seat
from server.services import games, notifying, play
from server.services.accounts import Caller

SEED_BYTES = 32
FEWEST_PLAYERS = 2


def create(caller: Caller, seats: int, options: dict[str, str], **switches: Any) -> dict[str, Any]:
    """A new game with its host in the first seat; the commitment to its chance is published with it.

    `switches`: listed, join, spectators, start, as the columns of that name.
    """
    _check_options(options, seats)
    with transaction() as session:
        now = clock.now()
        options = {name: values[0] for name, values in engine.OPTIONS.items()} | options
        game = Game(id=new_id("g"), host_id=caller.account_id, seats=seats, options=options, created_at=now, **switches)
        game.status, game.version, game.last_event = "open", 1, 0
        game.seed = secrets.token_bytes(SEED_BYTES)
        game.commitment = hashlib.sha256(game.seed).hexdigest()
        session.add(game)
        _take_seat(session, game, caller, now)
        return _summary(session, game)


def _check_options(options: dict[str, str], seats: int) -> None:
    try:
        engine.check_options(options, seats)
    except engine.BadOption as error:
        raise BadOption(
            error.detail, errors=[{"in": "body", "pointer": f"/options/{error.option}", "detail": error.detail}]
        ) from error


def _summary(session: Session, game: Game) -> dict[str, Any]:
    return games.summary(game, session.get_one(Account, game.host_id))


def join(caller: Caller, game_id: str) -> dict[str, Any]:
    """Takes the next free seat; the last one starts the game, unless its host wants to."""
    with transaction() as session:
        now = clock.now()
        game = games.lock(session, game_id, caller)
        _may_join(game, caller)
        _take_seat(session, game, caller, now)
        game.version += 1
        if len(game.players) == game.seats and game.start == "automatic":
            begin(session, game, now)
        answer = _summary(session, game)
    kicking.kick()
    return answer


def _may_join(game: Game, caller: Caller) -> None:
    if games.letter_of(game, caller) is not None:
        raise AlreadySeated(f"you have seat {games.letter_of(game, caller)}")
    if len(game.players) == game.seats:
        raise NoFreeSeat(f"all {game.seats} seats are taken")
    if game.status != "open":
        raise GameStarted("nobody can join any more")
    if game.join != "open":
        raise InvitationNeeded("this table is for invited players")


def _take_seat(session: Session, game: Game, caller: Caller, now: datetime) -> None:
    letter = games.LETTERS[len(game.players)]
    account = session.get_one(Account, caller.account_id)
    game.players.append(Seat(game_id=game.id, letter=letter, account_id=account.id, account=account, joined_at=now))
    session.flush()


def start(caller: Caller, game_id: str) -> dict[str, Any]:
    """The host begins with the players who are there; seats that are still free go away."""
    with transaction() as session:
        now = clock.now()
        game = games.lock(session, game_id, caller)
        _may_start(game, caller)
        game.seats = len(game.players)
        _check_options(game.options, game.seats)
        begin(session, game, now)
        answer = _summary(session, game)
    kicking.kick()
    return answer


def _may_start(game: Game, caller: Caller) -> None:
    if game.host_id != caller.account_id:
        raise NotTheHost("only the host starts a game")
    if game.status != "open":
        raise GameStarted("it has begun already")
    if len(game.players) < FEWEST_PLAYERS:
        raise TooFewPlayers(f"{FEWEST_PLAYERS} players are needed, {len(game.players)} is there")


def begin(session: Session, game: Game, now: datetime) -> None:
    """Deals, and asks the first question. The caller holds the lock of the game."""
    state = engine.new_game(game.seed, game.seats, game.options)
    game.status, game.started_at = "running", now
    game.version += 1
    play.append(session, game, opening(state), now)
    play.keep(session, game, state, now)
    notifying.game_started(session, game, now)
