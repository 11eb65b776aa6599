"""The log is the truth: games as they stood, played again from seed and moves."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

import engine
from server.models import Decision, Event, Game, Move
from server.services import games


def before(session: Session, game: Game, number: int) -> engine.State:
    """The state in which decision `number` was asked."""
    state = engine.new_game(game.seed, game.seats, game.options)
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
