"""Running (Быстрое)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from engine.chance import die
from engine.events import happened
from engine.hunting import end_attack, open_attack
from engine.moves import AnimalMove, Move, Table
from engine.traits.base import Trait
from engine.vocabulary import AnimalId, animal_name

if TYPE_CHECKING:
    from engine.hunting import Defend
    from engine.notation import Wanted
    from engine.state import Animal, State

ESCAPES: Final = 4  # this face or a higher one


class Running(Trait):
    """Attacked, it rolls a die: on 4, 5 or 6 it escapes. Once in every attack."""

    name = "running"
    defence = "run"

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        self.per_arrival = options["running"] == "per-arrival"

    def defend(self, state: State, attack: Defend, prey: Animal, answers: list[Move]) -> None:
        if prey.id not in attack.ran:
            answers.append(RUN[prey.id])

    def refuses_answer(self, state: State, attack: Defend, prey: Animal, wanted: Wanted) -> str:
        return "already-ran" if prey.id in attack.ran else ""

    def arrived(self, attack: Defend, prey: Animal) -> None:
        if self.per_arrival:
            attack.ran = tuple(id for id in attack.ran if id != prey.id)


class Run(AnimalMove):
    """Roll the die; the hunter of one that escapes gets nothing."""

    word = "run"

    def do(self, state: State) -> None:
        attack = open_attack(state)
        attack.ran = tuple(sorted((*attack.ran, self.animal)))
        face = die(state)
        escaped = face >= ESCAPES
        outcome = "it escapes" if escaped else "it does not escape"
        happened(state, "ran", animal=animal_name(self.animal), die=face, escaped=escaped, outcome=outcome)
        if escaped:
            end_attack(state)


RUN: Final[Table[AnimalId, Run]] = Table(Run)
