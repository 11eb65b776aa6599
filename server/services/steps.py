"""One answer and what came of it, as its player is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import engine
from server.models import Move
from server.services import games
from server.services.looking import Version


@dataclass(frozen=True)
class Step:
    """`version`: of the view afterwards; None when this very answer was given before."""

    played: dict[str, Any]
    cascade: list[dict[str, Any]]  # the answers that followed at once
    events: list[dict[str, Any]]
    state: engine.State  # after all that
    next: dict[str, Any] | None  # the decision that is then open
    revealing: bool  # whether the answer brought to light what nobody could know before
    go_ended: bool  # whether a go in feeding ended with it
    version: Version | None = None


def played(move: Move, viewer: int | None) -> dict[str, Any]:
    """An answer of the log as that viewer may know it."""
    own = games.seat_number(move.seat) == viewer
    return {"decision": move.number, "seat": move.seat, "move": engine.project_move(move.json, own)}
