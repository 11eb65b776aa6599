"""When nobody need be asked which pair fires next (RULES.md 6.8): all orders are played and their ends compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.feeding import Feed, LinkKey, open_go
from engine.moves import Move
from engine.sharing import Share, Sharing

if TYPE_CHECKING:
    from engine.state import State

MOST_POSITIONS: Final = 4096  # where more are within reach, the seat is asked

# What pair triggers can change: the bank, food and fat of each animal concerned, spent cards, pending items.
Snapshot = tuple[int, tuple[tuple[str, int], ...], tuple[LinkKey, ...], tuple[Share, ...]]
Position = tuple[object, ...]


class TooMany(Exception):
    """More positions are within reach than the rules look at."""


class Lookahead:
    """Plays all orders of pair triggers on the state itself, taking each back, and compares where they end."""

    def __init__(self, state: State, sharing: Sharing) -> None:
        self.state = state
        self.sharing = sharing
        self.go: Feed = open_go(state)
        self.animals = [animal for animal in state.in_play() if animal.traits & state.book.triggered]
        # Spent cards matter only while more food can come in this go.
        self.compares_spent = not self.go.main or self._more_food_may_come()
        self.ends: dict[Position, frozenset[Position]] = {}
        self.looked_at = 0

    def _more_food_may_come(self) -> bool:
        book = self.state.book
        animals = self.state.players[self.go.seat].animals.values()
        return any(trait.may_still_feed(animal) for animal in animals for trait in book.having[animal.traits])

    def all_alike(self, answers: list[Move]) -> bool:
        log, self.state.log = self.state.log, None
        before, seat = self._snapshot(), self.sharing.seat
        try:
            first, *others = answers
            ends = self._ends_after(first, before)
            return all(self._ends_after(answer, before) == ends for answer in others)
        except TooMany:
            return False
        finally:
            self._restore(before)
            self.sharing.seat = seat
            self.state.log = log

    def _ends_after(self, answer: Move, before: Snapshot) -> frozenset[Position]:
        answer.do(self.state)
        try:
            return self._ends_from_here()
        finally:
            self._restore(before)

    def _ends_from_here(self) -> frozenset[Position]:
        here = self._snapshot()
        position = self._position(here)
        known = self.ends.get(position)
        if known is not None:
            return known
        answers = self.sharing.answers(self.state)
        if not answers:
            ends = frozenset([self._end(here)])
        else:
            self.looked_at += 1
            if self.looked_at > MOST_POSITIONS:
                raise TooMany
            ends = frozenset().union(*[self._ends_after(answer, here) for answer in answers])
        self.ends[position] = ends
        return ends

    def _snapshot(self) -> Snapshot:
        tokens = tuple([(animal.food, animal.fat) for animal in self.animals])
        return self.state.bank, tokens, self.go.spent, self.sharing.pending

    def _restore(self, snapshot: Snapshot) -> None:
        self.state.bank, tokens, self.go.spent, self.sharing.pending = snapshot
        for animal, (food, fat) in zip(self.animals, tokens, strict=True):
            animal.food, animal.fat = food, fat

    def _position(self, snapshot: Snapshot) -> Position:
        bank, tokens, spent, pending = snapshot
        return bank, _by_number(tokens), spent, frozenset(pending)

    def _end(self, snapshot: Snapshot) -> Position:
        bank, tokens, spent, _ = snapshot
        return bank, _by_number(tokens), spent if self.compares_spent else ()


def _by_number(tokens: tuple[tuple[str, int], ...]) -> tuple[tuple[int, int], ...]:
    return tuple([(len(food), fat) for food, fat in tokens])
