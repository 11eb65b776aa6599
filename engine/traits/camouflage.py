"""Camouflage (Камуфляж)."""

from engine.traits.base import Trait


class Camouflage(Trait):
    """Attacked by carnivores with sharp vision only."""

    name = "camouflage"
    overcome_by = "sharp-vision"
    out_of_reach = "prey-camouflaged"
