"""Golden dumps: states that were stored once, in all kinds of moments, load for ever."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine import apply, dump, legal_moves, load
from engine.codec import SCHEMA
from tests.golden.dumps import MOMENTS, read_state, shown, stored_states

FILES = stored_states()


def test_there_is_one_of_each_kind_of_moment() -> None:
    assert sorted(path.stem for path in FILES) == sorted(MOMENTS)
    assert len(FILES) >= 12


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_loads_as_the_position_it_was_with_the_moves_that_were_legal(path: Path) -> None:
    stored = read_state(path)
    state = load(stored.dump)
    assert shown(state) == stored.position
    assert [str(move) for move in legal_moves(state)] == stored.moves


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_is_dumped_as_it_was_to_the_byte(path: Path) -> None:
    """One of an older schema is dumped under the newest, and from then on to the byte."""
    stored = read_state(path).dump
    again = dump(load(stored))
    if json.loads(stored)["schema"] == SCHEMA:
        assert again == stored
    assert dump(load(again)) == again


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_plays_on(path: Path) -> None:
    state = load(read_state(path).dump)
    for _ in range(1000):
        if not legal_moves(state):
            break
        apply(state, legal_moves(state)[0])
    assert state.phase == "over"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_is_what_its_name_says(path: Path) -> None:
    assert MOMENTS[path.stem](load(read_state(path).dump))
