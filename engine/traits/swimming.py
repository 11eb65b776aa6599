"""Swimming (Водоплавающее)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.traits.base import Trait

if TYPE_CHECKING:
    from engine.state import Animal, State


class Swimming(Trait):
    """Hunts swimmers only, and is hunted by swimmers only."""

    name = "swimming"

    def protects(self, state: State, hunter: Animal, prey: Animal) -> str:
        return "" if hunter.traits & self.bit else "prey-in-water"

    def hinders(self, hunter: Animal, prey: Animal) -> str:
        return "" if prey.traits & self.bit else "prey-on-land"
