"""Swimming (Водоплавающее)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.traits.base import Trait

if TYPE_CHECKING:
    from engine.state import Animal, State


class Swimming(Trait):
    """Hunts swimmers only, and is hunted by swimmers only."""

    name = "swimming"

    def forbids_attack(self, state: State, hunter: Animal, prey: Animal) -> str:
        if not (hunter.traits ^ prey.traits) & self.bit:
            return ""
        return "prey-in-water" if prey.traits & self.bit else "prey-on-land"
