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

    def protects(self, state: State, hunter: Animal, prey: Animal) -> str:
        return "" if hunter.traits & self.bit else "prey-large"
