"""The parts that moves are made of, and what was read of a move.

Each operand of a move is printed and read by the :class:`Operand` of that name, so a new kind of move that is made of
known operands needs nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from engine.cards import END_KIND, END_TRAIT, ENDS, KINDS, End, Kind
from engine.errors import BadNotation
from engine.notation.names import (
    ANIMAL_PATTERN,
    PAIR_PATTERN,
    STORING_FAT,
    UNKNOWN_CARD,
    Pair,
    print_pair,
    quoted,
    read_animal,
    read_end,
    read_pair,
    read_trait,
)
from engine.saying import said
from engine.vocabulary import NOBODY, TRAITS, AnimalId, TraitCode, animal_name


@dataclass(frozen=True)
class Wanted:
    """A move as it was written: the fields of the move, None where nothing was said.

    ``word`` is the first word. ``kind`` is a whole card as a number of KINDS, ``end`` the same played with that end in
    use; a short form gives only ``trait``, which ``drop`` and ``share`` give always. ``pair`` holds the two animals of
    a dropped paired card, ``full`` is whether a fat card was written with a star. In a pair without direction
    ``animal`` is the lower.
    """

    word: str
    kind: Kind | None = None
    end: End | None = None
    trait: TraitCode | None = None
    animal: AnimalId | None = None
    target: AnimalId | None = None
    partner: AnimalId | None = None
    count: int | None = None
    pair: Pair | None = None
    full: bool | None = None

    def named(self) -> Iterator[tuple[str, Any]]:
        """The fields that were said, but for the word."""
        for field in ("kind", "end", "trait", "animal", "target", "partner", "count", "pair", "full"):
            value = getattr(self, field)
            if value is not None:
                yield field, value


@dataclass(frozen=True)
class Operand:
    """One part of a move: how it is printed, what it is in JSON, how it is read.

    ``keys`` are those of JSON. ``read`` gets what the groups of ``pattern`` found, by name; ``shape`` tells people what
    they look like.
    """

    write: Callable[[Any], str]
    json: Callable[[Any], dict[str, Any]]
    keys: tuple[str, ...]
    shape: str
    pattern: str
    read: Callable[[dict[str, str]], dict[str, Any]]


def _write_place(move: Any) -> str:
    if move.partner == NOBODY:
        return animal_name(move.animal)
    return print_pair(END_TRAIT[move.end], move.animal, move.partner)


def _place_json(move: Any) -> dict[str, Any]:
    partner = {} if move.partner == NOBODY else {"partner": animal_name(move.partner)}
    return {"animal": animal_name(move.animal), **partner}


def _write_lost(move: Any) -> str:
    pair = f" {print_pair(move.trait, *move.pair)}" if move.pair else ""
    return TRAITS[move.trait] + ("*" if move.full else "") + pair


def _lost_json(move: Any) -> dict[str, Any]:
    fat = {"full": move.full} if move.trait in STORING_FAT else {}
    pair = {"pair": print_pair(move.trait, *move.pair)} if move.pair else {}
    return {"trait": TRAITS[move.trait], **fat, **pair}


def read_card(text: str) -> dict[str, Any]:
    """A whole card by one of its ends, or for short one of its traits."""
    if text == UNKNOWN_CARD:
        raise BadNotation(said("expected the name of a card, came '?', which stands for a card that is not shown"))
    return {"end": read_end(text)} if "/" in text else {"trait": read_trait(text)}


def _read_kind(found: dict[str, str]) -> dict[str, Any]:
    return unturned(read_card(found["kind"]))


def unturned(card: dict[str, Any]) -> dict[str, Any]:
    return {"kind": END_KIND[card["end"]]} if "end" in card else card


def _read_place(found: dict[str, str]) -> dict[str, Any]:
    """The card that is played and where: how a pair is written depends on the card."""
    card, place = read_card(found["end"]), found["place"]
    if re.fullmatch(ANIMAL_PATTERN, place):
        return {**card, "animal": read_animal(place)}
    first, second = read_pair(trait_in_use(card), place)
    return {**card, "animal": first, "partner": second}


def trait_in_use(card: dict[str, Any]) -> TraitCode:
    return END_TRAIT[card["end"]] if "end" in card else int(card["trait"])


def _read_lost(found: dict[str, str]) -> dict[str, Any]:
    name = found["lost"]
    trait = read_trait(name.removesuffix("*"))
    lost: dict[str, Any] = {"trait": trait}
    if trait in STORING_FAT:
        lost["full"] = name.endswith("*")
    elif name.endswith("*"):
        raise BadNotation(said("only a fat card can be full, came {came}", came=quoted(name)))
    if found["pair"]:
        lost["pair"] = read_pair(trait, found["pair"])
    return lost


def _read_passage(found: dict[str, str]) -> dict[str, Any]:
    giver, _, partner = found["passage"].partition(">")
    return {"animal": read_animal(giver), "target": read_animal(partner)}


def _animal_operand(field: str, shape: str) -> Operand:
    return Operand(
        write=lambda move: animal_name(getattr(move, field)),
        json=lambda move: {field: animal_name(getattr(move, field))},
        keys=(field,),
        shape=shape,
        pattern=f" (?P<{field}>{ANIMAL_PATTERN})",
        read=lambda found: {field: read_animal(found[field])},
    )


OPERANDS: Final[dict[str, Operand]] = {
    "kind": Operand(
        write=lambda move: KINDS[move.kind],
        json=lambda move: {"card": KINDS[move.kind]},
        keys=("card",),
        shape="CARD",
        pattern=" (?P<kind>.+)",
        read=_read_kind,
    ),
    "end": Operand(
        write=lambda move: ENDS[move.end],
        json=lambda move: {"card": ENDS[move.end], "trait": TRAITS[END_TRAIT[move.end]]},
        keys=("card", "trait"),
        shape="CARD",
        pattern=" (?P<end>.+)",
        read=lambda found: {},  # with the place
    ),
    "place": Operand(
        write=_write_place,
        json=_place_json,
        keys=("animal", "partner"),
        shape="A1 (or A1+A2, A1>A2)",
        pattern=f" (?P<place>{ANIMAL_PATTERN}|{PAIR_PATTERN})",
        read=_read_place,
    ),
    "animal": _animal_operand("animal", "A1"),
    "target": _animal_operand("target", "A2"),
    "count": Operand(
        write=lambda move: str(move.count),
        json=lambda move: {"count": move.count},
        keys=("count",),
        shape="NUMBER",
        pattern=" (?P<count>[0-9]{1,4})",
        read=lambda found: {"count": int(found["count"])},
    ),
    "lost": Operand(
        write=_write_lost,
        json=_lost_json,
        keys=("trait", "full", "pair"),
        shape="TRAIT (or TRAIT A1+A2)",
        pattern=f" (?P<lost>[^+>]+?)(?: (?P<pair>{PAIR_PATTERN}))?",
        read=_read_lost,
    ),
    "trait": Operand(
        write=lambda move: TRAITS[move.trait],
        json=lambda move: {"trait": TRAITS[move.trait]},
        keys=("trait",),
        shape="TRAIT",
        pattern=" (?P<trait>[^+>]+)",
        read=lambda found: {"trait": read_trait(found["trait"])},
    ),
    "passage": Operand(
        write=lambda move: f"{animal_name(move.animal)}>{animal_name(move.target)}",
        json=lambda move: {"animal": animal_name(move.animal), "target": animal_name(move.target)},
        keys=("animal", "target"),
        shape="A1>A2",
        pattern=f" (?P<passage>{ANIMAL_PATTERN}>{ANIMAL_PATTERN})",
        read=_read_passage,
    ),
}
