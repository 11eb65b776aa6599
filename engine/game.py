"""A game from outside: begin one, ask whose decision it is, answer, hear what happened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from engine import flow
from engine.chance import stream_key
from engine.errors import IllegalMove
from engine.events import Event, happened
from engine.feeding import Feed
from engine.saying import said
from engine.vocabulary import seat_name

if TYPE_CHECKING:
    from engine.moves import Move
    from engine.questions import Question
    from engine.state import State
    from engine.vocabulary import Seat


def new_game(
    seed: bytes, seats: int, options: Mapping[str, str] | None = None, entropy: Mapping[Seat, bytes] | None = None
) -> State:
    """A game dealt from that seed and what the seats added to it, the first question open. Raises BadOption."""
    state = flow.deal(stream_key(seed, entropy), seats, options)
    flow.settle(state)
    return state


def opening(state: State) -> list[Event]:
    """What is to be told of a game that has just been dealt."""
    listening: list[Event] = []
    state.log = listening
    happened(state, "game_began", seats=len(state.players), deck=len(state.deck), first=seat_name(state.first))
    state.log = None
    return listening


def asked(state: State) -> Seat | None:
    """Whose decision it is; None when the game is over."""
    return state.stack[-1].seat if flow.legal_moves(state) else None


def question(state: State) -> Question | None:
    """The open question; None when the game is over."""
    return state.stack[-1] if flow.legal_moves(state) else None


def feeding_go(state: State) -> Question | None:
    """The go in feeding that is open, if any: the same object until it ends."""
    return state.stack[0] if state.stack and isinstance(state.stack[0], Feed) else None


def apply(state: State, move: Move) -> list[Event]:
    """Answer the open question, and carry out everything that then needs no choice. In place.

    Returns what happened, in order. Raises IllegalMove, and then the state is as it was.
    """
    if not any(move is legal for legal in flow.legal_moves(state)):
        raise IllegalMove("not-legal-now", said("{move} is not among the legal moves now", move=str(move)))
    events: list[Event] = []
    state.log = events
    try:
        flow.play(state, move)
    finally:
        state.log = None
    return events
