"""Poisonous (Ядовитое)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.events import did
from engine.traits.base import Trait
from engine.vocabulary import POISONED

if TYPE_CHECKING:
    from engine.state import Animal, State


class Poisonous(Trait):
    """The carnivore that eats it dies in this turn's extinction."""

    name = "poisonous"

    def eaten(self, state: State, hunter: Animal) -> None:
        hunter.marks |= POISONED
        did(state, "poisoned", hunter.id)
