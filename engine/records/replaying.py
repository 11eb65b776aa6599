"""A game played again from its deal, and compared with what was told of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.errors import BadNotation, IllegalMove
from engine.events import Event, event_json
from engine.game import apply, opening, question
from engine.leaving import cancel, resign
from engine.notation import read_move
from engine.records.form import canonical, shown
from engine.vocabulary import seat_name

if TYPE_CHECKING:
    from engine.moves import Move
    from engine.state import State
    from engine.vocabulary import Seat

# Somebody left: after how many moves, and who resigned; None: the game was cancelled.
Left = tuple[int, "Seat | None"]


class Difference(ValueError):
    """What was told is not what the replay gives. ``decision`` is the number of the move at fault, 0 before the first."""

    def __init__(self, detail: str, decision: int = 0) -> None:
        super().__init__(detail)
        self.detail = detail
        self.decision = decision


def play_again(state: State, moves: Sequence[Any], events: Sequence[Any], left: Sequence[Left] = ()) -> None:
    """Plays the moves on a state that was just dealt; what happens must be what the events tell. Raises Difference.

    ``moves`` and ``events`` have the form of a record's, and may be anything that JSON can say; ``left`` is in order.
    """
    told = _compare(opening(state), events, 0, 0)
    told = _leave(state, left, events, told, 0)
    for number, given in enumerate(moves, 1):
        move = _next_move(state, given, number)
        told = _compare(apply(state, move), events, told, number)
        told = _leave(state, left, events, told, number)
    if told < len(events):
        raise Difference(f"event {told + 1} is told, and nothing more happened", len(moves))


def _leave(state: State, left: Sequence[Left], events: Sequence[Any], told: int, number: int) -> int:
    """Those who left after that move; returns how many events are told by now."""
    for seat in [seat for after, seat in left if after == number]:
        try:
            happened = cancel(state) if seat is None else resign(state, seat)
        except IllegalMove as fault:
            raise Difference(f"somebody is told to have left, and {fault.detail}", number) from fault
        told = _compare(happened, events, told, number)
    return told


def _next_move(state: State, given: Any, number: int) -> Move:
    """The answer to the open question, found to be legal."""
    asked = question(state)
    if asked is None:
        raise Difference(f"{_named(given)} is told, and the game was over", number)
    expected = {"decision": number, "seat": seat_name(asked.seat), "kind": asked.kind}
    compare({key: value for key, value in given.items() if key != "move"} if isinstance(given, dict) else given, expected,
            "the decision", number)  # fmt: skip
    move = _legal(state, given.get("move"), number)
    compare(given["move"], str(move), "the move", number)
    return move


def _legal(state: State, text: Any, number: int) -> Move:
    if not isinstance(text, str):
        raise Difference(f"expected a move as a text, came {shown(text)}", number)
    try:
        return read_move(state, text)
    except (BadNotation, IllegalMove) as fault:
        raise Difference(f"{shown(text)} is not a legal move: {fault.detail}", number) from fault


def _compare(happened: Sequence[Event], events: Sequence[Any], told: int, number: int) -> int:
    """The next events with what happened; returns how many are told by now."""
    for event in happened:
        told += 1
        if told > len(events):
            raise Difference(f"event {told} is not told: {event.type}", number)
        _compare_type(events[told - 1], event, told, number)
        compare(events[told - 1], {"decision": number, **event_json(event)}, f"event {told} ({event.type})", number)
    return told


def _compare_type(given: Any, event: Event, told: int, number: int) -> None:
    """Before the facts: when another thing happened it is the move that differs, and odd facts would hide that."""
    if isinstance(given, dict) and canonical(given.get("type")) != canonical(event.type):
        raise Difference(
            f"event {told}: {shown(given.get('type'))} is told; the replay of this move gives {shown(event.type)}",
            number,
        )


def compare(given: Any, expected: Any, what: str, number: int = 0) -> None:
    """Raises Difference, which names the innermost value that differs."""
    if canonical(given) == canonical(expected):
        return
    if isinstance(given, dict) and isinstance(expected, dict):
        for key in sorted(given.keys() | expected.keys()):
            if key not in given:
                raise Difference(f"{what}: {shown(key)} is not told; the replay gives {shown(expected[key])}", number)
            if key not in expected:
                raise Difference(f"{what}: {shown(key)} is told, and the replay knows no such thing", number)
            compare(given[key], expected[key], f"{what}, {key}", number)
    if isinstance(given, list) and isinstance(expected, list) and len(given) == len(expected):
        for place, (one, other) in enumerate(zip(given, expected, strict=True), 1):
            compare(one, other, f"{what} {place}", number)
    raise Difference(f"{what}: {shown(given)} is told; the replay gives {shown(expected)}", number)


def _named(given: Any) -> str:
    return shown(given.get("move") if isinstance(given, Mapping) else given)
