"""The deck lists as data (RULES.md 2.2): how many of each card, the first trait named first."""

from typing import Final

_BOTH: Final = {
    "mimicry": 4,
    "running": 4,
    "scavenger": 4,
    "piracy": 4,
    "tail-loss": 4,
    "symbiosis": 4,
    "swimming": 8,
    "parasite/carnivorous": 4,
    "parasite/fat-tissue": 4,
    "large/carnivorous": 4,
    "large/fat-tissue": 4,
    "cooperation/carnivorous": 4,
    "cooperation/fat-tissue": 4,
}

DECKS: Final[dict[str, dict[str, int]]] = {
    "third-edition": _BOTH
    | {
        "communication/carnivorous": 4,
        "hibernation/carnivorous": 4,
        "poisonous/carnivorous": 4,
        "grazing/fat-tissue": 4,
        "camouflage/fat-tissue": 4,
        "burrowing/fat-tissue": 4,
        "sharp-vision/fat-tissue": 4,
    },
    "classic": _BOTH
    | {
        "communication": 4,
        "hibernation": 4,
        "poisonous": 4,
        "grazing": 4,
        "camouflage": 4,
        "burrowing": 4,
        "sharp-vision": 4,
    },
}
