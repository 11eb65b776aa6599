"""Leaving a game before its end: what no rule provides for and every table needs.

The table stays as it lies: whoever resigns leaves his animals to be played on (``defaults.py``) and can't win any more, and a
game that ends so ends where it stands. These are no moves: they answer nothing, and come when they come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.errors import IllegalMove
from engine.events import Event, happened
from engine.flow import legal_moves
from engine.saying import said
from engine.scoring import contenders, declare_result
from engine.vocabulary import Seat, seat_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.state import State

RESIGNATION: Final = "resignation"
CANCELLATION: Final = "cancellation"
ENDINGS: Final = (RESIGNATION, CANCELLATION)  # what a game can end by before its time


def resign(state: State, seat: Seat) -> list[Event]:
    """That seat can't win any more; when one seat is left that can, the game is over. In place; returns what happened.

    Raises IllegalMove when the game is over or the seat has resigned before, and then the state is as it was.
    """
    _must_go_on(state)
    if seat in state.resigned:
        raise IllegalMove("not-legal-now", said("{seat} has resigned already", seat=seat_name(seat)))
    return _told(state, lambda: _resign(state, seat))


def cancel(state: State) -> list[Event]:
    """The game is over, and nobody has won. In place; returns what happened. Raises IllegalMove when it was over."""
    _must_go_on(state)
    return _told(state, lambda: _cancel(state))


def _must_go_on(state: State) -> None:
    if not legal_moves(state):
        raise IllegalMove("game-over", said("the game is over"))


def _told(state: State, act: Callable[[], None]) -> list[Event]:
    events: list[Event] = []
    state.log = events
    try:
        act()
    finally:
        state.log = None
    return events


def _resign(state: State, seat: Seat) -> None:
    state.resigned = tuple(sorted((*state.resigned, seat)))
    happened(state, "resigned", seat=seat_name(seat))
    if len(contenders(state)) < 2:
        _end(state, RESIGNATION)
        declare_result(state)


def _cancel(state: State) -> None:
    _end(state, CANCELLATION)
    happened(state, "game_cancelled")


def _end(state: State, by: str) -> None:
    state.ended = by
    state.answers = []
