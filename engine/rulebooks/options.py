"""The house rules (RULES.md 10) and the bank tables (section 5): words and numbers, no code of rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# option -> its values, the default first
OPTIONS: Final[dict[str, tuple[str, ...]]] = {
    "sets": ("one", "two"),
    "deck": ("third-edition", "classic"),
    "bank-table": ("standard", "gift"),
    "taking": ("compulsory", "free"),
    "empty-fat": ("obliges", "free"),
    "fat-conversion": ("main", "free"),
    "mimicry": ("per-turn", "per-attack"),
    "mimicry-use": ("compulsory", "optional"),
    "tail-loss": ("compulsory", "optional"),
    "running": ("per-attack", "per-arrival"),
    "piracy": ("hungry", "into-fat"),
    "hibernation": ("hungry", "any"),
    "scavenger": ("owner", "first"),
    "surplus": ("lost", "into-fat"),
    "hand-in-pile": ("ignored", "counted"),
}

# seats -> dice, added
BANK_TABLES: Final[dict[str, dict[int, tuple[int, int]]]] = {
    "standard": {2: (1, 2), 3: (2, 0), 4: (2, 2), 5: (3, 2), 6: (3, 4), 7: (4, 2), 8: (4, 4)},
    "gift": {2: (1, 2), 3: (1, 4), 4: (2, 0), 5: (2, 2), 6: (2, 4)},
}

FEWEST_SEATS: Final = 2
MOST_SEATS: Final = 8
MOST_SEATS_WITH_ONE_SET: Final = 4


class BadOption(ValueError):
    """A house rule that does not exist, has no such value, or does not fit the number of seats."""

    def __init__(self, option: str, value: str, detail: str) -> None:
        super().__init__(detail)
        self.option = option
        self.value = value
        self.detail = detail


def full_options(options: Mapping[str, str]) -> dict[str, str]:
    """All options in the order of OPTIONS, the defaults filled in. Raises BadOption."""
    for option, value in options.items():
        if option not in OPTIONS:
            raise BadOption(option, str(value), f"there is no option {option!r}; the options are {', '.join(OPTIONS)}")
        if value not in OPTIONS[option]:
            known = " or ".join(repr(word) for word in OPTIONS[option])
            raise BadOption(option, str(value), f"option {option!r} is {known}, not {value!r}")
    return {option: options.get(option, values[0]) for option, values in OPTIONS.items()}


def check_options(options: Mapping[str, str], seats: int) -> None:
    """Refuse house rules that do not exist or do not fit the number of seats. Raises BadOption."""
    full = full_options(options)
    if not FEWEST_SEATS <= seats <= MOST_SEATS:
        raise BadOption("seats", str(seats), f"the game is for {FEWEST_SEATS} to {MOST_SEATS} seats, not {seats}")
    if seats > MOST_SEATS_WITH_ONE_SET and full["sets"] == "one":
        raise BadOption("sets", "one", f"{seats} seats need 'sets' to be 'two'; one set serves 2 to 4 seats")
    if seats not in BANK_TABLES[full["bank-table"]]:
        raise BadOption("bank-table", full["bank-table"], f"the bank table 'gift' has no line for {seats} seats")


def bank_dice(table: str, seats: int) -> tuple[int, int]:
    return BANK_TABLES[table][seats]
