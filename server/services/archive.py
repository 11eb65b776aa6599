"""The log is the truth: games as they stood, played again from seed and moves."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

import engine
from engine.records import entropy_by_seat
from server.models import Decision, Event, Game, Move
from server.services import games


def entropy_of(game: Game) -> list[dict[str, Any]]:
    """What the seats committed to add to the chance of the game, in table order; `revealed` None: not (yet) revealed."""
    return [
        {"seat": seat.letter, "commitment": seat.entropy_commitment, "revealed": seat.entropy}
        for seat in game.players
        if seat.entropy_commitment is not None
    ]


def dealt(game: Game) -> engine.State:
    """The game as it is dealt."""
    return engine.new_game(game.seed, game.seats, game.options, entropy_by_seat(entropy_of(game)))


def moves_of(session: Session, game: Game) -> list[dict[str, Any]]:
    """The answers, each with its decision, in the form that records have."""
    answered = (
        select(Move, Decision.seat, Decision.kind)
        .join(Decision, (Decision.game_id == Move.game_id) & (Decision.number == Move.number))
        .where(Move.game_id == game.id)
        .order_by(Move.number)
    )
    return [
        {"decision": move.number, "seat": seat, "kind": kind, "move": move.notation}
        for move, seat, kind in session.execute(answered)
    ]


def log_of(session: Session, game: Game) -> list[dict[str, Any]]:
    """All that happened, every secret included, in the form that records have."""
    logged = select(Event).where(Event.game_id == game.id).order_by(Event.number)
    return [{"decision": event.decision, **event.data} for event in session.scalars(logged)]


def before(session: Session, game: Game, number: int) -> engine.State:
    """The state in which decision `number` was asked."""
    state = dealt(game)
    earlier = select(Move.notation).where(Move.game_id == game.id, Move.number < number).order_by(Move.number)
    for notation in session.scalars(earlier):
        engine.apply(state, engine.read_move(state, notation))
    return state


def events_of(session: Session, decision: Decision) -> list[Event]:
    """What its answer caused."""
    caused = (
        select(Event).where(Event.game_id == decision.game_id, Event.decision == decision.number).order_by(Event.number)
    )
    return list(session.scalars(caused))


def asked_after(session: Session, decision: Decision) -> dict[str, Any] | None:
    """The decision that its answer opened, as it was announced then; None when that ended the game."""
    following = session.get(Decision, (decision.game_id, decision.number + 1))
    return None if following is None else games.announced(following.number, following.seat, following.kind)
