"""Scenario files (NOTATION.md): a position, an act, an expectation; and the runner that plays them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from engine import flow
from engine.codec import dump
from engine.errors import BadNotation, BadPosition, IllegalMove
from engine.expectations import Check, expectations
from engine.game import apply, asked
from engine.notation import read_move
from engine.positions import ALL, position_of, print_position, read_playable
from engine.state import State
from engine.vocabulary import SEAT_LETTERS, seat_name

DICE_FACES: Final = range(1, 7)


class BadEntry(ValueError):
    """An entry that is no scenario: an unknown key, a value of the wrong type."""


@dataclass
class Scenario:
    id: str
    position: str
    title: str = ""
    seats: int | None = None
    options: dict[str, str] = field(default_factory=dict)
    dice: list[int] = field(default_factory=list)
    moves: list[str] = field(default_factory=list)
    then: str = ""
    legal: list[str] = field(default_factory=list)
    illegal: list[str] = field(default_factory=list)
    asked: str | None = None


@dataclass
class Outcome:
    """What came of one entry: passed when there is no failure."""

    name: str
    failures: list[str]
    position: str = ""

    def __str__(self) -> str:
        verdict = f"FAILED {self.name}: {'; '.join(self.failures)}" if self.failures else f"passed {self.name}"
        return "\n    ".join([verdict, *self.position.splitlines()])


def run_file(path: Path, seed: bytes) -> Iterator[Outcome]:
    """Play every entry of a file. One that cannot be read is an outcome too."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        yield Outcome(str(path), [str(fault)])
        return
    unknown = [key for key in data if key != "scenario"]
    if unknown:
        yield Outcome(str(path), [f"unknown keys {', '.join(unknown)}: expected [[scenario]] only"])
    entries = data.get("scenario")
    if not isinstance(entries, list) or not entries:
        yield Outcome(str(path), ["there is no [[scenario]] in this file"])
        return
    for number, entry in enumerate(entries, start=1):
        yield run_entry(entry, f"{path.name} entry {number}", seed)


def run_entry(entry: object, name: str, seed: bytes) -> Outcome:
    """Play one entry of a file; ``name`` is what it is called by when it says nothing of its own."""
    name = _id(entry) or name
    try:
        scenario = read_entry(entry)
        checks = expectations(scenario.then)
        name = f"{scenario.id} ({scenario.title})" if scenario.title else scenario.id
        state = _set_up(scenario, seed)
    except (BadEntry, BadNotation) as fault:
        return Outcome(name, [f"bad entry: {fault}"])
    except BadPosition as fault:
        return Outcome(name, [f"bad position: {fault}"])
    try:
        failures = list(_failures(state, scenario, checks))
    except Exception as fault:  # a fault of the engine fails this entry, and the others are still played
        failures = [f"the engine failed: {fault!r}"]
    return Outcome(name, failures, print_position(position_of(state, ALL)) if failures else "")


def _id(entry: object) -> str:
    id = entry.get("id") if isinstance(entry, dict) else None
    return id if isinstance(id, str) else ""


def _set_up(scenario: Scenario, seed: bytes) -> State:
    state = read_playable(scenario.position, seed, scenario.options, scenario.seats)
    state.dice = tuple(scenario.dice)
    flow.settle(state)
    return state


def _failures(state: State, scenario: Scenario, checks: list[Check]) -> Iterator[str]:
    for number, text in enumerate(scenario.moves, start=1):
        try:
            apply(state, read_move(state, text))
        except (IllegalMove, BadNotation) as fault:
            yield f"move {number}: expected {text!r} to be legal, came: {fault}"
            return
    if state.dice:
        yield f"expected all dice to be rolled, came {len(state.dice)} left over: {list(state.dice)}"
    for expected, what_came in checks:
        came = what_came(state)
        if came != expected:
            yield f"expected {expected!r}, came {came!r}"
    yield from _failures_of_answers(state, scenario)


def _failures_of_answers(state: State, scenario: Scenario) -> Iterator[str]:
    """Whose decision it is, what is legal, what is refused and changes nothing."""
    seat = asked(state)
    name = "nobody" if seat is None else seat_name(seat)
    if scenario.asked is not None and scenario.asked != name:
        yield f"expected {scenario.asked} to be asked, came {name}"
    legal = [str(move) for move in flow.legal_moves(state)]
    for text in scenario.legal:
        if text not in legal and not _reads_as(state, text, legal):
            yield f"expected {text!r} to be legal, came {legal}"
    for text in scenario.illegal:
        before = dump(state)
        if _is_legal(state, text):
            yield f"expected {text!r} to be refused, came a legal move"
        if dump(state) != before:
            yield f"expected {text!r} to change nothing, came another state"


def _reads_as(state: State, text: str, legal: list[str]) -> bool:
    """Whether it is a legal move written otherwise, say with the animals of a pair the other way round."""
    try:
        move = str(read_move(state, text))
    except (IllegalMove, BadNotation):
        return False
    return move in legal and move.split()[0] == text.split()[0].lower()


def _is_legal(state: State, text: str) -> bool:
    try:
        read_move(state, text)
    except (IllegalMove, BadNotation):
        return False
    return True


# Entries


def _text(value: object) -> bool:
    return isinstance(value, str)


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_text, value))


def _faces(value: object) -> bool:
    return isinstance(value, list) and all(type(face) is int and face in DICE_FACES for face in value)


def _words(value: object) -> bool:
    return isinstance(value, dict) and all(map(_text, value.values()))


# key -> whether a value will do, and what is expected
_KEYS: Final[dict[str, tuple[Callable[[object], bool], str]]] = {
    "id": (_text, "a text"),
    "title": (_text, "a text"),
    "seats": (lambda value: type(value) is int, "a whole number"),
    "options": (_words, "a table of words"),
    "position": (_text, "a text"),
    "dice": (_faces, "a list of faces from 1 to 6"),
    "moves": (_texts, "a list of moves"),
    "then": (_text, "a text"),
    "legal": (_texts, "a list of moves"),
    "illegal": (_texts, "a list of moves"),
    "asked": (lambda value: value in [*SEAT_LETTERS, "nobody"], "a seat, A to H, or 'nobody'"),
}


def read_entry(entry: object) -> Scenario:
    """One entry of a file. Raises BadEntry with all that is wrong with it."""
    if not isinstance(entry, dict):
        raise BadEntry("an entry is a table")
    faults = [f"unknown key {key!r}" for key in entry if key not in _KEYS]
    faults += [f"there is no {key!r}" for key in ("id", "position") if key not in entry]
    for key, (will_do, expected) in _KEYS.items():
        if key in entry and not will_do(entry[key]):
            faults.append(f"{key!r} is {entry[key]!r}, expected {expected}")
    if faults:
        raise BadEntry("; ".join(faults))
    known: dict[str, Any] = dict(entry)
    return Scenario(**known)
