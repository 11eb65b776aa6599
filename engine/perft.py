"""Counting for tests, as chess programs do: how many lines of play there are from a position, to a depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import flow

if TYPE_CHECKING:
    from engine.state import State


def perft(state: State, depth: int) -> int:
    """The number of ways to answer the next ``depth`` questions; a game that is over before then adds none.

    What needs no choice is played and not counted, and all chance comes from the state. The state is settled, else
    unchanged.
    """
    moves = flow.legal_moves(state)
    if depth <= 1:
        return len(moves) if depth else 1
    lines = 0
    for move in moves:
        after = state.copy()
        flow.play(after, move)
        lines += perft(after, depth - 1)
    return lines
