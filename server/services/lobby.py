"""Games before their first move: made, changed, called off by their hosts, or by time."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import select
from sqlalchemy.orm import Session

import engine
from server import clock, kicking
from server.database import reading, transaction
from server.errors import RulesFixed, SeatsTaken
from server.ids import new_id
from server.models import Game
from server.said import said
from server.services import feeds, games, invitations, looking, notifying, repeating, seating, starting
from server.services.accounts import Caller
from server.services.looking import Expects, Versioned
from server.services.repeating import Made

log = structlog.get_logger(__name__)

SEED_BYTES = 32
LIFE = timedelta(days=14)  # of a game that does not start
AT_ONCE = 200  # games that a sweep ends
WHAT_PLAYERS_SAT_DOWN_TO = ("options", "own_bots", "spectators")


def create(
    caller: Caller, seats: int, options: dict[str, str], entropy_commitment: str | None = None, **switches: Any
) -> Made:
    """A new game with its host in the first seat; the commitment to its chance is published with it.

    `switches`: listed, join, spectators, start, own_bots, as the columns of that name.
    """
    games.check_options(options, seats)
    with transaction() as session:
        again = repeating.earlier(session, caller)
        if again is not None:
            return Made(games.about(session, repeating.found(session, Game, again)), again=True)
        game = lay(session, caller, seats, options, entropy_commitment, clock.now(), **switches)
        repeating.remember(session, caller, game.id)
        return Made(games.about(session, game))


def lay(
    session: Session,
    caller: Caller,
    seats: int,
    options: dict[str, str],
    entropy_commitment: str | None,
    now: datetime,
    **switches: Any,
) -> Game:
    """A table with nobody at it but the caller."""
    options = {name: values[0] for name, values in engine.OPTIONS.items()} | options
    game = Game(id=new_id("g"), host_id=caller.account_id, seats=seats, options=options, created_at=now, **switches)
    game.status, game.version, game.last_event = "open", 1, 0
    game.seed = secrets.token_bytes(SEED_BYTES)
    game.commitment = hashlib.sha256(game.seed).hexdigest()
    session.add(game)
    seating.take_seat(session, game, caller, entropy_commitment, now)
    return game


def change(caller: Caller, game_id: str, changes: dict[str, Any], expects: Expects) -> Versioned:
    """`changes`: of seats, options and the switches of `create` those that are to be another; of options, too, only those.

    A full table whose host no longer wants to start it himself starts.
    """
    with transaction() as session:
        now = clock.now()
        game = games.hosted(session, game_id, caller)
        expects(looking.summary_version(game))
        differing = _differing(game, changes)
        if differing:
            _may_change(game, differing)
            _change(session, game, differing, now)
        made = Versioned(looking.summary_version(game), games.about(session, game))
    kicking.kick()
    return made


def _differing(game: Game, changes: dict[str, Any]) -> dict[str, Any]:
    """What is said but is so already is no change."""
    if "options" in changes:
        changes = changes | {"options": game.options | changes["options"]}
    return {name: value for name, value in changes.items() if value != getattr(game, name)}


def _may_change(game: Game, changes: dict[str, Any]) -> None:
    fixed = [name for name in WHAT_PLAYERS_SAT_DOWN_TO if name in changes]
    if fixed and len(game.players) > 1:
        raise RulesFixed(said("{fixed} can't be changed while other players sit there", fixed=fixed))
    if changes.get("seats", game.seats) < len(game.players):
        raise SeatsTaken(said("{count:player sits|players sit} there", count=len(game.players)))


def _change(session: Session, game: Game, changes: dict[str, Any], now: datetime) -> None:
    seats = changes.pop("seats", game.seats)
    for name, value in changes.items():
        setattr(game, name, value)
    starting.resize(session, game, seats)
    if len(game.players) < game.seats:
        starting.forget_what_was_revealed(game)
    game.version += 1
    feeds.note(session, game, "changed", now)
    starting.begin_by_itself(session, game, now)


def cancel(caller: Caller, game_id: str, expects: Expects) -> None:
    """The host calls it off before the start; those who sat down are told."""
    with transaction() as session:
        game = games.hosted(session, game_id, caller)
        expects(looking.summary_version(game))
        call_off(session, game, "cancellation", clock.now())
    kicking.kick()


def call_off(session: Session, game: Game, ended_by: str, now: datetime) -> None:
    """Before the start. The caller of this holds the lock of the game."""
    game.status, game.ended_by, game.ended_at = "cancelled", ended_by, now
    game.version += 1
    invitations.settle_all(session, game, now)
    notifying.game_cancelled(session, game, now)
    feeds.note(session, game, "cancelled", now)


def expire() -> int:
    """Ends the games that did not start in time, each in a transaction of its own; returns how many."""
    now = clock.now()
    overdue = select(Game.id).where(Game.status == "open", Game.created_at <= now - LIFE).order_by(Game.created_at)
    with reading() as session:
        waiting = list(session.scalars(overdue.limit(AT_ONCE)))
    ended = sum(_expire(game_id, now) for game_id in waiting)
    invitations.expire(now)
    if ended:
        kicking.kick()
    log.info("games that did not start", ended=ended)
    return ended


def _expire(game_id: str, now: datetime) -> bool:
    with transaction() as session:
        game = games.locked(session, game_id)
        if game is None or game.status != "open":
            return False  # it has been started or called off meanwhile
        call_off(session, game, "expiry", now)
        return True
