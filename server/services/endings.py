"""How a game ends: by its rules, or before its time. The table stays as it lies, and nothing more is asked."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

import engine
from engine.leaving import CANCELLATION
from engine.records import result_of
from server.models import Game
from server.services import feeds, notifying
from server.services.orders import standing

BY_THE_RULES = "rules"


def end(session: Session, game: Game, state: engine.State, now: datetime) -> None:
    """The state says how. Points are those of the table as it lies; a cancelled game has no result."""
    cancelled = state.ended == CANCELLATION
    game.status, game.ended_by, game.ended_at = "cancelled" if cancelled else "over", state.ended or BY_THE_RULES, now
    game.decision = game.asked_seat = game.question_kind = None
    game.result = None if cancelled else result_of(state)
    game.state = engine.dump(state)
    standing.forget(session, game)
    tell = notifying.game_cancelled if cancelled else notifying.game_over
    tell(session, game, now)
    feeds.note(session, game, game.status, now)
