"""What a position consists of, and how it is printed. Everything here is plain data in one normal form."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.cards import KINDS, Kind
from engine.notation.names import STORING_FAT, print_pair
from engine.vocabulary import (
    OVER,
    TRAITS,
    AnimalId,
    Bits,
    Seat,
    TraitCode,
    animal_name,
    mark_names,
    owner_of,
    seat_name,
    trait_names,
)

Cards = int | tuple[Kind, ...]  # a number where the cards do not matter or are not shown; no cards are 0
Item = tuple[TraitCode, AnimalId, AnimalId]  # a pair trigger: the card, who passes the token on, to whom


@dataclass
class SeatLine:
    hand: Cards = 0
    discard: Cards = 0
    passed: bool = False
    born: int | None = None


@dataclass
class AnimalLine:
    cards: tuple[TraitCode, ...] = ()
    full: tuple[bool, ...] = ()  # for each card whether it holds a yellow token
    food: str = ""
    marks: int = 0
    grazed: bool = False
    forfeited: Bits = 0


@dataclass
class PairLine:
    trait: TraitCode
    first: AnimalId
    second: AnimalId
    spent: bool = False


@dataclass
class Awaiting:
    """An open answer that is not an ordinary go; ``kind`` is that of the question."""

    seat: Seat
    kind: str
    animals: tuple[AnimalId, ...] = ()  # defend: the carnivore and the prey; scavenge: who may eat
    items: tuple[Item, ...] = ()  # share
    ran: tuple[AnimalId, ...] = ()  # defend


@dataclass
class Position:
    """What NOTATION.md says of a position. Sets are sorted tuples; ``go`` is None when the game is over."""

    turn: int
    phase: str
    bank: int
    deck: int
    first: Seat
    go: Seat | None
    seats: int | None = None  # None: as many as have a line, at least two
    rules: tuple[tuple[str, str], ...] = ()  # options and values as written
    last_turn: bool = False
    acted: bool = False
    used: bool = False
    idle: int = 0
    pending: tuple[Item, ...] = ()
    players: dict[Seat, SeatLine] = field(default_factory=dict)
    animals: dict[AnimalId, AnimalLine] = field(default_factory=dict)
    pairs: tuple[PairLine, ...] = ()
    awaiting: Awaiting | None = None


def item_order(item: Item) -> tuple[AnimalId, AnimalId, TraitCode]:
    trait, giver, partner = item
    return giver, partner, trait


def pair_order(pair: PairLine) -> tuple[AnimalId, AnimalId, TraitCode]:
    return pair.first, pair.second, pair.trait


def print_position(position: Position) -> str:
    """The canonical text; every line ends with a line break."""
    lines = [_header(position)]
    for seat in sorted(_seats_with_lines(position)):
        if seat in position.players:
            lines.append(_seat(seat, position.players[seat]))
        lines += [_animal(id, position.animals[id]) for id in sorted(position.animals) if owner_of(id) == seat]
        lines += [_pair(pair) for pair in position.pairs if owner_of(pair.first) == seat]
    if position.awaiting is not None:
        lines.append(print_awaiting(position.awaiting))
    return "".join(f"{line}\n" for line in lines)


def _seats_with_lines(position: Position) -> set[Seat]:
    animals = [*position.animals, *(pair.first for pair in position.pairs)]
    return {*position.players, *(owner_of(animal) for animal in animals)}


def _header(position: Position) -> str:
    words = [f"turn {position.turn} {position.phase}", f"bank {position.bank}", f"deck {position.deck}"]
    words.append(f"first {seat_name(position.first)}")
    if position.phase != OVER and position.go is not None:
        words.append(f"go {seat_name(position.go)}")
    if position.seats is not None:
        words.append(f"seats {position.seats}")
    if position.rules:
        words.append("rules " + ", ".join(f"{option} {value}" for option, value in position.rules))
    flags = (("last-turn", position.last_turn), ("acted", position.acted), ("used", position.used))
    words += [word for word, said in flags if said]
    if position.idle:
        words.append(f"idle {position.idle}")
    if position.pending:
        words.append(f"pending {print_items(position.pending)}")
    return "; ".join(words)


def _seat(seat: Seat, line: SeatLine) -> str:
    words = [f"hand {_cards(line.hand)}", f"discard {_cards(line.discard)}"]
    if line.passed:
        words.append("passed")
    if line.born is not None:
        words.append(f"born {line.born}")
    return f"{seat_name(seat)}: {'; '.join(words)}"


def _cards(cards: Cards) -> str:
    return str(cards) if isinstance(cards, int) else ", ".join(KINDS[card] for card in cards)


def _animal(id: AnimalId, line: AnimalLine) -> str:
    traits = [TRAITS[card] + "*" * full for card, full in zip(line.cards, line.full, strict=True)]
    words = [", ".join(traits)] if traits else []
    if line.food:
        words.append(f"food {line.food}")
    words += mark_names(line.marks)
    if line.grazed:
        words.append("grazed")
    words += [f"forfeit {trait}" for trait in trait_names(line.forfeited)]
    return f"{animal_name(id)}: {'; '.join(words)}".rstrip()


def _pair(pair: PairLine) -> str:
    spent = "; spent" if pair.spent else ""
    return f"{print_pair(pair.trait, pair.first, pair.second)}: {TRAITS[pair.trait]}{spent}"


def print_awaiting(awaiting: Awaiting) -> str:
    words = [awaiting.kind, *(animal_name(animal) for animal in awaiting.animals)]
    if awaiting.items:
        words.append(print_items(awaiting.items))
    ran = [f"ran {animal_name(animal)}" for animal in awaiting.ran]
    return f"awaiting {seat_name(awaiting.seat)}: {'; '.join([' '.join(words), *ran])}"


def print_items(items: tuple[Item, ...]) -> str:
    return ", ".join(f"{TRAITS[trait]} {animal_name(giver)}>{animal_name(partner)}" for trait, giver, partner in items)


def stars_of(cards: tuple[TraitCode, ...], fat: int) -> tuple[bool, ...]:
    """Which cards hold a yellow token: of the fat cards those played first (RULES.md 2.3)."""
    full = []
    for card in cards:
        is_full = card in STORING_FAT and fat > 0
        fat -= is_full
        full.append(is_full)
    return tuple(full)
