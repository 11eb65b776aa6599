"""What a player gave as his answer, found among the legal moves; the engine's refusals as ours."""

from __future__ import annotations

from typing import Any

import engine
from server.errors import BadNotation, IllegalMove

Given = str | dict[str, Any]  # notation, or a move's JSON object


def read(state: engine.State, given: Given) -> engine.Move:
    """Changes nothing. Raises BadNotation and IllegalMove."""
    try:
        return engine.read_move(state, given)
    except engine.BadNotation as error:
        raise BadNotation(error.detail, candidates=error.candidates) from error
    except engine.IllegalMove as error:
        raise IllegalMove(error.detail, reason=error.reason) from error
