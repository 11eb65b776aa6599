"""The picture of a table: everything is in it that the view has, nothing leaves its box, and nobody's name becomes markup."""

from __future__ import annotations

import copy
import functools
import random
import struct
from typing import Any
from xml.etree import ElementTree

import pytest

import engine
from engine.vocabulary import MARKS, TRAITS
from server.services import drawing
from server.services.drawing import letters
from server.services.drawing.layout import SHAPES, Picture, arrange
from server.services.drawing.picture import _icons
from server.services.drawing.words import Words

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</text><image href='http://example.org/x.png'>"
NAMES = dict(
    zip("ABCDEFGH", ("Анна", HOSTILE, "Bob", "Ж" * 40, "w" * 40, "Zoë", "日本", "\u202eevil\x00"), strict=True)
)
PAIRS = (
    ("cooperation", 1, 2, False),
    ("communication", 1, 2, True),
    ("symbiosis", 4, 8, False),
    ("cooperation", 2, 15, False),
)


@functools.cache
def played(seats: int) -> engine.State:
    """A game in its feeding phase, played by chance."""
    chance = random.Random(seats)
    state = engine.new_game(bytes(32), seats, {"sets": "two"} if seats > 4 else None)
    while True:
        view = engine.view(state, 0)
        if view["turn"] >= 3 and view["phase"] == "feeding" and len(view["seats"][0]["animals"]) > 2:
            return state
        legal = engine.legal_moves(state)
        growing = [move for move in legal if str(move).startswith(("animal", "play"))]
        engine.apply(state, chance.choice(growing or legal))


def crowded(seats: int, animals: int) -> dict[str, Any]:
    """A view with so many animals a seat, some of them with all that an animal may have."""
    view = copy.deepcopy(engine.view(played(seats), 0))
    pool = [animal for seat in view["seats"] for animal in seat["animals"]]
    for seat in view["seats"]:
        seat["animals"] = [
            {**copy.deepcopy(pool[n % len(pool)]), "id": f"{seat['seat']}{n + 1}"} for n in range(animals)
        ]
        seat["animals"][0] |= {
            "tokens": "rbrb", "food": 4, "need": 9, "fat": 2, "fat_slots": 5, "marks": [*MARKS, "grazed"],
            "traits": [{"trait": trait, "card": trait} for trait in TRAITS], "forfeited": ["running"],
        }  # fmt: skip
    pairs = [pair for seat in "ABCDEFGH"[:seats] if animals > 14 for pair in _pairs(seat)]
    return {**view, "pairs": pairs}


def _pairs(seat: str) -> list[dict[str, Any]]:
    return [
        {"trait": trait, "card": trait, "animal": f"{seat}{one}", "partner": f"{seat}{two}", "spent": spent}
        for trait, one, two, spent in PAIRS
    ]


def read(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def texts(root: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("animals", [1, 15])
@pytest.mark.parametrize("seats", [2, 4, 8])
def test_every_text_stays_within_its_box(seats: int, animals: int, width: int) -> None:
    for language in ("en", "ru"):
        picture = arrange(crowded(seats, animals), NAMES, Words(language), width)
        for panel in picture.panels:
            assert panel.x + 43 + letters.width(panel.name, 15, bold=True) < panel.facts_x
            for box in panel.boxes:
                assert box.x + box.width <= panel.x + panel.width
                assert box.y + box.height <= panel.y + panel.height
                for line in box.lines:
                    assert line.x + letters.width(line.text, line.size) <= box.x + box.width
                    assert line.y <= box.y + box.height
                for slot in box.slots:
                    assert slot.x + 7 <= box.x + box.width
        for line in picture.lines + picture.hand:
            assert line.x + letters.width(line.text, line.size) <= width


@pytest.mark.parametrize("seats", [2, 4, 8])
def test_boxes_and_panels_lie_beside_each_other(seats: int) -> None:
    picture = arrange(crowded(seats, 15), NAMES, Words("en"), 720)
    for above, below in zip(picture.panels, picture.panels[1:], strict=False):
        assert above.y + above.height < below.y
    for panel in picture.panels:
        spots = {(box.column, box.row) for box in panel.boxes}
        assert len(spots) == 15
        for box in panel.boxes:
            for other in panel.boxes:
                if other.row == box.row + 1:
                    assert box.y + box.height < other.y


def test_it_shows_all_that_the_view_has() -> None:
    view = crowded(2, 15)
    shown = texts(read(drawing.svg(view, NAMES, "en", 1200)))
    said = "\n".join(shown)
    assert f"Food bank {view['bank']} · deck {view['deck']}" in shown
    for trait in TRAITS:
        assert trait.replace("-", " ") in said
    for words in (
        "A1",
        "A15",
        "B15",
        "protects A8",
        "protected by A4",
        "A2: cooperation",
        "poisoned",
        "has hunted",
    ):
        assert words in said
    question = view["question"]
    assert f"{NAMES[question['seat']]} ({question['seat']})" in " ".join(shown[:4])


def test_tokens_have_their_colours_and_shapes() -> None:
    picture = arrange(crowded(2, 1), NAMES, Words("en"), 720)
    kinds = [(slot.kind, slot.shape) for slot in picture.panels[0].boxes[0].slots]
    assert kinds == [
        *[("red", "round"), ("blue", "round")] * 2,
        *[("empty", "round")] * 5,
        *[("yellow", "square")] * 2,
        *[("empty", "square")] * 3,
    ]


def test_seats_differ_without_colour() -> None:
    assert len(set(SHAPES.values())) == len(SHAPES) == 8


def test_each_trait_has_an_icon_of_its_own() -> None:
    assert set(_icons()) == set(TRAITS)
    assert len(set(_icons().values())) == len(TRAITS)


def links(picture: Picture) -> int:
    return sum(len(panel.links) for panel in picture.panels)


def test_pairs_are_links() -> None:
    for width in (360, 1200):
        assert links(arrange(crowded(2, 15), NAMES, Words("en"), width)) == 2 * len(PAIRS)


def test_a_name_never_becomes_markup() -> None:
    root = read(drawing.svg(crowded(8, 2), NAMES, "en", 1200))
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg",
        "title",
        "g",
        "rect",
        "path",
        "circle",
        "text",
    }
    assert not [name for element in root.iter() for name in element.attrib if "href" in name or name.startswith("on")]
    assert HOSTILE in texts(root)


def test_nothing_comes_from_outside() -> None:
    svg = drawing.svg(crowded(2, 3), NAMES, "ru", 720)
    assert svg.count("http") == svg.count("http://www.w3.org/2000/svg") + svg.count("http://example.org/x.png")
    assert "url(" not in svg


@pytest.mark.parametrize("width", [320, 360, 1200, 1600])
def test_the_png_is_as_wide_as_was_asked_and_has_letters(width: int) -> None:
    view = engine.view(played(2), 0)
    picture = drawing.png(drawing.svg(view, NAMES, "ru", width))
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">I", picture[16:20]) == (width,)
    nameless = drawing.png(drawing.svg(view, dict.fromkeys(NAMES, " "), "ru", width))
    assert picture != nameless  # the font was found: names leave a trace


def test_both_languages_have_every_word() -> None:
    from server.services.drawing.words import _all

    assert _all()["en"].keys() == _all()["ru"].keys()


@pytest.mark.parametrize("language", ["en", "ru"])
def test_a_finished_game_shows_points_and_the_winner(language: str) -> None:
    state = engine.new_game(bytes(32), 2)
    while engine.question(state) is not None:
        engine.apply(state, engine.legal_moves(state)[-1])
    view = engine.view(state, None)
    said = texts(read(drawing.svg(view, NAMES, language, 720)))
    for seat in view["seats"]:
        assert any(str(seat["score"]) in text and ("points" in text or "очков" in text) for text in said)
    assert any(NAMES[winner] in " ".join(said[:5]) for winner in view["winners"])


def test_what_a_viewer_does_not_know_changes_nothing() -> None:
    """Another's hand, deck and face-down cards: the same picture to the byte."""
    from tests.hidden.twins import twin

    state = played(2)
    for seat in (0, None):
        other = twin(state, seat, random.Random(7))
        pictures = [drawing.svg(engine.view(each, seat), NAMES, "en", 720) for each in (state, other)]
        assert pictures[0] == pictures[1]
