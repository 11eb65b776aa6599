"""Large (Большой)."""

from engine.traits.base import Trait


class Large(Trait):
    """+1. Attacked by large carnivores only."""

    name = "large"
    need = 1
    overcome_by = "large"
    out_of_reach = "prey-large"
