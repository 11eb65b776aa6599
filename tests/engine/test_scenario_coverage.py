"""Every house rule in each of its values, and every rare word of the notation, has a scenario that turns on it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from engine import OPTIONS
from engine.errors import BadPosition
from engine.positions import parse_position
from engine.positions.lines import Position
from engine.scenarios import run_entry

Entry = dict[str, Any]

FOLDER = Path(__file__).parent.parent / "scenarios"
ENTRIES: list[Entry] = [
    entry
    for file in sorted(FOLDER.glob("*.toml"))
    for entry in tomllib.loads(file.read_text(encoding="utf-8"))["scenario"]
]
VALUES = [(option, value) for option, values in OPTIONS.items() for value in values]


def passes(entry: Entry) -> bool:
    return not run_entry(entry, "entry", b"0").failures


def under(entry: Entry, option: str, value: str) -> Entry:
    return {**entry, "options": {**entry.get("options", {}), option: value}}


@pytest.mark.parametrize(("option", "value"), VALUES)
def test_a_scenario_that_names_the_value_fails_under_the_other(option: str, value: str) -> None:
    naming = [entry for entry in ENTRIES if entry.get("options", {}).get(option) == value]
    assert naming, "no scenario names it"
    (other,) = set(OPTIONS[option]) - {value}
    telling = [entry["id"] for entry in naming if passes(entry) and not passes(under(entry, option, other))]
    assert telling, f"{[entry['id'] for entry in naming]} pass under {other} too"


def test_the_header_says_house_rules_too() -> None:
    said = {option for entry in ENTRIES for option, _ in read(entry).rules}
    assert said


def read(entry: Entry) -> Position:
    """The position of an entry, of those too that are there to be refused."""
    try:
        return parse_position(entry["position"])
    except BadPosition as fault:
        assert fault.readable is not None
        return fault.readable


POSITIONS = [read(entry) for entry in ENTRIES]
RARE_WORDS = {
    "acted": lambda position: position.acted,
    "used": lambda position: position.used,
    "idle": lambda position: position.idle,
    "pending": lambda position: position.pending,
    "spent": lambda position: any(pair.spent for pair in position.pairs),
    "born": lambda position: any(line.born for line in position.players.values()),
    "passed": lambda position: any(line.passed for line in position.players.values()),
    "grazed": lambda position: any(line.grazed for line in position.animals.values()),
    "forfeit": lambda position: any(line.forfeited for line in position.animals.values()),
    "last-turn": lambda position: position.last_turn,
    "over": lambda position: position.phase == "over",
    "awaiting defend": lambda position: position.awaiting and position.awaiting.kind == "defend",
    "awaiting defend … ran": lambda position: position.awaiting and position.awaiting.ran,
    "awaiting scavenge": lambda position: position.awaiting and position.awaiting.kind == "scavenge",
    "awaiting share": lambda position: position.awaiting and position.awaiting.kind == "share",
    "rules": lambda position: position.rules,
    "seats": lambda position: position.seats,
    "discard as a list": lambda position: any(isinstance(line.discard, tuple) for line in position.players.values()),
}


@pytest.mark.parametrize("word", RARE_WORDS)
def test_a_scenario_has_the_rare_word(word: str) -> None:
    assert any(RARE_WORDS[word](position) for position in POSITIONS)


@pytest.mark.parametrize("seats", range(2, 9))
def test_a_scenario_is_played_by_that_many(seats: int) -> None:
    numbers = [entry.get("seats") or position.seats for entry, position in zip(ENTRIES, POSITIONS, strict=True)]
    assert seats in numbers


def test_every_id_is_there_once() -> None:
    ids = [entry["id"] for entry in ENTRIES]
    assert sorted(ids) == sorted(set(ids))
