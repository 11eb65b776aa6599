"""The language of orders: a line each. The notation's moves make a queue; beside them stand a few words:

play camouflage A1                  a move of the queue; several in a line with commas
pass                                ends a go: `pass` in development, `end` in feeding; which of the two it is follows
                                    from the move before it
defend run, drop tail-loss, mimic   how to answer an attack: the first of these that is possible
defend A2 drop camouflage           the same for one animal, looked at before the others
scavenge A3, A1                     who eats a carcass
share cooperation, communication    which pair fires first; a pair may be named: share cooperation A1>A2
pass development after 2            after so many cards of this turn (0: at once)
pass development when hand empty
pass feeding when nothing to receive
stop when attacked                  ends the queue; also: stop when bank below 3, stop when turn changed
if illegal skip                     instead of stopping the queue there
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from engine import BadNotation
from engine.notation import parse_move
from engine.vocabulary import TRAITS, animal_name
from server.said import Said, said

MOST_LINES, LONGEST_LINE = 500, 2000  # as they are kept, where fifty answers of a kind may stand in one line
MOST_MOVES = 200
MOST_OPTIONS = 50  # of defences, of scavengers, of pairs

DEVELOPMENT_MOVES = frozenset(("animal", "play"))
FEEDING_MOVES = frozenset(("feed", "attack", "convert", "steal", "graze", "hibernate"))
CLOSING_MOVES = frozenset(("end", "pass"))
SPOKEN = {"пас": "pass", "пасую": "pass", "конец": "end"}  # moves that a mail in Russian names in its own words
DEFENCES = frozenset(("run", "drop", "mimic", "yield"))

ANIMAL = r"[a-hавсен][0-9]{1,4}"
PASS_AFTER = re.compile(r"pass development after ([0-9]{1,2})(?: cards?)?")
SEPARATOR = re.compile(r"[,;]")
PASS_EMPTY = "pass development when hand empty"
PASS_FED = "pass feeding when nothing to receive"
STOP_BANK = re.compile(r"stop when bank below ([0-9]{1,3})")
STOPS = {"stop when attacked": "attacked", "stop when turn changed": "turn changed"}
SKIP = {"if illegal skip": True, "if illegal stop": False}


class BadOrders(ValueError):
    """`line` and `column` count from 1."""

    def __init__(self, line: int, column: int, detail: Said) -> None:
        super().__init__(detail)
        self.line, self.column, self.detail = line, column, detail


@dataclass(frozen=True)
class Orders:
    """What was read. All of it is text again with `lines`, and read again from that."""

    queue: tuple[str, ...] = ()
    defend: tuple[str, ...] = ()  # "run", "drop tail-loss", "mimic", "mimic B3"; one animal's: "A2 drop camouflage"
    scavenge: tuple[str, ...] = ()  # animals
    share: tuple[str, ...] = ()  # "cooperation", "cooperation A1>A2"
    pass_after: int | None = None  # cards
    pass_empty: bool = False
    pass_fed: bool = False
    stop_when: tuple[str, ...] = ()  # "attacked", "turn changed", "bank below 3"
    skip_illegal: bool = False

    def lines(self) -> list[str]:
        """Canonical, the queue first."""
        general = [option for option in self.defend if not is_of_one_animal(option)]
        told = [*self.queue, *(f"defend {option}" for option in self.defend if is_of_one_animal(option))]
        told += [f"defend {', '.join(general)}"] if general else []
        told += [f"scavenge {', '.join(self.scavenge)}"] if self.scavenge else []
        told += [f"share {', '.join(self.share)}"] if self.share else []
        told += [f"pass development after {self.pass_after}"] if self.pass_after is not None else []
        told += [PASS_EMPTY] if self.pass_empty else []
        told += [PASS_FED] if self.pass_fed else []
        told += [f"stop when {condition}" for condition in self.stop_when]
        return told + (["if illegal skip"] if self.skip_illegal else [])


def is_of_one_animal(option: str) -> bool:
    """`A2 drop camouflage`, not `drop camouflage`: animals alone begin with a capital."""
    return option[:1].isupper()


@dataclass
class _Reading:
    """The line that is being read, for errors that say where. `at`: where in it the item begins that is looked at."""

    number: int
    text: str
    orders: Orders = field(default_factory=Orders)
    at: int = 0

    def fail(self, item: str, detail: Said) -> NoReturn:
        words = r"\s+".join(map(re.escape, item.split()))  # whole ones: `a` is not that of `camouflage`
        whole = re.compile(rf"(?<![^\s,;:]){words}(?![^\s,;.!])", re.IGNORECASE)
        found = whole.search(self.text, self.at)
        raise BadOrders(self.number, (found.start() if found else self.at) + 1, detail)

    def items(self, rest: str) -> Iterator[str]:
        """What stands between the commas of `rest`, which is the end of the line, tidied or not."""
        items = rest.replace(";", ",").split(",")
        starts = [self.at, *(found.end() for found in SEPARATOR.finditer(self.text))]
        for start, item in zip(starts[: len(items)], items, strict=True):
            self.at = start
            yield item.strip()


def read(lines: Iterable[str], known: Orders | None = None) -> Orders:
    """The orders that these lines give, after those that are `known`. Raises BadOrders.

    What `lines` gives back is never too much: each move and each animal's defence is a line of its own there."""
    orders = known or Orders()
    for number, text in enumerate(lines, 1):
        if number > MOST_LINES:
            raise BadOrders(number, 1, said("at most {most} lines are read", most=MOST_LINES))
        if len(text) > LONGEST_LINE:
            raise BadOrders(
                number, LONGEST_LINE + 1, said("at most {most} characters a line are read", most=LONGEST_LINE)
            )
        if text.strip():
            orders = _line(_Reading(number, text, orders))
            _check_size(orders, number)
    return replace(orders, queue=_phase_by_phase(orders.queue))


def _check_size(orders: Orders, line: int) -> None:
    if len(orders.queue) > MOST_MOVES:
        raise BadOrders(line, 1, said("a queue has at most {most} moves", most=MOST_MOVES))
    if max(map(len, (orders.defend, orders.scavenge, orders.share))) > MOST_OPTIONS:
        raise BadOrders(line, 1, said("at most {most} answers of a kind are read", most=MOST_OPTIONS))


def _phase_by_phase(queue: tuple[str, ...]) -> tuple[str, ...]:
    """`pass` and `end` stand for one another. But a go may end by itself, and then what was to end it must not end a go
    of another phase: so after a move of development it is a `pass`, after one of feeding an `end`."""
    told: list[str] = []
    closing = ""
    for item in queue:
        word = item.split()[0].lower()
        if word not in CLOSING_MOVES:
            closing = "pass" if word in DEVELOPMENT_MOVES else "end"
            told.append(item)
        else:
            told.append(closing or word)
            closing = "" if closing == "pass" else closing
    return tuple(told)


def is_order(line: str) -> bool:
    """Whether a line could stand in a list of orders; used where such a list ends at the first line that could not."""
    try:
        read([line])
    except BadOrders:
        return False
    return bool(line.strip())


def _line(reading: _Reading) -> Orders:
    tidy = " ".join(reading.text.lower().split()).rstrip(".!")
    word, _, rest = tidy.partition(" ")
    if word in _STANDING:
        reading.at = len(reading.text) - len(reading.text.lstrip()) + len(word)
        return _STANDING[word](reading, rest)
    if tidy in SKIP:
        return replace(reading.orders, skip_illegal=SKIP[tidy])
    if word in ("stop", "if") or (word == "pass" and rest and not SEPARATOR.match(rest)):
        return _condition(reading, tidy)
    moves = [_move(reading, item) for item in reading.items(reading.text.strip().rstrip(".!"))]
    return replace(reading.orders, queue=(*reading.orders.queue, *moves))


def _condition(reading: _Reading, tidy: str) -> Orders:
    orders = reading.orders
    if found := PASS_AFTER.fullmatch(tidy):
        return replace(orders, pass_after=int(found.group(1)))
    if found := STOP_BANK.fullmatch(tidy):
        return _stopping(orders, f"bank below {int(found.group(1))}")
    if tidy == PASS_EMPTY:
        return replace(orders, pass_empty=True)
    if tidy == PASS_FED:
        return replace(orders, pass_fed=True)
    if tidy in STOPS:
        return _stopping(orders, STOPS[tidy])
    known = [*STOPS, "stop when bank below N", "pass development after N", PASS_EMPTY, PASS_FED, *SKIP]
    reading.fail(
        reading.text.strip(),
        said("expected one of {known}, came {came!r}", known="; ".join(known), came=reading.text.strip()[:60]),
    )


def _stopping(orders: Orders, condition: str) -> Orders:
    """Of several banks the highest, which stops wherever another would: else they could be more lines than are read."""
    told = dict.fromkeys((*orders.stop_when, condition))
    banks = sorted((one for one in told if one.startswith("bank")), key=lambda one: int(one.split()[-1]))
    return replace(orders, stop_when=tuple(one for one in told if one not in banks[:-1]))


def _move(reading: _Reading, item: str) -> str:
    item = SPOKEN.get(item.lower(), item)
    try:
        wanted = parse_move(item)
    except BadNotation as error:
        reading.fail(item, said("this is no move: {why}", why=error.detail))
    if wanted.word not in DEVELOPMENT_MOVES | FEEDING_MOVES | CLOSING_MOVES:
        reading.fail(
            item,
            said(
                "an answer to an attack is ordered with {form!r}, came {came!r}",
                form="defend " + wanted.word,
                came=item[:60],
            ),
        )
    return " ".join(item.split())


def _options(reading: _Reading, rest: str, one: Callable[[_Reading, str], str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one(reading, item) for item in reading.items(rest)))


def _defend(reading: _Reading, rest: str) -> Orders:
    rest = rest.lstrip(": ")
    animal = re.match(rf"({ANIMAL})\b:? ?", rest)
    options = _options(reading, rest[animal.end() :] if animal else rest, _defence)
    if animal:
        options = tuple(f"{_animal(reading, animal.group(1))} {option}" for option in options)
    return replace(reading.orders, defend=tuple(dict.fromkeys((*reading.orders.defend, *options))))


def _defence(reading: _Reading, option: str) -> str:
    word, _, rest = option.partition(" ")
    if word in ("run", "yield", "mimic") and not rest:
        return word
    if word == "mimic":
        return f"mimic {_animal(reading, rest)}"
    if word == "drop" and rest:
        return f"drop {_trait(reading, rest)}"
    reading.fail(
        option, said("expected run, drop TRAIT, mimic, mimic ANIMAL or yield, came {came!r}", came=option[:60])
    )


def _scavenge(reading: _Reading, rest: str) -> Orders:
    return replace(reading.orders, scavenge=_options(reading, rest.lstrip(": "), _animal))


def _share(reading: _Reading, rest: str) -> Orders:
    return replace(reading.orders, share=_options(reading, rest.lstrip(": "), _pair))


def _pair(reading: _Reading, option: str) -> str:
    """A trait alone, or with the direction in which the token goes."""
    trait, _, way = option.rpartition(" ") if ">" in option else (option, "", "")
    if not way:
        return _trait(reading, option)
    wanted = _parsed(reading, option, f"share {option}")
    return f"{_trait(reading, trait)} {animal_name(wanted.animal)}>{animal_name(wanted.target)}"


def _animal(reading: _Reading, name: str) -> str:
    return animal_name(_parsed(reading, name, f"feed {name}").animal)


def _trait(reading: _Reading, name: str) -> str:
    star = "*" if name.endswith("*") else ""
    return str(TRAITS[_parsed(reading, name, f"drop A1 {name.rstrip('* ')}").trait]) + star


def _parsed(reading: _Reading, name: str, line: str) -> Any:
    """Names are those of the notation, so it is the notation that reads them, as parts of a move."""
    try:
        return parse_move(line)
    except BadNotation:
        reading.fail(name, said("expected a name as in the notation, came {came!r}", came=name[:60]))


_STANDING: dict[str, Callable[[_Reading, str], Orders]] = {
    "defend": _defend, "defend:": _defend, "scavenge": _scavenge, "scavenge:": _scavenge, "share": _share, "share:": _share,
}  # fmt: skip
