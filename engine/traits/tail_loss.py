"""Tail loss (Отбрасывание хвоста)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from engine.cards import END_TRAIT, ENDS, End
from engine.events import happened
from engine.hunting import bite_tail
from engine.moves import AnimalMove, Grid, Move
from engine.table import drop_card, drop_link
from engine.traits.base import Trait
from engine.vocabulary import AnimalId, TraitCode, animal_name

if TYPE_CHECKING:
    from engine.hunting import Defend
    from engine.notation import Wanted
    from engine.state import Animal, State

Pair = tuple[AnimalId, AnimalId]
Lost = tuple[TraitCode, bool, Pair | None]  # which card: its trait, a full fat card, the two animals it joins


class TailLoss(Trait):
    """Attacked, it may lose any card of its animal, itself included; the animal lives, the hunter gets one token."""

    name = "tail-loss"
    defence = "drop"

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        self.optional = options["tail-loss"] == "optional"

    def defend(self, state: State, attack: Defend, prey: Animal, answers: list[Move]) -> None:
        drops = DROP[prey.id]
        for code in sorted({END_TRAIT[end] for end in prey.cards}):
            answers.append(drops[code, False, None])
            if state.book.by_code[code].stores_fat and 0 < prey.fat < prey.fat_slots:
                answers.append(drops[code, True, None])
        for link in sorted(prey.links, key=lambda link: (link.partner(prey.id), link.trait)):
            answers.append(drops[link.trait, False, (link.first, link.second)])

    def refuses_answer(self, state: State, attack: Defend, prey: Animal, wanted: Wanted) -> str:
        return "card-not-there"


class Drop(AnimalMove):
    """Lose a card and live. ``full`` tells a full fat card from an empty one, where the animal has both."""

    word = "drop"
    operands = ("animal", "lost")

    def __init__(self, animal: AnimalId, lost: Lost) -> None:
        super().__init__(animal)
        self.trait, self.full, self.pair = lost

    def do(self, state: State) -> None:
        animal = state.animal(self.animal)
        card = self._lose_single(state, animal) if self.pair is None else self._lose_pair(state, animal, self.pair)
        happened(state, "tail_dropped", animal=animal_name(self.animal), card=ENDS[card])
        bite_tail(state)

    def _lose_pair(self, state: State, animal: Animal, pair: Pair) -> End:
        link = next(link for link in animal.links if link.trait == self.trait and (link.first, link.second) == pair)
        drop_link(state, animal, link)
        return link.end

    def _lose_single(self, state: State, animal: Animal) -> End:
        places = [at for at, end in enumerate(animal.cards) if END_TRAIT[end] == self.trait]
        place = places[-1]
        if state.book.by_code[self.trait].stores_fat and (self.full or animal.fat == animal.fat_slots):
            # Of several full fat cards the one played last is dropped first (RULES.md 2.3).
            place = places[animal.fat - 1]
            animal.fat -= 1
        return drop_card(state, animal, place)


DROP: Final[Grid[Lost, Drop]] = Grid(Drop)
