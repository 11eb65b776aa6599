"""Moves as numbers: each legal move has one action of a fixed space, and each action of the mask one legal move."""

from __future__ import annotations

import pytest
from galapost_rl import Actions
from galapost_rl.actions import OTHERS, SLOTS

from engine import State, legal_moves, read_move
from engine.positions import read_playable
from tests.engine.play import SEATS, random_play

GAMES = 28
SPACES = {seats: Actions(seats) for seats in SEATS}


@pytest.mark.parametrize("number", range(GAMES))
def test_every_legal_move_of_a_random_game_is_one_action_and_back(number: int) -> None:
    for state, move in random_play(number):
        actions = SPACES[len(state.players)]
        moves = actions.legal(state)
        assert list(moves.values()) == legal_moves(state)
        assert all(0 <= index < actions.others for index in moves), "no animal is without a slot"
        index = actions.index(state, move)
        assert index is not None
        assert moves[index] is move


def position(text: str) -> State:
    state = read_playable(text, b"0")
    legal_moves(state)
    return state


def action(state: State, text: str) -> int | None:
    return Actions(len(state.players)).index(state, read_move(state, text))


def test_a_number_means_the_same_for_every_seat_and_whatever_the_animals_are_called() -> None:
    first = position("turn 3 feeding; bank 3; deck 50; first A; go A; seats 3\nA1: carnivorous\nA2:\nB1:\nC1:")
    other = position("turn 3 feeding; bank 3; deck 50; first A; go C; seats 3\nC7: carnivorous\nC9:\nA4:\nB6:")
    assert action(first, "attack A1 B1") == action(other, "attack C7 A4")
    assert action(first, "attack A1 C1") == action(other, "attack C7 B6")
    assert action(first, "feed A2") == action(other, "feed C9")
    assert action(first, "feed A1") != action(first, "feed A2")


def test_pass_and_end_are_action_0() -> None:
    passing = position("turn 3 feeding; bank 0; deck 50; first A; go A\nA1: carnivorous\nB1:")
    ending = position("turn 3 feeding; bank 2; deck 50; first A; go A; acted\nA1: grazing; food 1\nB1:")
    assert action(passing, "pass") == action(ending, "end") == 0


def test_the_two_sides_of_a_pair_and_a_full_and_an_empty_fat_card_are_told_apart() -> None:
    state = position(
        "turn 3 feeding; bank 2; deck 50; first A; go A; acted\nA1: carnivorous; hunted\n"
        "B1: tail-loss, fat-tissue*, fat-tissue\nB2:\nB1>B2: symbiosis\nB1+B2: communication\n"
        "awaiting B: defend A1 B1"
    )
    moves = Actions(2).legal(state)
    assert sorted(map(str, moves.values())) == [
        "drop B1 communication B1+B2",
        "drop B1 fat-tissue",
        "drop B1 fat-tissue*",
        "drop B1 symbiosis B1>B2",
        "drop B1 tail-loss",
    ]


CROWD = "\n".join(f"A{number}:" for number in range(1, SLOTS + 5))


def test_moves_of_animals_without_a_slot_get_the_last_actions_in_their_order() -> None:
    state = position(f"turn 3 feeding; bank 3; deck 40; first A; go A\n{CROWD}\nB1:")
    actions = Actions(2)
    moves = actions.legal(state)
    assert list(moves.values()) == legal_moves(state)
    others = {index: str(move) for index, move in moves.items() if index >= actions.others}
    assert others == {actions.others + at: f"feed A{SLOTS + 1 + at}" for at in range(4)}
    assert actions.index(state, read_move(state, f"feed A{SLOTS + 1}")) is None
    assert actions.index(state, read_move(state, f"feed A{SLOTS}")) is not None


def test_of_too_many_moves_without_an_action_the_last_are_left_out_and_none_is_illegal() -> None:
    hunters = "".join(f"A{number}: carnivorous\n" for number in range(1, SLOTS + 4))
    prey = "".join(f"B{number}:\n" for number in range(1, SLOTS + 9))
    state = position(f"turn 3 feeding; bank 0; deck 10; first A; go A; seats 2; rules sets two\n{hunters}{prey}")
    actions = Actions(2)
    moves = actions.legal(state)
    assert len(legal_moves(state)) > len(moves)
    assert sum(index >= actions.others for index in moves) == OTHERS
    assert max(moves) == actions.count - 1
    assert set(map(str, moves.values())) < set(map(str, legal_moves(state)))


def test_when_no_animal_that_can_move_has_a_slot_there_are_actions_all_the_same() -> None:
    fed = "".join(f"A{number}: food 1\n" for number in range(1, SLOTS + 1))
    hungry = f"A{SLOTS + 1}:\nA{SLOTS + 2}:\n"
    state = position(f"turn 3 feeding; bank 3; deck 20; first A; go A\n{fed}{hungry}B1:")
    actions = Actions(2)
    assert list(actions.legal(state)) == [actions.others, actions.others + 1]


def test_a_game_that_is_over_has_no_action() -> None:
    over = position("turn 9 over; bank 0; deck 0; first A; last-turn\nA1:\nB1:")
    assert Actions(2).legal(over) == {}


@pytest.mark.parametrize("seats", SEATS)
def test_the_blocks_lie_one_after_the_other(seats: int) -> None:
    actions = SPACES[seats]
    at = 0
    for _, shape, start in actions.table():
        assert start == at
        size = 1
        for part in shape:
            size *= part
        at += size
    assert at == actions.count
