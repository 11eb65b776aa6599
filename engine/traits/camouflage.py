"""Camouflage (Камуфляж)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.traits.base import Trait
from engine.vocabulary import bit

if TYPE_CHECKING:
    from engine.state import Animal, State

_SEES_IT: Final = bit("sharp-vision")


class Camouflage(Trait):
    """Attacked by carnivores with sharp vision only."""

    name = "camouflage"

    def protects(self, state: State, hunter: Animal, prey: Animal) -> str:
        return "" if hunter.traits & _SEES_IT else "prey-camouflaged"
