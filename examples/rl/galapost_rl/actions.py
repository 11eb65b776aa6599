"""Moves as numbers: a fixed space of actions for a number of seats, both ways.

An action names animals by *slot*, the place of an animal among those of its seat in order of birth, and other seats by
how far they sit clockwise from the one that is asked. So a number means the same in every game and for every seat.
docs/rl.md shows the table of blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any, Final

from engine import Move, State, legal_moves
from engine.cards import END_TRAIT, ENDS, KINDS
from engine.rulebooks.book import rulebook
from engine.vocabulary import NOBODY, TRAITS, AnimalId, owner_of

SLOTS: Final = 16  # of each seat; in random play no seat had more than 11 animals
MOST_CONVERTED: Final = 5  # the need of an animal that is carnivorous, large and infested
OTHERS: Final = 64  # actions for moves that name an animal without a slot

_BOOK: Final = rulebook()
_PAIRED: Final = [code for code in range(len(TRAITS)) if _BOOK.by_code[code].paired]
_SHARING: Final = [code for code in _PAIRED if _BOOK.triggered >> code & 1]
_SINGLE: Final = [code for code in range(len(TRAITS)) if code not in _PAIRED]
_PAIR_ENDS: Final = [end for end in range(len(ENDS)) if END_TRAIT[end] in _PAIRED]
_FOREIGN_ENDS: Final = [end for end in range(len(ENDS)) if _BOOK.by_code[END_TRAIT[end]].on_foreign]
_OWN_ENDS: Final = [end for end in range(len(ENDS)) if end not in _PAIR_ENDS and end not in _FOREIGN_ENDS]

Place = tuple[int, ...]  # where in its block an action lies


class NoSlot(Exception):
    """The move names an animal beyond the slots of its seat."""


class Slots:
    """Where the animals of one state lie, as the seat that is asked counts."""

    def __init__(self, state: State) -> None:
        self.me = state.stack[-1].seat
        self.seats = len(state.players)
        self.of = {id: slot for player in state.players for slot, id in enumerate(player.animals)}

    def slot(self, animal: AnimalId) -> int:
        if self.of[animal] >= SLOTS:
            raise NoSlot
        return self.of[animal]

    def seat(self, animal: AnimalId) -> int:
        """0 for one's own animals, 1 for those of the next seat clockwise."""
        return (owner_of(animal) - self.me) % self.seats


@dataclass(frozen=True)
class Block:
    """The actions of one kind of move; ``place`` says where in the block a move lies."""

    name: str
    shape: tuple[int, ...]
    place: Callable[[Any, Slots], Place]

    @property
    def size(self) -> int:
        return prod(self.shape)

    def offset(self, place: Place) -> int:
        index = 0
        for at, size in zip(place, self.shape, strict=True):
            index = index * size + at
        return index


class Actions:
    """The space of actions for that number of seats: ``count`` numbers from 0 on."""

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.blocks = {block.name: block for block in _blocks(seats)}
        self.starts: dict[str, int] = {}
        self.others = 0
        for block in self.blocks.values():
            self.starts[block.name] = self.others
            self.others += block.size
        self.count = self.others + OTHERS

    def index(self, state: State, move: Move) -> int | None:
        """The action that is this move now; None when it names an animal without a slot."""
        return self._index(Slots(state), move)

    def _index(self, slots: Slots, move: Move) -> int | None:
        name = _block_of(move, slots)
        block = self.blocks[name]
        try:
            return self.starts[name] + block.offset(block.place(move, slots))
        except NoSlot:
            return None

    def legal(self, state: State) -> dict[int, Move]:
        """The legal moves by action. Those without one of their own get the last actions, in canonical order.

        When there are more of these than ``OTHERS`` the rest cannot be played; there is always at least one action.
        """
        moves = legal_moves(state)
        if not moves:
            return {}
        slots = Slots(state)
        found = {}
        others = self.others
        for move in moves:
            index = self._index(slots, move)
            if index is None and others < self.count:
                index, others = others, others + 1
            if index is not None:
                found[index] = move
        return found

    def table(self) -> list[tuple[str, tuple[int, ...], int]]:
        """Name, shape and first action of each block."""
        blocks = [(name, block.shape, self.starts[name]) for name, block in self.blocks.items()]
        return [*blocks, ("others", (OTHERS,), self.others)]


def _block_of(move: Any, slots: Slots) -> str:
    if move.word in ("pass", "end"):
        return "stop"
    if move.word == "play" and move.partner != NOBODY:
        return "play pair"
    if move.word == "play" and slots.seat(move.animal):
        return "play on others"
    if move.word == "drop" and move.pair:
        return "drop pair"
    return str(move.word)


def _blocks(seats: int) -> list[Block]:
    return [
        Block("stop", (1,), lambda move, slots: (0,)),
        Block("animal", (len(KINDS),), lambda move, slots: (move.kind,)),
        Block(
            "play", (len(_OWN_ENDS), SLOTS), lambda move, slots: (_OWN_ENDS.index(move.end), slots.slot(move.animal))
        ),
        Block("play on others", (len(_FOREIGN_ENDS), seats - 1, SLOTS), _foreign),
        Block("play pair", (len(_PAIR_ENDS), SLOTS, SLOTS), _pair),
        Block("feed", (SLOTS,), _animal),
        Block("attack", (SLOTS, seats, SLOTS), _animal_and_target),
        Block("convert", (SLOTS, MOST_CONVERTED), lambda move, slots: (slots.slot(move.animal), move.count - 1)),
        Block("steal", (SLOTS, seats, SLOTS), _animal_and_target),
        Block("graze", (SLOTS,), _animal),
        Block("hibernate", (SLOTS,), _animal),
        Block("run", (SLOTS,), _animal),
        Block("mimic", (SLOTS, SLOTS), lambda move, slots: (slots.slot(move.animal), slots.slot(move.target))),
        Block("drop", (SLOTS, len(_SINGLE), 2), _dropped),
        Block("drop pair", (SLOTS, len(_PAIRED), 2, SLOTS), _dropped_pair),
        Block("yield", (SLOTS,), _animal),
        Block("scavenge", (SLOTS,), _animal),
        Block("share", (len(_SHARING), SLOTS, SLOTS), _shared),
    ]


def _animal(move: Any, slots: Slots) -> Place:
    return (slots.slot(move.animal),)


def _animal_and_target(move: Any, slots: Slots) -> Place:
    return slots.slot(move.animal), slots.seat(move.target), slots.slot(move.target)


def _foreign(move: Any, slots: Slots) -> Place:
    return _FOREIGN_ENDS.index(move.end), slots.seat(move.animal) - 1, slots.slot(move.animal)


def _pair(move: Any, slots: Slots) -> Place:
    return _PAIR_ENDS.index(move.end), slots.slot(move.animal), slots.slot(move.partner)


def _dropped(move: Any, slots: Slots) -> Place:
    """The third number is 1 for a full fat card where there is an empty one too."""
    return slots.slot(move.animal), _SINGLE.index(move.trait), int(move.full)


def _dropped_pair(move: Any, slots: Slots) -> Place:
    """The third number is 1 when the animal is named second in the pair; of a symbiosis that is the protected one."""
    first, second = move.pair
    is_second = move.animal == second
    partner = first if is_second else second
    return slots.slot(move.animal), _PAIRED.index(move.trait), int(is_second), slots.slot(partner)


def _shared(move: Any, slots: Slots) -> Place:
    return _SHARING.index(move.trait), slots.slot(move.animal), slots.slot(move.target)
