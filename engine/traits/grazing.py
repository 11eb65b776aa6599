"""Grazing (Топотун)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.events import did
from engine.feeding import open_go
from engine.moves import AnimalMove, Move, Table
from engine.traits.base import Trait
from engine.vocabulary import TRAIT_CODES, AnimalId

if TYPE_CHECKING:
    from engine.feeding import Feed
    from engine.notation import Wanted
    from engine.state import Animal, State


class Grazing(Trait):
    """Once a go: destroy one red token of the bank, fed or hungry, awake or hibernating."""

    name = "grazing"
    action = "graze"

    def why_not_graze(self, state: State, go: Feed, animal: Animal) -> str:
        if not state.bank:
            return "bank-empty"
        if animal.id in go.grazed:
            return "already-grazed"
        return "forfeited" if animal.forfeited & self.bit else ""

    def offer(self, state: State, go: Feed, animal: Animal, moves: list[Move]) -> None:
        if not self.why_not_graze(state, go, animal):
            moves.append(GRAZE[animal.id])

    def dropped(self, state: State, animal: Animal) -> None:
        go = open_go(state)
        go.grazed = tuple(id for id in go.grazed if id != animal.id)

    def refuses(self, state: State, go: Feed, animal: Animal, wanted: Wanted) -> str:
        return self.why_not_graze(state, go, animal)


class Graze(AnimalMove):
    word = "graze"
    ability = TRAIT_CODES["grazing"]

    def do(self, state: State) -> None:
        go = open_go(state)
        go.extra = True
        go.grazed = tuple(sorted((*go.grazed, self.animal)))
        state.bank -= 1
        did(state, "bank_grazed", self.animal)


GRAZE: Final[Table[AnimalId, Graze]] = Table(Graze)
