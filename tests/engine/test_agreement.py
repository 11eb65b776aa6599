"""Offer and accept agree: every legal move applies, everything else is refused and changes nothing, to the byte."""

from __future__ import annotations

import random

import pytest

from engine import REASONS, BadNotation, IllegalMove, State, apply, dump, legal_moves, read_move
from engine.cards import ENDS, KINDS
from engine.vocabulary import SEAT_LETTERS, TRAITS
from tests.engine.play import random_play


def universe(state: State, chance: random.Random, size: int) -> list[str]:
    """Well-formed moves about the animals of this table and some that are not there."""
    seats = SEAT_LETTERS[: len(state.players) + 1]
    animals = [str(name) for seat in seats for name in (f"{seat}{number}" for number in range(1, 7))]

    def animal() -> str:
        return chance.choice(animals)

    shapes = [
        lambda: f"animal {chance.choice(KINDS)}",
        lambda: f"play {chance.choice(ENDS)} {animal()}",
        lambda: f"play cooperation/carnivorous {animal()}+{animal()}",
        lambda: f"play symbiosis {animal()}>{animal()}",
        lambda: "pass",
        lambda: f"feed {animal()}",
        lambda: f"attack {animal()} {animal()}",
        lambda: f"convert {animal()} {chance.randint(0, 4)}",
        lambda: f"steal {animal()} {animal()}",
        lambda: f"graze {animal()}",
        lambda: f"hibernate {animal()}",
        lambda: "end",
        lambda: f"run {animal()}",
        lambda: f"mimic {animal()} {animal()}",
        lambda: f"drop {animal()} {chance.choice(TRAITS)}",
        lambda: f"drop {animal()} cooperation {animal()}+{animal()}",
        lambda: f"yield {animal()}",
        lambda: f"scavenge {animal()}",
        lambda: f"share {chance.choice(('cooperation', 'communication'))} {animal()}>{animal()}",
    ]
    return [chance.choice(shapes)() for _ in range(size)]


@pytest.mark.parametrize("number", range(28))
def test_a_thousand_other_moves_are_refused_and_change_nothing(number: int) -> None:
    chance = random.Random(number)
    refused = 0
    for state, _ in random_play(number):
        legal = {str(move) for move in legal_moves(state)}
        before = dump(state)
        for text in universe(state, chance, 60):
            try:
                move = read_move(state, text)
            except IllegalMove as refusal:
                assert refusal.reason in REASONS
                assert refusal.reason != "not-legal-now", f"{text} in {before} deserves a reason of its own"
                assert refusal.detail
            except BadNotation as refusal:
                assert refusal.detail
            else:
                assert str(move) in legal
                continue
            refused += 1
        assert dump(state) == before
    assert refused > 1000


@pytest.mark.parametrize("number", range(14))
def test_every_legal_move_applies(number: int) -> None:
    for at, (state, _) in enumerate(random_play(number)):
        if at % 5 == number % 5:
            for move in legal_moves(state):
                twin = state.copy()
                apply(twin, move)
                assert dump(twin) != dump(state)


def test_a_move_that_was_not_offered_is_refused_by_apply_too() -> None:
    for state, move in random_play(3):
        twin = state.copy()
        apply(twin, move)
        before = dump(twin)
        if move not in legal_moves(twin):
            with pytest.raises(IllegalMove):
                apply(twin, move)
            assert dump(twin) == before
