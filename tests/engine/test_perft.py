"""Perft: the number of lines of play from stored positions, as chess programs count them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from engine import apply, dump, legal_moves
from engine.perft import perft
from engine.positions import read_playable
from engine.state import State

FILE = Path(__file__).parent.parent / "golden" / "perft.toml"
ENTRIES: list[dict[str, Any]] = tomllib.loads(FILE.read_text(encoding="utf-8"))["perft"]


def state_of(entry: dict[str, Any]) -> State:
    return read_playable(entry["position"], entry["seed"].encode())


def test_there_are_ten_positions_counted_to_depth_three() -> None:
    assert len({entry["name"] for entry in ENTRIES}) == len(ENTRIES) >= 10
    assert all(len(entry["counts"]) >= 3 for entry in ENTRIES)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["name"])
def test_there_are_as_many_lines_as_were_counted(entry: dict[str, Any]) -> None:
    state = state_of(entry)
    assert [perft(state, depth) for depth in range(1, len(entry["counts"]) + 1)] == entry["counts"]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["name"])
def test_counting_changes_nothing(entry: dict[str, Any]) -> None:
    state = state_of(entry)
    legal_moves(state)
    before = dump(state)
    perft(state, 2)
    assert dump(state) == before


def test_it_counts_what_playing_each_line_counts() -> None:
    def lines(state: State, depth: int) -> int:
        if depth == 0:
            return 1
        total = 0
        for move in legal_moves(state):
            after = state.copy()
            apply(after, move)
            total += lines(after, depth - 1)
        return total

    for entry in ENTRIES[:4]:
        assert [perft(state_of(entry), depth) for depth in range(3)] == [
            lines(state_of(entry), depth) for depth in range(3)
        ]


def test_a_game_that_is_over_has_no_line() -> None:
    over = read_playable("turn 9 over; bank 0; deck 0; first A; last-turn\nA1:\nB1:", b"0")
    assert [perft(over, depth) for depth in range(3)] == [1, 0, 0]
