"""What stands where: boxes with places in pixels, made of a view. How they look is the template's.

From top to bottom: the turn, the food and the deck; whose go it is; a panel a seat with its animals in rows; the viewer's hand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from server.services.drawing import letters, links
from server.services.drawing.words import Words

MARGIN, GAP, PAD = 10, 12, 14
LINE = 20  # of the texts between the boxes
PANEL_HEAD = 34
BOX_HEAD, ROW, SLOT = 26, 18, 14
NARROWEST_BOX, WIDEST_BOX = 146, 190
TEXT, SMALL, TITLE = 12, 10.5, 15  # font sizes
NAME = 43  # where it begins, right of the badge

SHAPES = {  # of a seat's badge, so that seats differ without colour; radius 12 around 0, 0
    "A": "M-12 0a12 12 0 1 0 24 0a12 12 0 1 0-24 0z",
    "B": "M-11-11h22v22h-22z",
    "C": "M0-14 13 10h-26z",
    "D": "M0-14 14 0 0 14-14 0z",
    "E": "M0-13 12.400-4 7.600 11h-15.200l-4.800-15z",
    "F": "M-7-12h14l7 12-7 12h-14l-7-12z",
    "G": "M-5-13h10v8h8v10h-8v8h-10v-8h-8v-10h8z",
    "H": "M-6-11h12a11 11 0 0 1 0 22h-12a11 11 0 0 1 0-22z",
}


@dataclass
class Line:
    text: str
    x: float
    y: float
    icon: str | None = None
    faded: bool = False
    size: float = 13


@dataclass
class Slot:
    """A place for food: of the animal's need (`round`), or of a fat card."""

    kind: str  # red, blue, yellow, empty
    shape: str  # round, square
    x: float
    y: float


@dataclass
class Box:
    """An animal."""

    id: str
    x: float
    y: float
    width: float
    height: float
    fed: bool
    column: int
    row: int
    slots: list[Slot] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)


@dataclass
class Panel:
    """A seat."""

    seat: str
    shape: str
    name: str
    facts: str
    facts_x: float
    first: float | None  # where the first player's flag stands
    asked: bool
    x: float
    y: float
    width: float
    height: float
    boxes: list[Box]
    links: list[links.Link]


@dataclass
class Picture:
    width: int
    height: int
    title: str
    lines: list[Line]
    panels: list[Panel]
    hand: list[Line]


def arrange(view: dict[str, Any], names: dict[str, str], words: Words, width: int) -> Picture:
    y: float = MARGIN + LINE
    lines = _headlines(view, names, words, width, y)
    y = lines[-1].y + LINE / 2
    panels = []
    for seat in view["seats"]:
        panel = _panel(view, seat, names[seat["seat"]], words, y, width - 2 * MARGIN)
        panels.append(panel)
        y += panel.height + GAP
    hand = _hand(view, words, y, width)
    bottom = hand[-1].y + GAP if hand else y
    return Picture(width, math.ceil(bottom), lines[0].text, lines, panels, hand)


def _headlines(view: dict[str, Any], names: dict[str, str], words: Words, width: int, y: float) -> list[Line]:
    room = width - 2 * MARGIN
    texts = [words.turn(view), words.stock(view), words.awaited(view, names)]
    set_lines = [line for text in texts for line in letters.wrapped(text.split(" "), room, 13)]
    return [Line(text, MARGIN, y + number * LINE) for number, text in enumerate(set_lines)]


def _panel(view: dict[str, Any], seat: dict[str, Any], name: str, words: Words, y: float, width: float) -> Panel:
    letter = seat["seat"]
    facts = words.facts(seat)
    facts_x = MARGIN + width - PAD - letters.width(facts, TEXT)
    flag = letter == view["first"]
    room = facts_x - (MARGIN + NAME) - (30 if flag else 10)
    shown = letters.fitted(name, room, TITLE, bold=True)
    flag_x = MARGIN + NAME + letters.width(shown, TITLE, bold=True) + 8 if flag else None
    boxes = _boxes(view, seat["animals"], words, y + PANEL_HEAD, width)
    bottom = max((box.y + box.height for box in boxes), default=y + PANEL_HEAD)
    asked = view["question"] is not None and view["question"]["seat"] == letter
    drawn = links.between(boxes, view["pairs"], GAP)
    return Panel(
        letter, SHAPES[letter], shown, facts, facts_x, flag_x, asked, MARGIN, y, width, bottom - y + PAD, boxes, drawn
    )


def _boxes(view: dict[str, Any], animals: list[dict[str, Any]], words: Words, y: float, width: float) -> list[Box]:
    room = width - 2 * PAD
    columns = max(1, int((room + GAP) // (NARROWEST_BOX + GAP)))
    box_width = min(WIDEST_BOX, (room - (columns - 1) * GAP) / columns)
    boxes: list[Box] = []
    for start in range(0, len(animals), columns):
        row = [
            _box(view, animal, words, column, start // columns, y, box_width)
            for column, animal in enumerate(animals[start : start + columns])
        ]
        tallest = max(box.height for box in row)
        for box in row:
            box.height = tallest
        boxes += row
        y += tallest + GAP
    return boxes


def _box(
    view: dict[str, Any], animal: dict[str, Any], words: Words, column: int, row: int, y: float, width: float
) -> Box:
    x = MARGIN + PAD + column * (width + GAP)
    box = Box(animal["id"], x, y, width, 0, animal["fed"], column, row)
    box.slots = _slots(animal, x, y, width)
    top = max((slot.y + SLOT / 2 for slot in box.slots), default=y + BOX_HEAD) + 4
    told = [*words.traits(animal), *words.pairs(animal["id"], view["pairs"]), *words.marks(animal)]
    for number, (icon, text, faded) in enumerate(told):
        text_x = x + (26 if icon else 8)
        room = x + width - 6 - text_x
        size = TEXT if letters.width(text, TEXT) <= room else SMALL
        box.lines.append(Line(letters.fitted(text, room, size), text_x, top + number * ROW + 13, icon, faded, size))
    box.height = max(top + len(told) * ROW + 4 - y, BOX_HEAD + ROW)
    return box


def _slots(animal: dict[str, Any], x: float, y: float, width: float) -> list[Slot]:
    """Food as it lies, then what is needed still, then the fat cards; right of the name, and below it when there is much."""
    colours = {"r": "red", "b": "blue"}
    kinds = [(colours[token], "round") for token in animal["tokens"]]
    kinds += [("empty", "round")] * max(0, animal["need"] - animal["food"])
    kinds += [("yellow", "square")] * animal["fat"] + [("empty", "square")] * (animal["fat_slots"] - animal["fat"])
    beside = 36 + letters.width(animal["id"], TITLE, bold=True) - 20
    in_first, in_others = int((width - beside - 22) // (SLOT + 3)), int((width - 12) // (SLOT + 3))
    slots = []
    for number, (kind, shape) in enumerate(kinds):
        line, place = (0, number) if number < in_first else divmod(number - in_first + in_others, in_others)
        left = x + (beside if line == 0 else 8) + SLOT / 2
        slots.append(Slot(kind, shape, left + place * (SLOT + 3), y + BOX_HEAD / 2 + line * (SLOT + 4)))
    return slots


def _hand(view: dict[str, Any], words: Words, y: float, width: int) -> list[Line]:
    """The viewer's own, where the view shows it."""
    own = next((seat["hand"] for seat in view["seats"] if seat["seat"] == view["you"] and seat["hand"]), None)
    if not own:
        return []
    cards = words.cards(own)
    texts = letters.wrapped([words.hand, *cards], width - 2 * MARGIN, 13)
    return [Line(text, MARGIN, y + 14 + number * LINE) for number, text in enumerate(texts)]
