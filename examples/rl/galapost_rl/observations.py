"""What a seat sees as a vector of fixed length. It is made of that seat's view, so nothing hidden can be in it.

Seats are counted clockwise from the one that looks, animals by slot as in ``actions.py``. All numbers are plain counts
or 0 and 1. docs/rl.md shows the table of sections.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import Any, Final

import numpy as np

from engine import OPTIONS
from engine.cards import KINDS
from engine.vocabulary import DEVELOPMENT, FEEDING, MARKS, OVER, SEAT_LETTERS, TRAITS
from galapost_rl.actions import SLOTS

HIGHEST: Final = 255.0  # no count is higher: two sets have 168 cards, and no game with them lasts as many turns

_PHASES: Final = (DEVELOPMENT, FEEDING, OVER)
_QUESTIONS: Final = ("develop", "feed", "defend", "scavenge", "share")
_MARKS: Final = (*MARKS, "grazed")
_ABILITIES: Final = ("carnivorous", "fat-tissue", "grazing", "hibernation", "piracy")
_PAIRED: Final = ("communication", "cooperation", "symbiosis")
_OF_ANIMAL: Final = 6 + len(TRAITS) + len(_MARKS) + len(_ABILITIES) + 3
_OF_SEAT: Final = 5

View = dict[str, Any]
Numbers = Iterable[float]


class Observations:
    """Views as vectors, for that number of seats."""

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.sections: dict[str, int] = {
            "game": 4 + len(_PHASES) + len(OPTIONS),
            "turns of the seats": 3 * seats,
            "question": len(_QUESTIONS) + 2,
            "own cards": 3 * len(KINDS),
            "seats": seats * _OF_SEAT,
            "animals": seats * SLOTS * _OF_ANIMAL,
            "pairs": seats * len(_PAIRED) * SLOTS * SLOTS,
        }
        self.size = sum(self.sections.values())

    def vector(self, seen: View) -> np.ndarray[Any, Any]:
        """The vector of a view, which is that of a seat."""
        me = SEAT_LETTERS.index(seen["you"])
        numbers = chain(
            self._game(seen),
            self._turns(seen, me),
            self._question(seen),
            self._own_cards(seen["seats"][me]),
            *(self._seat(seat) for seat in self._clockwise(seen, me)),
            *(self._animals(seat, seen["question"] or {}) for seat in self._clockwise(seen, me)),
        )
        return np.concatenate([np.fromiter(numbers, np.float32), self._pairs(seen, me)])

    def _clockwise(self, seen: View, me: int) -> list[View]:
        return [*seen["seats"][me:], *seen["seats"][:me]]

    def _game(self, seen: View) -> Numbers:
        yield from (seen["turn"], seen["bank"], seen["deck"], seen["last_turn"])
        yield from _one_of(_PHASES, seen["phase"])
        for option, values in OPTIONS.items():
            yield values.index(seen["options"][option])

    def _turns(self, seen: View, me: int) -> Numbers:
        """Who is the first player of the turn, whose go it is, who is asked."""
        clockwise = [SEAT_LETTERS[(me + away) % self.seats] for away in range(self.seats)]
        for seat in (seen["first"], seen["go"], (seen["question"] or {}).get("seat")):
            yield from _one_of(clockwise, seat)

    def _question(self, seen: View) -> Numbers:
        question = seen["question"] or {}
        yield from _one_of(_QUESTIONS, question.get("kind"))
        yield question.get("main_action_made", False)
        yield question.get("extra_action_made", False)

    def _own_cards(self, seat: View) -> Numbers:
        """How many of each kind of card: in hand, in the own pile, face down under own animals."""
        for cards in (seat["hand"], seat["pile"], [animal["card"] for animal in seat["animals"]]):
            count = Counter(cards)
            yield from (count[kind] for kind in KINDS)

    def _seat(self, seat: View) -> Numbers:
        animals = len(seat["animals"])
        yield from (seat["hand_size"], seat["pile_size"], seat["passed"], animals, max(0, animals - SLOTS))

    def _animals(self, seat: View, question: View) -> Numbers:
        animals = seat["animals"][:SLOTS]
        for animal in animals:
            yield from _animal(animal, question)
        yield from [0] * (_OF_ANIMAL * (SLOTS - len(animals)))

    def _pairs(self, seen: View, me: int) -> np.ndarray[Any, Any]:
        """1 where a paired card joins the animal of one slot, named first, to that of another; 2 where it is spent."""
        slots = {animal["id"]: slot for seat in seen["seats"] for slot, animal in enumerate(seat["animals"])}
        planes = np.zeros((self.seats, len(_PAIRED), SLOTS, SLOTS), np.float32)
        for pair in seen["pairs"]:
            first, second = slots[pair["animal"]], slots[pair["partner"]]
            if first < SLOTS and second < SLOTS:
                seat = (SEAT_LETTERS.index(pair["animal"][0]) - me) % self.seats
                planes[seat, _PAIRED.index(pair["trait"]), first, second] = 1 + pair["spent"]
        return planes.ravel()


def _one_of(words: Iterable[str], word: str | None) -> Numbers:
    return (word == other for other in words)


def _animal(animal: View, question: View) -> Numbers:
    yield from (1, animal["need"], animal["food"], animal["fat"], animal["fat_slots"], animal["fed"])
    traits = Counter(card["trait"] for card in animal["traits"])
    yield from (traits[trait] for trait in TRAITS)
    yield from (mark in animal["marks"] for mark in _MARKS)
    yield from (ability in animal["forfeited"] for ability in _ABILITIES)
    yield animal["id"] == question.get("carnivore")
    yield animal["id"] == question.get("prey")
    yield animal["id"] in question.get("ran", ())
