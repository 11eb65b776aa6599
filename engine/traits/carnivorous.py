"""Carnivorous (Хищник)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.events import did
from engine.feeding import open_go
from engine.hunting import Defend, all_prey, why_not_prey
from engine.moves import Grid, Move, TargetMove
from engine.tokens import can_receive
from engine.traits.base import Trait
from engine.vocabulary import HUNTED, TRAIT_CODES, AnimalId

if TYPE_CHECKING:
    from engine.feeding import Feed
    from engine.notation import Wanted
    from engine.state import Animal, State


class Carnivorous(Trait):
    """+1. The main action of a go may be its attack on another animal, once a turn. Not on a scavenger."""

    name = "carnivorous"
    action = "attack"
    need = 1
    excludes = ("scavenger",)
    marks = HUNTED
    main = True

    def why_not_hunter(self, state: State, animal: Animal) -> str:
        """Conditions 1 and 2 of an attack (RULES.md 6.5)."""
        if animal.marks & HUNTED:
            return "already-attacked"
        if animal.forfeited & self.bit:
            return "forfeited"
        if not can_receive(state, animal):
            return "cannot-receive"
        return ""

    def offer(self, state: State, go: Feed, animal: Animal, moves: list[Move]) -> None:
        if not self.why_not_hunter(state, animal):
            attacks = ATTACK[animal.id]
            for prey in all_prey(state, animal):
                moves.append(attacks[prey.id])

    def refuses(self, state: State, go: Feed, animal: Animal, wanted: Wanted) -> str:
        reason = self.why_not_hunter(state, animal)
        if reason or wanted.target is None:
            return reason
        return why_not_prey(state, animal, state.animal(wanted.target))


class Attack(TargetMove):
    """A carnivore attacks. Whatever comes of it, its attack and the main action of the go are used."""

    word = "attack"
    ability = TRAIT_CODES["carnivorous"]

    def do(self, state: State) -> None:
        open_go(state).main = True
        state.animal(self.animal).marks |= HUNTED
        did(state, "attacked", self.animal, self.target)
        state.stack.append(Defend(self.animal, self.target))


ATTACK: Final[Grid[AnimalId, Attack]] = Grid(Attack)
