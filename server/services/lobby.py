"""Games before their first move: made, joined, started.

Entropy: a player may commit to a text of his own, by its SHA-256, as he takes his seat. He reveals it when all seats are
taken, and not before: whoever chooses the last commitment must know none of the texts, or together with somebody who
knows the seed he could choose among deals. So the reveals close with the deal, and open with the last seat."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

import engine
from server import clock, kicking
from server.database import transaction
from server.errors import (
    AlreadySeated,
    BadOption,
    GameStarted,
    InvitationNeeded,
    NoEntropyCommitted,
    NoFreeSeat,
    NotTheHost,
    SeatsStillFree,
    TooFewPlayers,
    WrongEntropy,
)
from server.ids import new_id
from server.models import Account, Game, Seat
from server.services import archive, games, notifying, play
from server.services.accounts import Caller

SEED_BYTES = 32
FEWEST_PLAYERS = 2


def create(
    caller: Caller, seats: int, options: dict[str, str], entropy_commitment: str | None = None, **switches: Any
) -> dict[str, Any]:
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
        _take_seat(session, game, caller, entropy_commitment, now)
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


def join(caller: Caller, game_id: str, entropy_commitment: str | None = None) -> dict[str, Any]:
    """Takes the next free seat; the last one starts the game, unless its host wants to, or entropy is to be revealed."""
    with transaction() as session:
        now = clock.now()
        game = games.lock(session, game_id, caller)
        _may_join(game, caller)
        _take_seat(session, game, caller, entropy_commitment, now)
        game.version += 1
        _begin_by_itself(session, game, now)
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


def _take_seat(session: Session, game: Game, caller: Caller, entropy_commitment: str | None, now: datetime) -> None:
    letter = games.LETTERS[len(game.players)]
    account = session.get_one(Account, caller.account_id)
    seat = Seat(game_id=game.id, letter=letter, account_id=account.id, account=account, joined_at=now)
    seat.entropy_commitment = entropy_commitment
    game.players.append(seat)
    session.flush()


def reveal(caller: Caller, game_id: str, entropy: str) -> dict[str, Any]:
    """Shows the text that the caller committed to. The last one starts a game that starts by itself."""
    with transaction() as session:
        now = clock.now()
        game = games.lock(session, game_id, caller)
        letter = games.own_letter(game, caller)
        seat = next(seat for seat in game.players if seat.letter == letter)
        if seat.entropy != entropy:  # the same once more changes nothing
            _may_reveal(game, seat, entropy)
            seat.entropy = entropy
            game.version += 1
            _begin_by_itself(session, game, now)
        answer = _summary(session, game)
    kicking.kick()
    return answer


def _may_reveal(game: Game, seat: Seat, entropy: str) -> None:
    if seat.entropy_commitment is None:
        raise NoEntropyCommitted("you took your seat without `entropy_commitment`")
    if game.status != "open":
        raise GameStarted("the cards are dealt: what was not revealed is left out")
    if len(game.players) < game.seats:
        raise SeatsStillFree(f"{len(game.players)} of {game.seats} seats are taken; reveal when all are")
    digest = hashlib.sha256(entropy.encode()).hexdigest()
    if digest != seat.entropy_commitment:
        raise WrongEntropy(f"you committed to {seat.entropy_commitment}, and this hashes to {digest}")


def _to_be_revealed(game: Game) -> bool:
    return any(addition["revealed"] is None for addition in archive.entropy_of(game))


def _begin_by_itself(session: Session, game: Game, now: datetime) -> None:
    """When all seats are taken and everything that was committed to is revealed."""
    if game.start == "automatic" and len(game.players) == game.seats and not _to_be_revealed(game):
        begin(session, game, now)


def start(caller: Caller, game_id: str) -> dict[str, Any]:
    """The host begins with the players who are there; seats that are still free go away.

    If with them a reveal has become possible only now, the game waits for it, and begins by itself or at a second call.
    """
    with transaction() as session:
        now = clock.now()
        game = games.lock(session, game_id, caller)
        _may_start(game, caller)
        _check_options(game.options, len(game.players))
        if len(game.players) < game.seats and _to_be_revealed(game):
            _close(game)
        else:
            game.seats = len(game.players)
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


def _close(game: Game) -> None:
    """Nobody else can join."""
    game.seats, game.start = len(game.players), "automatic"
    game.version += 1


def begin(session: Session, game: Game, now: datetime) -> None:
    """Deals, and asks the first question. The caller holds the lock of the game."""
    state = archive.dealt(game)
    game.status, game.started_at = "running", now
    game.version += 1
    play.append(session, game, engine.opening(state), now)
    play.keep(session, game, state, now)
    notifying.game_started(session, game, now)
