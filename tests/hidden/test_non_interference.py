"""What a viewer may not know makes no difference to anything that the engine shows him (RULES.md 3.5).

A property over random play: all seat counts, both decks, all house rules; each seat and a spectator. `HIDDEN_GAMES=1000`
in the environment looks at more games than the suite does.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from typing import Any

import pytest

from engine import State, asked, dump, legal_moves, load
from engine.development import Develop
from engine.events import happened
from engine.moves import PASS
from tests.engine.play import cards, random_play
from tests.hidden.comparing import compare, moments
from tests.hidden.looks import answer
from tests.hidden.twins import twin, viewers

BATCHES = 10
GAMES = int(os.environ.get("HIDDEN_GAMES", "70"))
INTERPRETED = str(sys.modules["engine.view"].__file__).endswith(".py")  # what is compiled can't be sabotaged


@pytest.mark.parametrize("batch", range(BATCHES))
def test_what_a_viewer_may_not_know_makes_no_difference_to_him(batch: int) -> None:
    """Views, drawings, positions, whose decision it is and of what kind, legal moves, refusals; now and after a move."""
    count = compare(range(batch, GAMES, BATCHES))
    assert count["states"] >= 8 * count["games"]
    assert count["pairs"] >= 4 * count["states"]
    assert count["pairs with other hands"] >= 0.8 * count["pairs"]


def test_twins_hold_the_same_cards_and_are_not_the_same() -> None:
    chance = random.Random(1)
    for state, _ in moments(8):
        for viewer in viewers(state):
            other = twin(state, viewer, chance)
            assert cards(other) == cards(state) and dump(other) != dump(state)
            assert load(dump(other)).deck == other.deck
            assert viewer is None or other.players[viewer].hand == state.players[viewer].hand


def test_a_seat_is_asked_in_development_because_it_has_cards_and_not_for_what_they_are() -> None:
    """No hand answers by force: any card can be an animal, and one may always pass."""
    for number in range(14):
        for state, _ in random_play(number):
            if state.phase == "development":
                assert {move.word for move in legal_moves(state)} >= {"animal", "pass"}


def test_a_seat_whose_hand_is_empty_is_not_asked() -> None:
    """The number of cards in a hand is public, so this tells nobody anything."""
    for number in range(14):
        assert all(state.players[asked(state)].hand for state, _ in random_play(number) if state.phase == "development")


def test_the_words_of_a_refusal_do_not_depend_on_who_else_holds_the_card() -> None:
    """A card that is not in the hand is not in the hand, wherever it is."""
    state = next(state for state, _ in random_play(1) if state.turn == 1)
    seat = asked(state)
    told = set()
    for trial in range(50):
        other = twin(state, seat, random.Random(trial))
        told.add(str([answer(other, f"animal {card}") for card in ("mimicry", "running", "symbiosis", "swimming")]))
    assert len(told) == 1 and "not-in-hand" in told.pop()


# That the comparison finds a leak, of each kind.


def _all_is_own(state: State, seat: int, own: bool) -> dict[str, Any]:
    return SEAT_VIEW(state, seat, True)


def _secret_as_fact(state: State, type: str, knower: int, secret: dict[str, Any], **facts: Any) -> None:
    happened(state, type, **facts | secret)


def _reason_from_the_deck(state: State, wanted: Any) -> tuple[str, str]:
    return "not-legal-now", f"the next card is {state.deck[:1]}"


def _kind_of_few(self: Develop, state: State) -> list[Any]:
    """Asks a seat nothing that holds only cards of one kind."""
    hand = state.players[self.seat].hand
    return [PASS] if len(set(hand)) < 5 else ANSWERS(self, state)


def _die_of_the_seed(state: State) -> int:
    return 1 + state.key[0] % 6


ANSWERS: Callable[[Develop, State], list[Any]] = Develop.answers
SEAT_VIEW: Callable[[State, int, bool], dict[str, Any]] = sys.modules["engine.view"]._seat_view
SABOTAGE = {
    "a hand in the view": ("engine.view", "_seat_view", _all_is_own),
    "a secret told to all": ("engine.development", "happened_in_secret", _secret_as_fact),
    "a draw told to all": ("engine.extinction", "happened_in_secret", _secret_as_fact),
    "a reason out of the deck": ("engine.notation.reading", "why_not", _reason_from_the_deck),
    "dice out of the key": ("engine.flow", "die", _die_of_the_seed),
}


@pytest.mark.skipif(not INTERPRETED, reason="what is compiled can't be sabotaged")
@pytest.mark.parametrize("leak", SABOTAGE)
def test_the_comparison_finds(leak: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, sabotaged = SABOTAGE[leak]
    monkeypatch.setattr(sys.modules[module], name, sabotaged)
    with pytest.raises(AssertionError, match="viewer"):
        compare(range(14))


@pytest.mark.skipif(not INTERPRETED, reason="what is compiled can't be sabotaged")
def test_the_comparison_finds_a_question_that_hangs_on_a_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Develop, "answers", _kind_of_few)
    with pytest.raises(AssertionError, match="viewer"):
        compare(range(14))
