"""Storage: what an older program stored is upgraded step by step, what a newer one stored is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from engine import BadDump, dump, legal_moves, load
from engine.codec import SCHEMA, STEPS, upgraded
from tests.engine.play import game, random_play

Data = dict[str, Any]


def stored() -> str:
    """A state in the middle of a game."""
    states = [dump(state) for state, _ in random_play(3)]
    return states[len(states) // 2]


def older(text: str, schema: int) -> str:
    """The same state as an older program might have stored it: the bank under another name, no mark of the last turn."""
    data = json.loads(text)
    data["food_bank"] = data.pop("bank")
    if schema < 0:
        del data["last_turn"]
    return json.dumps({**data, "schema": schema})


def rename_the_bank(data: Data) -> Data:
    return {"bank" if key == "food_bank" else key: value for key, value in data.items()}


def add_the_last_turn(data: Data) -> Data:
    assert "food_bank" in data, "the steps come in the order of their numbers"
    return {**data, "last_turn": not data["deck"]}


OLDER_STEPS: dict[int, Callable[[Data], Data]] = {-1: add_the_last_turn, 0: rename_the_bank}


@pytest.mark.parametrize("schema", [0, -1])
def test_an_older_state_is_upgraded_step_by_step(schema: int) -> None:
    text = stored()
    state = load(older(text, schema), OLDER_STEPS)
    assert dump(state) == text
    assert legal_moves(state) == legal_moves(load(text))


def test_every_older_schema_has_a_step_that_leads_on() -> None:
    assert sorted(STEPS) == list(range(1, SCHEMA))


def test_a_state_of_this_schema_needs_no_step() -> None:
    def never(data: Data) -> Data:
        raise AssertionError("this is not an older state")

    assert dump(load(stored(), {SCHEMA: never, SCHEMA - 1: never})) == stored()


def test_steps_lead_to_whichever_schema_is_the_newest() -> None:
    def named(name: str) -> Callable[[Data], Data]:
        return lambda data: {"names": [*data["names"], name]}

    steps = {1: named("two"), 2: named("three"), 3: named("four")}
    assert upgraded({"names": []}, 1, steps, newest=4) == {"names": ["two", "three", "four"]}
    assert upgraded({"names": []}, 3, steps, newest=4) == {"names": ["four"]}
    assert upgraded({"names": []}, 4, steps, newest=4) == {"names": []}


def test_a_schema_that_nothing_leads_on_from_is_refused() -> None:
    with pytest.raises(BadDump, match="under schema 0; nothing leads from 0 to 1"):
        load(older(stored(), 0))
    with pytest.raises(BadDump, match="under schema -1; nothing leads from 0 to 1"):
        load(older(stored(), -1), {-1: add_the_last_turn})


def test_a_newer_schema_is_refused_and_both_are_named() -> None:
    newer = json.dumps({**json.loads(stored()), "schema": SCHEMA + 1})
    with pytest.raises(BadDump, match=f"under schema {SCHEMA + 1} by a newer program; this one knows {SCHEMA}"):
        load(newer)


def test_a_step_that_does_not_find_what_it_needs_is_a_bad_dump() -> None:
    with pytest.raises(BadDump, match="does not hold together"):
        load(older(stored(), 0), {0: lambda data: {**data, "bank": data["nothing"]}})


@pytest.mark.parametrize("schema", ["1", 1.0, True, None, [1]])
def test_a_schema_that_is_no_number_is_refused(schema: object) -> None:
    with pytest.raises(BadDump, match="a number, not"):
        load(json.dumps({**json.loads(stored()), "schema": schema}))


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '"x"', "null", "{}", '{"turn": 1}'])
def test_what_is_no_stored_state_is_refused(text: str) -> None:
    with pytest.raises(BadDump, match="a JSON object with a schema number"):
        load(text)


def test_a_stored_state_with_a_part_missing_is_refused() -> None:
    data = json.loads(dump(game(2)))
    for key in data.keys() - {"schema", "dice"}:
        with pytest.raises(BadDump):
            load(json.dumps({name: value for name, value in data.items() if name != key}))
