"""The house rules (RULES.md 10) and the bank tables (section 5): words and numbers, no code of rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.saying import Said, said

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

    def __init__(self, option: str, value: str, detail: Said) -> None:
        super().__init__(detail)
        self.option = option
        self.value = value
        self.detail = detail


def full_options(options: Mapping[str, str]) -> dict[str, str]:
    """All options in the order of OPTIONS, the defaults filled in. Raises BadOption."""
    for option, value in options.items():
        if option not in OPTIONS:
            known = list(OPTIONS)
            raise BadOption(
                option,
                str(value),
                said("there is no option {option!r}; the options are {known}", option=option, known=known),
            )
        if value not in OPTIONS[option]:
            raise BadOption(
                option,
                str(value),
                said(
                    "option {option!r} is one of {known}, not {value!r}",
                    option=option,
                    known=OPTIONS[option],
                    value=value,
                ),
            )
    return {option: options.get(option, values[0]) for option, values in OPTIONS.items()}


def check_options(options: Mapping[str, str], seats: int) -> None:
    """Refuse house rules that do not exist or do not fit the number of seats. Raises BadOption."""
    full = full_options(options)
    if not FEWEST_SEATS <= seats <= MOST_SEATS:
        detail = said(
            "the game is for {least} to {most} seats, not {seats}", least=FEWEST_SEATS, most=MOST_SEATS, seats=seats
        )
        raise BadOption("seats", str(seats), detail)
    if seats > MOST_SEATS_WITH_ONE_SET and full["sets"] == "one":
        raise BadOption(
            "sets", "one", said("{seats} seats need 'sets' to be 'two'; one set serves 2 to 4 seats", seats=seats)
        )
    if seats not in BANK_TABLES[full["bank-table"]]:
        detail = said("the bank table 'gift' has no line for {seats} seats", seats=seats)
        raise BadOption("bank-table", full["bank-table"], detail)


def bank_dice(table: str, seats: int) -> tuple[int, int]:
    return BANK_TABLES[table][seats]
