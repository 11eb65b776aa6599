"""Piracy (Пиратство)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from engine.events import did
from engine.feeding import open_go
from engine.moves import Grid, Move, TargetMove
from engine.tokens import can_receive, receive
from engine.traits.base import Trait
from engine.vocabulary import BLUE, PIRATED, TRAIT_CODES, AnimalId

if TYPE_CHECKING:
    from engine.feeding import Feed
    from engine.notation import Wanted
    from engine.state import Animal, State


class Piracy(Trait):
    """Once a turn, while hungry: take a food token from an animal that has one and is not fed."""

    name = "piracy"
    action = "steal"
    marks = PIRATED

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        self.into_fat = options["piracy"] == "into-fat"

    def why_not_pirate(self, state: State, animal: Animal) -> str:
        if animal.marks & PIRATED:
            return "already-stolen"
        if animal.forfeited & self.bit:
            return "forfeited"
        if animal.is_fed() and not self.into_fat:
            return "already-fed"
        return "" if can_receive(state, animal) else "cannot-receive"

    def why_not_victim(self, pirate: Animal, victim: Animal) -> str:
        if victim is pirate:
            return "victim-is-the-pirate"
        if not victim.food:
            return "victim-without-food"
        return "victim-fed" if victim.is_fed() else ""

    def offer(self, state: State, go: Feed, animal: Animal, moves: list[Move]) -> None:
        if not self.why_not_pirate(state, animal):
            thefts = STEAL[animal.id]
            for player in state.players:
                for victim in player.animals.values():
                    if victim.food and not self.why_not_victim(animal, victim):
                        moves.append(thefts[victim.id])

    def may_still_feed(self, animal: Animal) -> bool:
        return not animal.marks & PIRATED

    def refuses(self, state: State, go: Feed, animal: Animal, wanted: Wanted) -> str:
        reason = self.why_not_pirate(state, animal)
        if reason or wanted.target is None:
            return reason
        return self.why_not_victim(animal, state.animal(wanted.target))


class Steal(TargetMove):
    """The pirate takes the token that came last and receives a blue one."""

    word = "steal"
    ability = TRAIT_CODES["piracy"]

    def do(self, state: State) -> None:
        open_go(state).extra = True
        pirate, victim = state.animal(self.animal), state.animal(self.target)
        pirate.marks |= PIRATED
        victim.food = victim.food[:-1]
        did(state, "food_stolen", self.animal, self.target)
        receive(state, pirate, 1, BLUE, from_bank=False)


STEAL: Final[Grid[AnimalId, Steal]] = Grid(Steal)
