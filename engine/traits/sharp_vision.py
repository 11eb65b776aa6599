"""Sharp vision (Острое зрение)."""

from engine.traits.base import Trait


class SharpVision(Trait):
    """Its carnivore sees the camouflaged. Who hides names the exception, so there is nothing to say here."""

    name = "sharp-vision"
