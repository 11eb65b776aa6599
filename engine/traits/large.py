"""Large (Большой)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.traits.base import Trait

if TYPE_CHECKING:
    from engine.state import Animal, State


class Large(Trait):
    """+1. Attacked by large carnivores only."""

    name = "large"
    need = 1

    def forbids_attack(self, state: State, hunter: Animal, prey: Animal) -> str:
        return "prey-large" if prey.traits & self.bit and not hunter.traits & self.bit else ""
