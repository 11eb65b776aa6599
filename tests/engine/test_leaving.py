"""Games that somebody left before their end: what remains, and their records."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from engine import IllegalMove, apply, asked, cancel, default_answer, dump, legal_moves, load, resign, view, winners
from engine.records import BadRecord, Difference, print_record, read_record, verify
from engine.state import State
from tests.engine.play import game
from tests.engine.recording import recorded
from tests.engine.test_records import as_text, check

Record = dict[str, Any]
TWO, THREE = 0, 1  # games of so many seats


def some_moves_later(number: int, moves: int = 40) -> State:
    state = game(number)
    for _ in range(moves):
        apply(state, legal_moves(state)[0])
    return state


def test_of_two_one_resigns_and_the_other_has_won_with_the_table_as_it_stands() -> None:
    state = some_moves_later(TWO)
    before = view(state, None)
    told = resign(state, 0)
    after = view(state, None)
    assert [event.type for event in told] == ["resigned", "game_ended"]
    assert (after["winners"], after["phase"], after["question"], after["go"]) == (["B"], "over", None, None)
    assert all(seat["score"] is not None for seat in after["seats"])
    assert after["position"] == before["position"] and after["pairs"] == before["pairs"]


def test_of_three_one_resigns_and_the_game_goes_on_without_a_chance_for_him() -> None:
    state = some_moves_later(THREE)
    question = view(state, None)["question"]
    assert [event.type for event in resign(state, 1)] == ["resigned"]
    assert view(state, None)["question"] == question
    while asked(state) is not None:
        apply(state, default_answer(state))
    assert 1 not in winners(state) and winners(state)


def test_a_cancelled_game_has_no_winner() -> None:
    state = some_moves_later(THREE)
    assert [event.type for event in cancel(state)] == ["game_cancelled"]
    assert (winners(state), asked(state), legal_moves(state)) == ([], None, [])


@pytest.mark.parametrize("leave", [lambda state: resign(state, 2), lambda state: resign(state, 0), cancel])
def test_nobody_leaves_a_game_that_is_over_or_twice(leave: Callable[[State], Any]) -> None:
    over = some_moves_later(THREE)
    cancel(over)
    before = dump(over)
    with pytest.raises(IllegalMove, match="over"):
        leave(over)
    assert dump(over) == before
    state = some_moves_later(THREE)
    resign(state, 1)
    with pytest.raises(IllegalMove, match="B has resigned already"):
        resign(state, 1)


@pytest.mark.parametrize(
    "leave", [lambda state: resign(state, 1), cancel, lambda state: [resign(state, 0), resign(state, 1)]]
)
def test_who_has_left_is_stored_and_copied(leave: Callable[[State], Any]) -> None:
    state = some_moves_later(THREE)
    leave(state)
    for same in (load(dump(state)), state.copy()):
        assert dump(same) == dump(state)
        assert (legal_moves(same), winners(same)) == (legal_moves(state), winners(state))


def test_after_the_end_every_move_is_refused_as_such() -> None:
    state = some_moves_later(TWO)
    move = legal_moves(state)[0]
    cancel(state)
    with pytest.raises(IllegalMove):
        apply(state, move)


LEFT: dict[str, tuple[int, dict[int, str | None]]] = {
    "resigned among two": (2, {30: "A"}),
    "resigned before the first move": (2, {0: "B"}),
    "resigned among three, then played to the end": (3, {25: "C"}),
    "resigned one by one": (4, {5: "A", 17: "D", 30: "B"}),
    "cancelled": (2, {30: None}),
    "resigned, then cancelled": (3, {10: "B", 30: None}),
}


@pytest.mark.parametrize("how", LEFT)
def test_the_record_of_a_game_that_was_left_is_verified(how: str) -> None:
    seats, left = LEFT[how]
    record = recorded(7, seats, left=left)
    lines = check(as_text(record))
    assert record["schema"] == 2
    assert record["ended"] == {
        "by": "cancellation" if None in left.values() else "rules" if len(left) < seats - 1 else "resignation",
        "after": len(record["moves"]),
    }
    assert [line for line in lines if line.startswith("end")] == [
        f"end: by {record['ended']['by']}, after move {len(record['moves'])}"
    ]
    assert sum(line.startswith("resignations") for line in lines) == sum(seat is not None for seat in left.values())


def test_a_game_that_nobody_left_has_a_record_as_ever() -> None:
    record = recorded(7)
    assert record["schema"] == 1 and not {"ended", "resignations"} & record.keys()


def test_people_read_who_left_and_that_nobody_won() -> None:
    text = print_record(recorded(7, 3, left={10: "B", 30: None}))
    assert "B resigns." in text and "by cancellation" in text and "Winner: nobody" in text


def _end_it_by_the_rules(record: Record) -> None:
    record["ended"]["by"] = "rules"


TAMPERED: dict[str, tuple[str, Callable[[Record], object]]] = {
    "nobody resigned": ("resigned among two", lambda record: record["resignations"].pop()),
    "somebody else": ("resigned among two", lambda record: record["resignations"][0].update(seat="B")),
    "earlier": (
        "resigned among three, then played to the end",
        lambda record: record["resignations"][0].update(after=24),
    ),
    "later than the last move": ("resigned among two", lambda record: record["resignations"][0].update(after=31)),
    "before the deal": ("resigned among two", lambda record: record["resignations"][0].update(after=-1)),
    "twice": ("cancelled", lambda record: record.update(resignations=[{"seat": "A", "after": 9}] * 2)),
    "a seat that is none": ("cancelled", lambda record: record.update(resignations=[{"seat": "C", "after": 9}])),
    "no seat": ("cancelled", lambda record: record.update(resignations=[{"seat": "", "after": 9}])),
    "out of order": ("resigned one by one", lambda record: record["resignations"].reverse()),
    "by the rules": ("resigned among two", _end_it_by_the_rules),
    "by the rules, cancelled": ("cancelled", _end_it_by_the_rules),
    "cancelled, and it was not": (
        "resigned among three, then played to the end",
        lambda record: record["ended"].update(by="cancellation"),
    ),
    "by magic": ("cancelled", lambda record: record["ended"].update(by="magic")),
    "after another move": ("cancelled", lambda record: record["ended"].update(after=29)),
    "a winner": ("cancelled", lambda record: record["result"].update(winners=["A"])),
    "the resigned one as winner": ("resigned among two", lambda record: record["result"].update(winners=["A"])),
    "played on": ("cancelled", lambda record: record["moves"].append(record["moves"][-1])),
    "a move dropped": ("cancelled", lambda record: record["moves"].pop()),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_tampering_is_found(what: str) -> None:
    how, tamper = TAMPERED[what]
    seats, left = LEFT[how]
    record = copy.deepcopy(recorded(7, seats, left=left))
    tamper(record)
    with pytest.raises(Difference):
        check(as_text(record))


@pytest.mark.parametrize("key", ["resignations", "ended"])
def test_a_record_of_that_form_is_whole(key: str) -> None:
    record = recorded(7, left=LEFT["cancelled"][1])
    del record[key]
    with pytest.raises(BadRecord, match="lacks"):
        list(verify(read_record(as_text(record))))
    record = recorded(7)
    record[key] = [] if key == "resignations" else {"by": "rules", "after": 1}
    with pytest.raises(BadRecord, match="unknown key"):
        read_record(as_text(record))
