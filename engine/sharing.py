"""Pair triggers (RULES.md 6.6): which paired card fires next, and when nobody need be asked (6.8).

The traits that fire put a :class:`Share` into ``pending`` for each direction in which a token may pass; it is resolved
when the action is complete but for them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from engine.events import happened
from engine.feeding import Feed, LinkKey, link_key, open_go
from engine.moves import Grid, Move, Table
from engine.questions import Question
from engine.tokens import receive
from engine.vocabulary import BLUE, RED, TRAITS, AnimalId, Seat, TraitCode, animal_name, owner_of

if TYPE_CHECKING:
    from engine.state import Animal, State

MOST_POSITIONS: Final = 4096  # where more are within reach, the seat is asked


class Share(Move):
    """One direction of a paired card: the token passes from ``animal`` to ``target``."""

    word = "share"
    operands = ("trait", "passage")

    def __init__(self, trait: TraitCode, animal: AnimalId, target: AnimalId) -> None:
        self.trait = trait
        self.animal = animal
        self.target = target
        self.link = link_key(trait, animal, target)

    def possible(self, state: State, spent: tuple[LinkKey, ...]) -> bool:
        if self.link in spent:
            return False
        giver, partner = state.find(self.animal), state.find(self.target)
        if giver is None or partner is None or giver.link_to(self.target, self.trait) is None:
            return False
        return state.book.by_code[self.trait].possible(state, partner)

    def do(self, state: State) -> None:
        sharing = state.stack[-1]
        assert isinstance(sharing, Sharing)
        go = open_go(state)
        go.spent = tuple(sorted((*go.spent, self.link)))
        sharing.pending = tuple(item for item in sharing.pending if item.link != self.link)
        if state.log is not None:
            names = {"animal": animal_name(self.animal), "target": animal_name(self.target)}
            happened(state, "shared", trait=TRAITS[self.trait], **names)
        state.book.by_code[self.trait].share(state, state.animal(self.target))


class Sharing(Question):
    """Pair triggers still to be resolved; whose they are depends on what is possible now."""

    __slots__ = ("pending",)

    kind = "share"
    compares = True

    def __init__(self, pending: tuple[Share, ...]) -> None:
        self.pending = pending
        self.seat: Seat = 0  # known when the answers are

    def answers(self, state: State) -> list[Move]:
        spent = open_go(state).spent
        possible = [item for item in self.pending if item.possible(state, spent)]
        if not possible:
            return []
        owners = {owner_of(item.animal) for item in possible}
        self.seat = next(seat for seat in state.clockwise(state.go) if seat in owners)
        own = [item for item in possible if owner_of(item.animal) == self.seat]
        return [*sorted(own, key=share_order)]

    def close(self, state: State) -> None:
        """What could not fire is dropped; its card stays unspent."""
        state.stack.pop()

    def all_alike(self, state: State, answers: list[Move]) -> bool:
        return Lookahead(state, self).all_alike(answers)

    def copy(self) -> Sharing:
        twin = Sharing(self.pending)
        twin.seat = self.seat
        return twin


def share_order(share: Share) -> tuple[AnimalId, AnimalId, TraitCode]:
    """The canonical order: by who passes, to whom, by which card."""
    return share.animal, share.target, share.trait


def _shares_by(trait: TraitCode) -> Grid[AnimalId, Share]:
    return Grid(partial(Share, trait))


SHARE: Final[Table[TraitCode, Grid[AnimalId, Share]]] = Table(_shares_by)


def pass_on(state: State, animal: Animal, trait: TraitCode) -> None:
    """The animal received a token: each unspent card of that trait on it may pass one to the partner."""
    spent = open_go(state).spent
    items = []
    for link in animal.links:
        if link.trait == trait and link_key(trait, link.first, link.second) not in spent:
            items.append(SHARE[trait][animal.id][link.partner(animal.id)])
    if items:
        _pend(state, items)


def _pend(state: State, items: list[Share]) -> None:
    top = state.stack[-1]
    if not isinstance(top, Sharing):
        top = Sharing(())
        state.stack.append(top)
    top.pending += tuple(item for item in items if item not in top.pending)


def share_blue(state: State, partner: Animal) -> None:
    receive(state, partner, 1, BLUE, from_bank=False)


def share_red(state: State, partner: Animal) -> None:
    state.bank -= 1
    receive(state, partner, 1, RED, from_bank=True)


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
