"""Hibernation (Спячка)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from engine.events import did
from engine.feeding import open_go
from engine.moves import AnimalMove, Move, Table
from engine.traits.base import Trait
from engine.vocabulary import HIBERNATED, HIBERNATING, TRAIT_CODES, AnimalId

if TYPE_CHECKING:
    from engine.feeding import Feed
    from engine.notation import Wanted
    from engine.state import Animal, State


class Hibernation(Trait):
    """Counts as fed until the end of the turn. Not two turns running, not in the last turn."""

    name = "hibernation"
    action = "hibernate"
    marks = HIBERNATING | HIBERNATED

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        self.while_fed = options["hibernation"] == "any"

    def why_not_hibernate(self, state: State, animal: Animal) -> str:
        if animal.marks & HIBERNATING:
            return "already-hibernating"
        if animal.marks & HIBERNATED:
            return "hibernated-last-turn"
        if state.last_turn:
            return "last-turn"
        if animal.forfeited & self.bit:
            return "forfeited"
        return "already-fed" if animal.is_fed() and not self.while_fed else ""

    def offer(self, state: State, go: Feed, animal: Animal, moves: list[Move]) -> None:
        if not self.why_not_hibernate(state, animal):
            moves.append(HIBERNATE[animal.id])

    def refuses(self, state: State, go: Feed, animal: Animal, wanted: Wanted) -> str:
        return self.why_not_hibernate(state, animal)


class Hibernate(AnimalMove):
    word = "hibernate"
    ability = TRAIT_CODES["hibernation"]

    def do(self, state: State) -> None:
        open_go(state).extra = True
        state.animal(self.animal).marks |= HIBERNATING
        did(state, "hibernated", self.animal)


HIBERNATE: Final[Table[AnimalId, Hibernate]] = Table(Hibernate)
