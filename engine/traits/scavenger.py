"""Scavenger (Падальщик)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from engine.events import did
from engine.moves import AnimalMove, Move, Table
from engine.questions import Question
from engine.tokens import can_receive, receive
from engine.traits.base import Trait
from engine.vocabulary import BLUE, TRAIT_CODES, AnimalId, Seat, owner_of

if TYPE_CHECKING:
    from engine.state import Animal, State

_BIT: Final = 1 << TRAIT_CODES["scavenger"]


class Scavenger(Trait):
    """After a kill one scavenger in the game receives a blue token: the first seat's from the hunter clockwise."""

    name = "scavenger"

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        self.first_born_eats = options["scavenger"] == "first"

    def killed(self, state: State, hunter: Animal) -> None:
        for seat in state.clockwise(owner_of(hunter.id)):
            hungry = scavengers(state, seat)
            if hungry:
                state.stack.append(Scavenging(seat))
                if self.first_born_eats:
                    SCAVENGE[hungry[0].id].do(state)
                return


def scavengers(state: State, seat: Seat) -> list[Animal]:
    """The animals of that seat that could eat what a kill leaves."""
    animals = state.players[seat].animals.values()
    return [animal for animal in animals if animal.traits & _BIT and can_receive(state, animal)]


class Scavenging(Question):
    """Which of a seat's scavengers eats."""

    __slots__ = ()

    kind = "scavenge"

    def __init__(self, seat: Seat) -> None:
        self.seat = seat

    def answers(self, state: State) -> list[Move]:
        return [SCAVENGE[animal.id] for animal in scavengers(state, self.seat)]

    def close(self, state: State) -> None:
        state.stack.pop()

    def copy(self) -> Scavenging:
        return Scavenging(self.seat)


class Scavenge(AnimalMove):
    word = "scavenge"

    def do(self, state: State) -> None:
        state.stack[-1].close(state)
        did(state, "scavenged", self.animal)
        receive(state, state.animal(self.animal), 1, BLUE, from_bank=False)


SCAVENGE: Final[Table[AnimalId, Scavenge]] = Table(Scavenge)
