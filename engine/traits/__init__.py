"""The traits, one file each; the order is that of the table in RULES.md 2.1.

The order is part of the rules: by it the actions of a go and the defences of an animal are listed (RULES.md 6.8).
"""

from typing import Final

from engine.traits.base import Trait
from engine.traits.burrowing import Burrowing
from engine.traits.camouflage import Camouflage
from engine.traits.carnivorous import Carnivorous
from engine.traits.communication import Communication
from engine.traits.cooperation import Cooperation
from engine.traits.fat_tissue import FatTissue
from engine.traits.grazing import Grazing
from engine.traits.hibernation import Hibernation
from engine.traits.large import Large
from engine.traits.mimicry import Mimicry
from engine.traits.parasite import Parasite
from engine.traits.piracy import Piracy
from engine.traits.poisonous import Poisonous
from engine.traits.running import Running
from engine.traits.scavenger import Scavenger
from engine.traits.sharp_vision import SharpVision
from engine.traits.swimming import Swimming
from engine.traits.symbiosis import Symbiosis
from engine.traits.tail_loss import TailLoss

TRAIT_CLASSES: Final[tuple[type[Trait], ...]] = (
    Carnivorous,
    FatTissue,
    Piracy,
    Grazing,
    Hibernation,
    Communication,
    Cooperation,
    Scavenger,
    Running,
    Mimicry,
    TailLoss,
    Symbiosis,
    Swimming,
    Camouflage,
    SharpVision,
    Burrowing,
    Poisonous,
    Large,
    Parasite,
)
