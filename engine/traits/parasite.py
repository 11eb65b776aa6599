"""Parasite (Паразит)."""

from engine.traits.base import Trait


class Parasite(Trait):
    """+2. Played on another seat's animal only."""

    name = "parasite"
    need = 2
    on_foreign = True
