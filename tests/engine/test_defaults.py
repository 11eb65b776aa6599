"""What is played for a seat that does not answer."""

from __future__ import annotations

import pytest

from engine import IllegalMove, apply, asked, default_answer, dump, legal_moves, view
from engine.positions import read_playable
from engine.state import State
from tests.engine.play import game, random_play

GAMES = 60


def position(lines: str) -> State:
    return read_playable(lines, b"defaults")


def test_it_is_always_legal_and_changes_nothing() -> None:
    positions, kinds = 0, set()
    for number in range(GAMES):
        for state, _ in random_play(number):
            before = dump(state)
            move = default_answer(state)
            assert any(move is legal for legal in legal_moves(state)), f"game {number}: {move}"
            assert dump(state) == before
            kinds.add(state.stack[-1].kind)
            positions += 1
    assert positions > 1000 and kinds == {"develop", "feed", "defend", "scavenge", "share"}


def test_it_never_attacks_steals_or_spends_fat() -> None:
    words = {default_answer(state).word for number in range(GAMES) for state, _ in random_play(number)}
    assert words == {"pass", "end", "feed", "run", "drop", "mimic", "scavenge", "share"}


@pytest.mark.parametrize("number", range(14))
def test_a_game_that_nobody_plays_ends(number: int) -> None:
    state = game(number)
    for _ in range(2000):
        if asked(state) is None:
            break
        apply(state, default_answer(state))
    assert view(state, None)["phase"] == "over"


def test_of_a_game_that_is_over_nothing_is_answered() -> None:
    state = game(0)
    while asked(state) is not None:
        apply(state, default_answer(state))
    with pytest.raises(IllegalMove) as refused:
        default_answer(state)
    assert refused.value.reason == "game-over"


HEADER = "turn 3 feeding; bank {bank}; deck 50; first A; go A\n"

CASES = [
    ("the first hungry animal is fed", HEADER.format(bank=3) + "A1: food 1\nA2:\nA3:\nB1:", "feed A2"),
    (
        "a carnivore that could hunt takes food instead",
        HEADER.format(bank=3) + "A1: carnivorous\nA2:\nB1:",
        "feed A1",
    ),
    (
        "nobody hungry, but taking is compulsory: empty fat is filled",
        HEADER.format(bank=3) + "A1: fat-tissue; food 1\nA2: fat-tissue; food 1\nB1:",
        "feed A1",
    ),
    (
        "where empty fat does not oblige, the go is passed",
        HEADER.format(bank=3).strip() + "; rules empty-fat free\nA1: fat-tissue, grazing; food 1\nB1:",
        "pass",
    ),
    (
        "after the main action the go is ended",
        HEADER.format(bank=3).strip() + "; acted\nA1: grazing; food 1\nB1:",
        "end",
    ),
    ("with an empty bank a pirate robs nobody", HEADER.format(bank=0) + "A1: piracy\nB1: large; food 1", "pass"),
]


@pytest.mark.parametrize(("lines", "answer"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_in_feeding(lines: str, answer: str) -> None:
    assert str(default_answer(position(lines))) == answer


DEFENCES = [
    ("running, tail-loss, mimicry", "run B1"),
    ("tail-loss, swimming, mimicry", "drop B1 swimming"),
    ("tail-loss, parasite, camouflage", "drop B1 parasite"),
    ("tail-loss, carnivorous", "drop B1 tail-loss"),
    ("mimicry", "mimic B1 B3"),
]


@pytest.mark.parametrize(("traits", "answer"), DEFENCES)
def test_defences_have_an_order(traits: str, answer: str) -> None:
    """All who are there can see and swim as the prey does, so that only the order decides."""
    water = "swimming" if "swimming" in traits else ""
    sight = "sharp-vision" if "camouflage" in traits else ""
    hunter = ", ".join(filter(None, ("carnivorous", water, sight)))
    dearer = ", ".join(filter(None, ("piracy", water)))
    state = position(f"""{HEADER.format(bank=2).strip()}; acted
A1: {hunter}; hunted
B1: {traits}
B2: {dearer}
B3: {water}
B4: {water}
awaiting B: defend A1 B1""")
    assert str(default_answer(state)) == answer


def test_the_hungry_scavenger_eats() -> None:
    state = position(f"""{HEADER.format(bank=2).strip()}; acted
A1: carnivorous; hunted; food 2
B1: scavenger, fat-tissue; food 1
B2: scavenger
awaiting B: scavenge B1 B2""")
    assert str(default_answer(state)) == "scavenge B2"


def test_food_is_shared_with_the_hungry_first() -> None:
    state = position(f"""{HEADER.format(bank=1).strip()}; acted
A1: food 1
A2: fat-tissue; food 1
A3:
A1+A2: communication
A1+A3: communication
B1:
awaiting A: share communication A1>A2, communication A1>A3""")
    assert str(default_answer(state)) == "share communication A1>A3"
