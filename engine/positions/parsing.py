"""Reading a position: every fault of its lines is named, not just the first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from engine.cards import END_KIND, Kind
from engine.errors import BadNotation, BadPosition
from engine.notation.names import (
    ANIMAL_PATTERN,
    PAIR_PATTERN,
    STORING_FAT,
    quoted,
    read_animal,
    read_end,
    read_pair,
    read_seat,
    read_trait,
    tidied,
)
from engine.positions.lines import (
    AnimalLine,
    Awaiting,
    Cards,
    Item,
    PairLine,
    Position,
    SeatLine,
    item_order,
    pair_order,
)
from engine.rulebooks.options import OPTIONS
from engine.vocabulary import BLUE, DEVELOPMENT, FEEDING, MARKS, OVER, RED, AnimalId, Seat, TraitCode

MOST_LINES: Final = 2000
LONGEST_LINE: Final = 4000  # characters
_PHASES: Final = (DEVELOPMENT, FEEDING, OVER)
_REQUIRED: Final = ("turn", "bank", "deck", "first")


def parse_position(text: str) -> Position:
    """The position that the text describes, whether the rules allow it or not. Raises BadPosition."""
    return _Reader().read(text)


class _Reader:
    """Reads line after line, and goes on after a fault."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.header: dict[str, Any] | None = None
        self.said: set[str] = set()  # the words of the header, readable or not
        self.players: dict[Seat, SeatLine] = {}
        self.animals: dict[AnimalId, AnimalLine] = {}
        self.pairs: list[PairLine] = []
        self.awaiting: Awaiting | None = None

    def read(self, text: str) -> Position:
        lines = text.splitlines()
        if len(lines) > MOST_LINES:
            raise BadPosition([f"expected at most {MOST_LINES} lines, came {len(lines)}"])
        for number, line in enumerate(lines, start=1):
            with self.noting(f"line {number}: "):
                self._line(_without_comment(line), f"line {number}: ")
        position = self._position()
        if self.faults or position is None:
            raise BadPosition(self.faults, position)
        return position

    @contextmanager
    def noting(self, where: str) -> Iterator[None]:
        """Go on after what cannot be read."""
        try:
            yield
        except BadNotation as fault:
            self.faults.append(where + fault.detail)

    def _line(self, line: str, where: str) -> None:
        key, colon, rest = (part.strip() for part in line.partition(":"))
        if not line:
            return
        if line.startswith("turn "):
            self._read_header(line, where)
        elif not colon:
            raise BadNotation(f"expected 'turn …', 'A: …', 'A1: …' or 'A1+A2: …', came {quoted(line)}")
        elif key.startswith("awaiting "):
            self._read_awaiting(key, rest)
        elif re.fullmatch(PAIR_PATTERN, key):
            self._read_pair(key, rest)
        elif re.fullmatch(ANIMAL_PATTERN, key):
            self._read_animal(read_animal(key), rest, where)
        else:
            self._read_seat(read_seat(key), rest, where)

    def _parts(self, text: str, where: str, several: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
        """The parts between semicolons as word and value; each word once, but for ``several``."""
        parts = [part.strip().partition(" ")[::2] for part in text.split(";") if part.strip()]
        for word, count in Counter(word for word, _ in parts).items():
            if count > 1 and word not in several:
                self.faults.append(f"{where}{word!r} is said {count} times")
        yield from parts

    def _read_header(self, line: str, where: str) -> None:
        if self.header is not None:
            raise BadNotation("there is a header already")
        self.header = {}
        for word, value in self._parts(line, where):
            self.said.add(word)
            with self.noting(where):
                if word not in _HEADER:
                    raise BadNotation(f"expected one of {', '.join(_HEADER)}, came {quoted(word)}")
                self.header[word] = _HEADER[word](value)

    def _read_seat(self, seat: Seat, text: str, where: str) -> None:
        if seat in self.players:
            raise BadNotation("this seat has a line already")
        line = self.players[seat] = SeatLine()
        for word, value in self._parts(text, where):
            with self.noting(where):
                if word not in _SEAT:
                    raise BadNotation(f"expected one of {', '.join(_SEAT)}, came {quoted(word)}")
                setattr(line, word, _SEAT[word](value))

    def _read_animal(self, animal: AnimalId, text: str, where: str) -> None:
        if animal in self.animals:
            raise BadNotation("this animal has a line already")
        line = self.animals[animal] = AnimalLine()
        traits, *others = text.split(";")
        if _is_word_of_animal(traits.strip()):
            others.insert(0, traits)
        else:
            with self.noting(where):
                line.cards, line.full = _traits(traits.strip())
        for word, value in self._parts(";".join(others), where, several=("forfeit",)):
            with self.noting(where):
                _read_word_of_animal(line, word, value)

    def _read_pair(self, key: str, text: str) -> None:
        name, _, spent = (part.strip() for part in text.partition(";"))
        if spent not in ("", "spent"):
            raise BadNotation(f"expected 'spent' after a paired card, came {quoted(spent)}")
        trait = read_trait(name)
        self.pairs.append(PairLine(trait, *read_pair(trait, key), spent == "spent"))

    def _read_awaiting(self, key: str, text: str) -> None:
        if self.awaiting is not None:
            raise BadNotation("only one answer is open at a time")
        awaiting = read_awaiting(key, text)
        if awaiting.kind == "go":
            raise BadNotation("an ordinary go is what the header says: leave 'awaiting' out")
        if not awaiting.animals and not awaiting.items:
            raise BadNotation(f"expected what is awaited after {awaiting.kind!r}, came nothing")
        self.awaiting = awaiting

    def _position(self) -> Position | None:
        """What was read, if the header has all that it must have."""
        if self.header is None:
            self.faults.append("there is no header: expected a line 'turn N PHASE; bank N; deck N; first A; go A'")
            return None
        turn, phase = self.header.get("turn") or (1, OVER)  # with a turn that cannot be read 'go' may be absent
        required = _REQUIRED if phase == OVER else (*_REQUIRED, "go")
        self.faults += [f"the header has no {word!r}" for word in required if word not in self.said]
        if "turn" in self.header and phase == OVER and "go" in self.header:
            self.faults.append("nobody's go is left when the game is over: leave 'go' out")
        unread = [word for word in required if word not in self.header]
        return None if unread else self._filled(self.header, turn, phase)

    def _filled(self, header: dict[str, Any], turn: int, phase: str) -> Position:
        return Position(
            turn=turn,
            phase=phase,
            bank=header["bank"],
            deck=header["deck"],
            first=header["first"],
            go=header.get("go"),
            seats=header.get("seats"),
            rules=tuple(sorted(header.get("rules", ()) + header.get("deck-list", ()), key=_rule_order)),
            last_turn="last-turn" in header,
            acted="acted" in header,
            used="used" in header,
            idle=header.get("idle", 0),
            pending=header.get("pending", ()),
            players=self.players,
            animals=self.animals,
            pairs=tuple(sorted(self.pairs, key=pair_order)),
            awaiting=self.awaiting,
        )


def _without_comment(line: str) -> str:
    if len(line) > LONGEST_LINE:
        raise BadNotation(f"expected at most {LONGEST_LINE} characters, came {len(line)}")
    return tidied(line.partition("#")[0])


def read_number(text: str) -> int:
    if not re.fullmatch("[0-9]{1,4}", text):
        raise BadNotation(f"expected a number of up to four digits, came {quoted(text)}")
    return int(text)


def _turn(text: str) -> tuple[int, str]:
    number, _, phase = text.partition(" ")
    if phase not in _PHASES:
        raise BadNotation(f"expected 'turn N' with one of {', '.join(_PHASES)}, came {quoted(phase)}")
    return read_number(number), phase


def _alone(text: str) -> bool:
    if text:
        raise BadNotation(f"expected a word alone, came {quoted(text)} after it")
    return True


def _rules(text: str) -> tuple[tuple[str, str], ...]:
    rules = [tuple(rule.split()) for rule in text.split(",")]
    pairs = [(rule[0], rule[1]) for rule in rules if len(rule) == 2]
    if len(pairs) < len(rules):
        raise BadNotation(f"expected 'rules OPTION VALUE, …', came {quoted(text)}")
    return tuple(sorted(pairs, key=_rule_order))


def _rule_order(rule: tuple[str, str]) -> tuple[int, tuple[str, str]]:
    options = list(OPTIONS)
    return options.index(rule[0]) if rule[0] in options else len(options), rule


def read_items(text: str) -> tuple[Item, ...]:
    """Pair triggers, as in ``share cooperation A1>A2, communication A1>A3``."""
    return tuple(sorted({_item(part.strip()) for part in text.split(",")}, key=item_order))


def _item(text: str) -> Item:
    name, _, passage = text.rpartition(" ")
    giver, sign, partner = passage.partition(">")
    if not sign:
        raise BadNotation(f"expected a paired card and who passes to whom, 'cooperation A1>A2', came {quoted(text)}")
    return read_trait(name), read_animal(giver), read_animal(partner)


def _cards(text: str) -> Cards:
    if re.fullmatch("[0-9]+", text):
        return read_number(text)
    return tuple(sorted(_kind(name.strip()) for name in text.split(",")))


def _kind(text: str) -> Kind:
    return END_KIND[read_end(text)]


_HEADER: Final[dict[str, Callable[[str], Any]]] = {
    "turn": _turn,
    "bank": read_number,
    "deck": read_number,
    "first": read_seat,
    "go": read_seat,
    "seats": read_number,
    "rules": _rules,
    "deck-list": lambda text: _rules(f"deck {text}"),
    "last-turn": _alone,
    "acted": _alone,
    "used": _alone,
    "idle": read_number,
    "pending": read_items,
}

_SEAT: Final[dict[str, Callable[[str], Any]]] = {
    "hand": _cards,
    "discard": _cards,
    "passed": _alone,
    "born": read_number,
}

_WORDS_OF_ANIMAL: Final = ("food", "forfeit", "grazed", *MARKS)


def _is_word_of_animal(text: str) -> bool:
    return not text or text.partition(" ")[0] in _WORDS_OF_ANIMAL


def _read_word_of_animal(line: AnimalLine, word: str, value: str) -> None:
    if word == "food":
        line.food = read_food(value)
    elif word == "forfeit":
        line.forfeited |= 1 << read_trait(value)
    elif word in ("grazed", *MARKS):
        _alone(value)
        line.grazed |= word == "grazed"
        line.marks |= MARKS.get(word, 0)
    else:
        came = quoted(f"{word} {value}".strip())
        raise BadNotation(f"expected one of {', '.join(_WORDS_OF_ANIMAL)} (traits come first), came {came}")


def read_food(text: str) -> str:
    """Tokens in the order of arrival; a number is that many red ones."""
    if re.fullmatch(f"[{RED}{BLUE}]{{1,99}}", text):
        return text
    if re.fullmatch("[0-9]{1,2}", text):
        return RED * int(text)
    raise BadNotation(f"expected food as 'rb' or as a number up to 99, came {quoted(text)}")


def _traits(text: str) -> tuple[tuple[TraitCode, ...], tuple[bool, ...]]:
    names = [name.strip() for name in text.split(",")]
    cards = tuple(read_trait(name.removesuffix("*")) for name in names)
    full = tuple(name.endswith("*") for name in names)
    for card, name, is_full in zip(cards, names, full, strict=True):
        if is_full and card not in STORING_FAT:
            raise BadNotation(f"only a fat card can be full, came {quoted(name)}")
    return cards, full


def read_awaiting(key: str, text: str) -> Awaiting:
    """An open answer: ``awaiting B`` and ``defend A1 B1; ran B1``. What follows the kind may be left out."""
    seat = read_seat(key.removeprefix("awaiting").strip())
    asked, *ran = (part.strip() for part in text.split(";"))
    kind, _, rest = asked.partition(" ")
    if kind not in ("defend", "scavenge", "share", "go"):
        raise BadNotation(f"expected 'defend', 'scavenge' or 'share', came {quoted(asked)}")
    if kind == "share":
        return _without_ran(Awaiting(seat, kind, items=read_items(rest) if rest else ()), ran)
    animals = [read_animal(name) for name in rest.split()]
    if kind == "defend":
        if len(animals) not in (0, 2):
            raise BadNotation(f"expected 'defend' with the carnivore and the prey, came {quoted(asked)}")
        return Awaiting(seat, kind, tuple(animals), ran=tuple(sorted({_ran(part) for part in ran})))
    return _without_ran(Awaiting(seat, kind, tuple(sorted(set(animals)))), ran)


def _without_ran(awaiting: Awaiting, ran: list[str]) -> Awaiting:
    if ran:
        raise BadNotation(f"expected nothing after {awaiting.kind!r} and what it is about, came {quoted(ran[0])}")
    return awaiting


def _ran(text: str) -> AnimalId:
    word, _, animal = text.partition(" ")
    if word != "ran":
        raise BadNotation(f"expected 'ran' and an animal, came {quoted(text)}")
    return read_animal(animal)
