"""The words everything else uses: seats, animals, traits, phases, marks.

In the engine seats, animals and traits are small integers, because they are compared and looked up in every
move; on paper they are the words of the notation. The functions here lead from one to the other.
"""

from typing import Final

Seat = int  # 0 … 7, clockwise
AnimalId = int  # the seat and the number of the animal in one integer
TraitCode = int  # index into TRAITS
Bits = int  # a set of traits, one bit each

SEAT_LETTERS: Final = "ABCDEFGH"

TRAITS: Final = (
    "burrowing",
    "camouflage",
    "carnivorous",
    "communication",
    "cooperation",
    "fat-tissue",
    "grazing",
    "hibernation",
    "large",
    "mimicry",
    "parasite",
    "piracy",
    "poisonous",
    "running",
    "scavenger",
    "sharp-vision",
    "swimming",
    "symbiosis",
    "tail-loss",
)
TRAIT_CODES: Final[dict[str, TraitCode]] = {name: code for code, name in enumerate(TRAITS)}

DEVELOPMENT: Final = "development"
FEEDING: Final = "feeding"
OVER: Final = "over"

RED: Final = "r"  # food from the bank
BLUE: Final = "b"  # food from anywhere else

# Marks of an animal that last for the turn (RULES.md 6.9), one bit each.
HIBERNATING: Final = 1
HIBERNATED: Final = 2  # hibernated in the last turn
POISONED: Final = 4
HUNTED: Final = 8  # its attack of this turn is used
PIRATED: Final = 16  # its theft of this turn is used
MIMICKED: Final = 32  # its mimicry of this turn is used
MARKS: Final[dict[str, int]] = {
    "hibernating": HIBERNATING,
    "hibernated": HIBERNATED,
    "poisoned": POISONED,
    "hunted": HUNTED,
    "pirated": PIRATED,
    "mimicked": MIMICKED,
}

NUMBER_BITS: Final = 10
HIGHEST_NUMBER: Final = (1 << NUMBER_BITS) - 1
NOBODY: Final = -1  # where an animal could stand and none does


def animal_id(seat: Seat, number: int) -> AnimalId:
    """The animal that was the ``number``-th of that seat to be born (from 1)."""
    return seat << NUMBER_BITS | number


def owner_of(animal: AnimalId) -> Seat:
    return animal >> NUMBER_BITS


def number_of(animal: AnimalId) -> int:
    return animal & HIGHEST_NUMBER


def animal_name(animal: AnimalId) -> str:
    return f"{SEAT_LETTERS[animal >> NUMBER_BITS]}{animal & HIGHEST_NUMBER}"


def seat_name(seat: Seat) -> str:
    return SEAT_LETTERS[seat]


def bit(slug: str) -> Bits:
    """The set that holds just this trait."""
    return 1 << TRAIT_CODES[slug]


def mark_names(marks: int) -> list[str]:
    return [name for name, mark in MARKS.items() if marks & mark]


def trait_names(bits: Bits) -> list[str]:
    return [name for code, name in enumerate(TRAITS) if bits >> code & 1]
