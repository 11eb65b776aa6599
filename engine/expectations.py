"""What must hold after a scenario: the lines of its ``then``, as checks.

A check is a text that is expected and a function that says, in the same words, what is the case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from engine.errors import BadNotation
from engine.feeding import Feed, link_key
from engine.flow import legal_moves
from engine.notation.names import (
    ANIMAL_PATTERN,
    PAIR_PATTERN,
    Pair,
    print_pair,
    quoted,
    read_animal,
    read_pair,
    read_seat,
    read_trait,
    tidied,
)
from engine.positions import ALL, position_of
from engine.positions.lines import Awaiting, print_awaiting
from engine.positions.parsing import read_awaiting, read_food, read_number
from engine.scoring import score, winners
from engine.state import Animal, State
from engine.vocabulary import (
    DEVELOPMENT,
    FEEDING,
    MARKS,
    OVER,
    TRAITS,
    AnimalId,
    Seat,
    TraitCode,
    number_of,
    owner_of,
    seat_name,
)

Check = tuple[str, Callable[[State], str]]

_PHASES: Final = (DEVELOPMENT, FEEDING, OVER)

_NUMBERS: Final[dict[str, Callable[[State], int]]] = {
    "turn": lambda state: state.turn,
    "bank": lambda state: state.bank,
    "deck": lambda state: len(state.deck),
}
_NUMBERS_OF_SEAT: Final[dict[str, Callable[[State, Seat], int]]] = {
    "hand": lambda state, seat: len(state.players[seat].hand),
    "discard": lambda state, seat: len(state.players[seat].pile),
    "score": score,
    "animals": lambda state, seat: len(state.players[seat].animals),
}
_NUMBERS_OF_ANIMAL: Final[dict[str, Callable[[Animal], int]]] = {
    "need": lambda animal: animal.need,
    "fat": lambda animal: animal.fat,
    "food": lambda animal: len(animal.food),
}


def expectations(text: str) -> list[Check]:
    """The checks of all lines. Raises BadNotation for a word that is not known, so that none is passed over."""
    lines = [tidied(line.partition("#")[0]) for line in text.splitlines()]
    return [check for line in lines if line for check in _line(line)]


def _line(line: str) -> Iterator[Check]:
    key, colon, rest = (part.strip() for part in line.partition(":"))
    parts = [part.strip() for part in rest.split(";") if part.strip()]
    if not colon:
        yield from (_header(part.strip()) for part in line.split(";") if part.strip())
    elif key.startswith("awaiting "):
        yield _awaiting(read_awaiting(key, rest))
    elif re.fullmatch(PAIR_PATTERN, key):
        yield from _pair(key, parts or [""])
    elif re.fullmatch(ANIMAL_PATTERN, key):
        yield from (_animal(read_animal(key), part) for part in parts or ["alive"])
    else:
        seat = read_seat(key)
        yield from (_seat(seat, part) for part in parts)


def _said(flag: bool, word: str) -> str:
    return word if flag else f"not {word}"


# The game


def _header(text: str) -> Check:
    word, _, value = text.partition(" ")
    number, _, phase = value.partition(" ")
    if word == "turn" and phase in _PHASES:
        return f"turn {read_number(number)} {phase}", lambda state: f"turn {state.turn} {state.phase}"
    if word in _NUMBERS:
        return f"{word} {read_number(value)}", lambda state: f"{word} {_NUMBERS[word](state)}"
    if word == "first":
        return f"first {seat_name(read_seat(value))}", lambda state: f"first {seat_name(state.first)}"
    if word == "phase" and value in _PHASES:
        return text, lambda state: f"phase {state.phase}"
    if text in ("last-turn", "not last-turn"):
        return text, lambda state: _said(state.last_turn, "last-turn")
    if text in ("over", "not over"):
        return text, lambda state: _said(state.phase == OVER, "over")
    if word == "winner" and value:
        won = sorted(read_seat(name) for name in value.split())
        return _winners(won), lambda state: _winners(winners(state)) if state.phase == OVER else "not over"
    raise BadNotation(f"'then' knows no {quoted(text)}")


def _winners(seats: list[Seat]) -> str:
    return f"winner {' '.join(seat_name(seat) for seat in seats)}"


def _awaiting(wanted: Awaiting) -> Check:
    expected = print_awaiting(wanted)

    def came(state: State) -> str:
        open_now = _open(state)
        if open_now is None:
            return "nobody is asked"
        return expected if _matches(wanted, open_now) else print_awaiting(open_now)

    return expected, came


def _open(state: State) -> Awaiting | None:
    if not legal_moves(state):
        return None
    return position_of(state, ALL).awaiting or Awaiting(state.stack[-1].seat, "go")


def _matches(wanted: Awaiting, found: Awaiting) -> bool:
    """What the line does not say is not compared."""
    said = [(wanted.animals, found.animals), (wanted.items, found.items), (wanted.ran, found.ran)]
    same = all(not of_line or of_line == of_state for of_line, of_state in said)
    return (wanted.seat, wanted.kind) == (found.seat, found.kind) and same


# A seat


def _seat(seat: Seat, text: str) -> Check:
    name = f"{seat_name(seat)}: "
    word, _, value = text.partition(" ")
    if word in _NUMBERS_OF_SEAT:
        expected = f"{name}{word} {read_number(value)}"
        return expected, _of_seat(seat, lambda state: f"{name}{word} {_NUMBERS_OF_SEAT[word](state, seat)}")
    if text in ("passed", "not passed"):
        return name + text, _of_seat(seat, lambda state: name + _said(state.players[seat].passed, "passed"))
    raise BadNotation(f"'then' knows no {quoted(text)} of a seat")


def _of_seat(seat: Seat, came: Callable[[State], str]) -> Callable[[State], str]:
    return lambda state: came(state) if seat < len(state.players) else f"there is no seat {seat_name(seat)}"


# An animal


def _animal(id: AnimalId, text: str) -> Check:
    name = f"{seat_name(owner_of(id))}{number_of(id)}: "
    if text in ("dead", "alive"):
        return name + text, lambda state: name + _life(state, id)
    expected, of_animal = _state_of_animal(text)

    def came(state: State) -> str:
        animal = state.find(id)
        return name + (_life(state, id) if animal is None else of_animal(state, animal))

    return name + expected, came


def _life(state: State, id: AnimalId) -> str:
    if state.find(id) is not None:
        return "alive"
    seat = owner_of(id)
    born = seat < len(state.players) and number_of(id) <= state.players[seat].born
    return "dead" if born else "never born"


def _state_of_animal(text: str) -> tuple[str, Callable[[State, Animal], str]]:
    word, _, value = text.partition(" ")
    if word == "food" and re.search("[a-z]", value):
        tokens = "".join(sorted(read_food(value)))
        return f"food {tokens}", lambda state, animal: f"food {''.join(sorted(animal.food))}"
    if word in _NUMBERS_OF_ANIMAL:
        return f"{word} {read_number(value)}", lambda state, animal: f"{word} {_NUMBERS_OF_ANIMAL[word](animal)}"
    if word in ("has", "lacks"):
        return _trait_of_animal(word, read_trait(value))
    if text in ("fed", "hungry", "not fed", "not hungry"):
        expected = "fed" if text in ("fed", "not hungry") else "hungry"
        return expected, lambda state, animal: "fed" if animal.is_fed() else "hungry"
    return text, _flag_of_animal(text.removeprefix("not "))


def _trait_of_animal(word: str, trait: TraitCode) -> tuple[str, Callable[[State, Animal], str]]:
    name = TRAITS[trait]
    return f"{word} {name}", lambda state, animal: f"{'has' if animal.traits >> trait & 1 else 'lacks'} {name}"


def _flag_of_animal(flag: str) -> Callable[[State, Animal], str]:
    word, _, value = flag.partition(" ")
    if word == "forfeit":
        trait = read_trait(value)
        return lambda state, animal: _said(bool(animal.forfeited >> trait & 1), flag)
    if flag == "grazed":
        return lambda state, animal: _said(any(animal.id in go.grazed for go in _goes(state)), flag)
    if flag in MARKS:
        return lambda state, animal: _said(animal.marks & MARKS[flag] != 0, flag)
    raise BadNotation(f"'then' knows no {quoted(flag)} of an animal")


def _goes(state: State) -> list[Feed]:
    return [go for go in state.stack if isinstance(go, Feed)]


# A paired card


def _pair(key: str, parts: list[str]) -> Iterator[Check]:
    """A card of that trait between the two, or none; then whether it is spent."""
    card, *flags = parts
    trait = read_trait(card.removeprefix("no "))
    pair = read_pair(trait, key)
    name, there = f"{print_pair(trait, *pair)}: ", TRAITS[trait]
    expected = f"no {there}" if card.startswith("no ") else there
    yield name + expected, lambda state: name + (there if _link(state, trait, pair) else f"no {there}")
    for flag in flags:
        if flag not in ("spent", "not spent"):
            raise BadNotation(f"'then' knows no {quoted(flag)} of a paired card")
        yield name + flag, lambda state: name + _said(_spent(state, trait, pair), "spent")


def _link(state: State, trait: TraitCode, pair: Pair) -> bool:
    animal = state.find(pair[0])
    link = animal.link_to(pair[1], trait) if animal else None
    return link is not None and (link.first, link.second) == pair


def _spent(state: State, trait: TraitCode, pair: Pair) -> bool:
    return any(link_key(trait, *pair) in go.spent for go in _goes(state))
