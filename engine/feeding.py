"""Feeding (RULES.md 6.3, 6.4): the go, the obligation to take food, the end of a go and passing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.events import did, happened
from engine.moves import PASS, AnimalMove, Move, Table
from engine.questions import Question
from engine.tokens import can_receive, is_closed, receive
from engine.vocabulary import NOBODY, RED, AnimalId, Seat, TraitCode, seat_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.state import Animal, Link, State

LinkKey = tuple[TraitCode, AnimalId, AnimalId]  # a paired card: its trait, the lower animal, the higher


def link_key(trait: TraitCode, one: AnimalId, other: AnimalId) -> LinkKey:
    return (trait, one, other) if one < other else (trait, other, one)


class Feed(Question):
    """A go in feeding; it stays on the stack through all actions of the go and keeps the marks of the go."""

    kind = "feed"

    __slots__ = ("extra", "grazed", "main", "spent")

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.main = False  # the main action is made
        self.extra = False  # an extra action is made
        self.grazed: tuple[AnimalId, ...] = ()
        self.spent: tuple[LinkKey, ...] = ()  # paired cards that have fired in this go, sorted

    def answers(self, state: State) -> list[Move]:
        book = state.book
        player = state.players[self.seat]
        animals = player.animals
        moves: list[Move] = []
        obliged = False
        if not self.main and state.bank > 0:
            shutting = book.shutting
            for animal in animals.values():
                # This is can_receive, with what is commonest looked at here to save the calls.
                if (len(animal.food) < animal.need or animal.fat < animal.fat_slots) and not (
                    (animal.marks or animal.traits & shutting) and is_closed(state, animal)
                ):
                    moves.append(TAKE_FOOD[animal.id])
            obliged = bool(moves) and obliges(state, animals.values())
        acting = player.traits & (book.acting_beside if self.main else book.acting)
        if acting:
            for trait in book.having[acting]:
                bit = trait.bit
                for animal in animals.values():
                    if animal.traits & bit:
                        trait.offer(state, self, animal, moves)
        if moves and not obliged:
            moves.append(END if self.main or self.extra else PASS)
        return moves

    def passed(self, state: State) -> None:
        """A pass forfeits every ability that could have been used at this moment (RULES.md 6.4)."""
        happened(state, "go_passed", seat=seat_name(self.seat))
        for move in self.answers(state):
            if move.ability != NOBODY:
                state.animal(move.animal).forfeited |= 1 << move.ability

    def link_left(self, link: Link) -> None:
        key = link_key(link.trait, link.first, link.second)
        self.spent = tuple(other for other in self.spent if other != key)

    def close(self, state: State) -> None:
        state.stack.pop()
        state.idle = 0 if self.main or self.extra else state.idle + 1
        state.seat = self.seat + 1 if self.seat + 1 < len(state.players) else 0

    def copy(self) -> Feed:
        twin = Feed(self.seat)
        twin.main = self.main
        twin.extra = self.extra
        twin.grazed = self.grazed
        twin.spent = self.spent
        return twin


def obliges(state: State, animals: Iterable[Animal]) -> bool:
    """Whether a seat that could take food from the bank must make a main action (RULES.md 6.4)."""
    book = state.book
    if book.taking_is_free:
        return False
    if book.empty_fat_obliges:
        return True
    return any(len(animal.food) < animal.need and can_receive(state, animal) for animal in animals)


def open_go(state: State) -> Feed:
    """The go in feeding that everything on the stack belongs to."""
    go = state.stack[0]
    assert isinstance(go, Feed)
    return go


class TakeFood(AnimalMove):
    """Take one red token from the bank."""

    word = "feed"

    def do(self, state: State) -> None:
        open_go(state).main = True
        state.bank -= 1
        if state.log is not None:
            did(state, "food_taken", self.animal)
        receive(state, state.animal(self.animal), 1, RED, from_bank=True)


class End(Move):
    """End a go in which something has been done."""

    word = "end"

    def do(self, state: State) -> None:
        question = state.stack[-1]
        if state.log is not None:
            happened(state, "go_ended", seat=seat_name(question.seat))
        question.close(state)


END: Final = End()
TAKE_FOOD: Final[Table[AnimalId, TakeFood]] = Table(TakeFood)
