"""Symbiosis (Симбиоз)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.traits.base import Trait

if TYPE_CHECKING:
    from engine.state import Animal, State


class Symbiosis(Trait):
    """The symbiont protects its partner from attack; the partner receives nothing until the symbiont is fed."""

    name = "symbiosis"
    paired = True
    directed = True

    def protects(self, state: State, prey: Animal) -> str:
        # A card lies on the table only while both its animals live.
        for link in prey.links:
            if link.trait == self.code and link.second == prey.id:
                return "prey-protected"
        return ""

    def shuts(self, state: State, animal: Animal) -> bool:
        for link in animal.links:
            if link.trait == self.code and link.second == animal.id and not state.animal(link.first).is_fed():
                return True
        return False
