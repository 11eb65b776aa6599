"""Burrowing (Норное)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.traits.base import Trait

if TYPE_CHECKING:
    from engine.state import Animal, State


class Burrowing(Trait):
    """Not attacked while it is fed; a hibernating animal is fed."""

    name = "burrowing"

    def protects(self, state: State, prey: Animal) -> str:
        return "prey-burrowed" if prey.is_fed() else ""
