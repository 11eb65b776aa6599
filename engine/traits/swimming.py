"""Swimming (Водоплавающее)."""

from engine.traits.base import Trait


class Swimming(Trait):
    """Hunts swimmers only, and is hunted by swimmers only."""

    name = "swimming"
    both_or_neither = True
    out_of_reach = "prey-in-water"
