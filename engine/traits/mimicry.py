"""Mimicry (Мимикрия)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from engine.events import did
from engine.hunting import redirect, why_not_prey
from engine.moves import Grid, Move, TargetMove
from engine.traits.base import Trait
from engine.vocabulary import MIMICKED, AnimalId, owner_of

if TYPE_CHECKING:
    from engine.hunting import Defend
    from engine.notation import Wanted
    from engine.state import Animal, State


class Mimicry(Trait):
    """Once a turn it sends the attacker to another animal of its owner that this attacker could attack."""

    name = "mimicry"
    defence = "mimic"
    marks = MIMICKED

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        self.optional = options["mimicry-use"] == "optional"
        self.per_attack = options["mimicry"] == "per-attack"

    def defend(self, state: State, attack: Defend, prey: Animal, answers: list[Move]) -> None:
        if prey.marks & MIMICKED:
            return
        hunter = state.animal(attack.carnivore)
        for other in state.players[owner_of(prey.id)].animals.values():
            if other is not prey and not why_not_prey(state, hunter, other):
                answers.append(MIMIC[prey.id][other.id])

    def refuses_answer(self, state: State, attack: Defend, prey: Animal, wanted: Wanted) -> str:
        if prey.marks & MIMICKED:
            return "already-mimicked"
        if wanted.target is None or wanted.target == prey.id or owner_of(wanted.target) != attack.seat:
            return "target-not-another-own"
        return why_not_prey(state, state.animal(attack.carnivore), state.animal(wanted.target))

    def attack_ended(self, state: State) -> None:
        if self.per_attack:
            for animal in state.in_play():
                animal.marks &= ~MIMICKED


class Mimic(TargetMove):
    """The attack goes to another animal, which has defences of its own."""

    word = "mimic"

    def do(self, state: State) -> None:
        state.animal(self.animal).marks |= MIMICKED
        did(state, "mimicked", self.animal, self.target)
        redirect(state, self.target)


MIMIC: Final[Grid[AnimalId, Mimic]] = Grid(Mimic)
