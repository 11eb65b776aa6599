"""Fat tissue (Жировой запас)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from engine.events import happened
from engine.feeding import open_go
from engine.moves import AnimalMove, Grid, Move
from engine.traits.base import Trait
from engine.vocabulary import BLUE, TRAIT_CODES, AnimalId, animal_name

if TYPE_CHECKING:
    from engine.feeding import Feed
    from engine.notation import Wanted
    from engine.state import Animal, State


class FatTissue(Trait):
    """Stores one yellow token, filled by a token that comes to a fed animal. Yellow tokens may be turned into food."""

    name = "fat-tissue"
    action = "convert"
    repeatable = True
    stores_fat = True

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        self.main = options["fat-conversion"] == "main"

    def why_not_convert(self, animal: Animal) -> str:
        if animal.is_fed():
            return "already-fed"
        if animal.forfeited & self.bit:
            return "forfeited"
        return "" if animal.fat else "no-fat"

    def offer(self, state: State, go: Feed, animal: Animal, moves: list[Move]) -> None:
        if animal.fat and not self.why_not_convert(animal):
            most = min(animal.fat, animal.need - len(animal.food))
            moves += [CONVERT[animal.id][count] for count in range(1, most + 1)]

    def refuses(self, state: State, go: Feed, animal: Animal, wanted: Wanted) -> str:
        return self.why_not_convert(animal) or "too-many-tokens"


class Convert(AnimalMove):
    """Turn yellow tokens into blue food. This is not receiving: it triggers nothing."""

    word = "convert"
    operands = ("animal", "count")
    ability = TRAIT_CODES["fat-tissue"]

    def __init__(self, animal: AnimalId, count: int) -> None:
        super().__init__(animal)
        self.count = count

    def do(self, state: State) -> None:
        go = open_go(state)
        if state.book.by_code[self.ability].main:
            go.main = True
        else:
            go.extra = True
        animal = state.animal(self.animal)
        animal.fat -= self.count
        animal.food += BLUE * self.count
        happened(state, "fat_converted", animal=animal_name(self.animal), count=self.count)


CONVERT: Final[Grid[int, Convert]] = Grid(Convert)
