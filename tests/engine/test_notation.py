"""Moves as text and as JSON, both ways."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine import BadNotation, IllegalMove, State, dump, legal_moves, move_json, print_move, read_move
from engine.notation import RUSSIAN_NAMES, parse_move
from engine.positions import parse_position, playable
from engine.vocabulary import TRAITS
from tests.engine.play import random_play

DEVELOPING = """
turn 2 development; bank 0; deck 50; first A; go A
A: hand large/carnivorous, symbiosis, cooperation/fat-tissue, sharp-vision/fat-tissue, tail-loss, running
A1:
A2:
B1:
"""
TWO_CARNIVORES = """
turn 2 development; bank 0; deck 50; first A; go A
A: hand large/carnivorous, parasite/carnivorous
A1:
"""
FEEDING = """
turn 3 feeding; bank 4; deck 50; first A; go A
A1: carnivorous, piracy
A2: grazing, hibernation, fat-tissue*, fat-tissue*, parasite
B1: food 0
B2: large; food 1
"""
DEFENDING = """
turn 3 feeding; bank 4; deck 50; first A; go A; acted
A1: carnivorous; hunted
B1: tail-loss, fat-tissue*, fat-tissue, running
B2:
B3:
B1+B2: cooperation
B1+B3: cooperation
B3>B2: symbiosis
awaiting B: defend A1 B1
"""
ALL_FULL = DEFENDING.replace("fat-tissue*, fat-tissue,", "fat-tissue*, fat-tissue*,")
ALL_EMPTY = DEFENDING.replace("fat-tissue*", "fat-tissue")
SHARING = """
turn 3 feeding; bank 1; deck 50; first A; go A; acted
A1: food 1
A2:
A3:
A1+A2: communication
A1+A3: communication
awaiting A: share communication A1>A2, communication A1>A3
"""


def at(position: str) -> State:
    return playable(parse_position(position), b"seed")


@pytest.mark.parametrize(
    ("position", "written", "canonical"),
    [
        (DEVELOPING, "  ANIMAL   Running ", "animal running"),
        (DEVELOPING, "animal carnivorous/large", "animal large/carnivorous"),
        (DEVELOPING, "animal carnivorous", "animal large/carnivorous"),
        (DEVELOPING, "play carnivorous A1", "play carnivorous/large A1"),
        (DEVELOPING, "play large a1", "play large/carnivorous A1"),
        (DEVELOPING, "play carnivorous / large A1", "play carnivorous/large A1"),
        (DEVELOPING, "play cooperation A2 + A1", "play cooperation/fat-tissue A1+A2"),
        (DEVELOPING, "play symbiosis A2 > A1", "play symbiosis A2>A1"),
        (DEVELOPING, "play tail loss A1", "play tail-loss A1"),
        (DEVELOPING, "play Хищник А1", "play carnivorous/large A1"),  # the seat is Cyrillic too
        (DEVELOPING, "play БОЛЬШОЙ/хищник а1", "play large/carnivorous A1"),
        (DEVELOPING, "play острое  зрение A1", "play sharp-vision/fat-tissue A1"),
        (DEVELOPING, "play Острое зрение/Жировой запас A1", "play sharp-vision/fat-tissue A1"),
        (DEVELOPING, "play Отбрасывание хвоста А2", "play tail-loss A2"),
        (DEVELOPING, "animal Быстроё", "animal running"),  # ё is read as е wherever it stands
        (DEVELOPING, "end", "pass"),
        (FEEDING, "attack А1 В1", "attack A1 B1"),
        (FEEDING, "convert a2 2", "convert A2 2"),
        (FEEDING, "steal A1 B2", "steal A1 B2"),
        (DEFENDING, "drop B1 fat-tissue", "drop B1 fat-tissue"),
        (DEFENDING, "drop B1 Жировой запас *", "drop B1 fat-tissue*"),
        (DEFENDING, "drop B1 cooperation B3+B1", "drop B1 cooperation B1+B3"),
        (DEFENDING, "drop B1 Сотрудничество В1+В2", "drop B1 cooperation B1+B2"),
        (ALL_FULL, "drop B1 fat-tissue*", "drop B1 fat-tissue"),
        (SHARING, "share взаимодействие A1>A3", "share communication A1>A3"),
    ],
)
def test_what_a_person_types_is_read_as_the_canonical_move(position: str, written: str, canonical: str) -> None:
    state = at(position)
    move = read_move(state, written)
    assert str(move) == canonical
    assert move in legal_moves(state)


def test_every_russian_name_is_read() -> None:
    assert set(RUSSIAN_NAMES) == set(TRAITS)
    for slug, russian in RUSSIAN_NAMES.items():
        assert parse_move(f"drop B1 {russian}") == parse_move(f"drop B1 {slug}")


@pytest.mark.parametrize(
    ("position", "written", "candidates"),
    [
        (TWO_CARNIVORES, "play carnivorous A1", ["play carnivorous/large A1", "play carnivorous/parasite A1"]),
        (TWO_CARNIVORES, "animal carnivorous", ["animal large/carnivorous", "animal parasite/carnivorous"]),
        (DEFENDING, "drop B1 cooperation", ["drop B1 cooperation B1+B2", "drop B1 cooperation B1+B3"]),
    ],
)
def test_an_ambiguous_short_form_lists_its_candidates(position: str, written: str, candidates: list[str]) -> None:
    with pytest.raises(BadNotation) as refusal:
        read_move(at(position), written)
    assert refusal.value.candidates == candidates


@pytest.mark.parametrize(
    ("position", "written", "reason"),
    [
        (DEVELOPING, "animal swimming", "not-in-hand"),
        (DEVELOPING, "play running B1", "trait-for-own-only"),
        (FEEDING, "attack A1 B2", "prey-large"),
        (FEEDING, "attack A1 C1023", "no-such-animal"),
        (FEEDING, "pass", "must-take-food"),
        (FEEDING, "convert A2 9999", "too-many-tokens"),
        (ALL_EMPTY, "drop B1 fat-tissue*", None),
    ],
)
def test_what_can_be_read_and_is_not_legal_is_refused_with_a_reason(
    position: str, written: str, reason: str | None
) -> None:
    state = at(position)
    legal_moves(state)
    before = dump(state)
    with pytest.raises(IllegalMove) as refusal:
        read_move(state, written)
    assert reason is None or refusal.value.reason == reason
    assert dump(state) == before


@pytest.mark.parametrize(
    "written",
    [
        "",
        "   ",
        "e4",
        "animal",
        "animal ?",
        "animal large/swimming",
        "animal large/carnivorous/large",
        "animal /",
        "play running",
        "play running A0",
        "play running A01",
        "play running A1024",
        "play running A99999999999999999999",
        "play running A١",  # a digit, but not one of ours
        "play running A²",
        "play running I1",
        "play running A1+A2",
        "play symbiosis A1+A2",
        "play cooperation A1>A2",
        "feed A1 A2",
        "feed A1; feed A2",
        "feed\x00A1",
        "feed A1\nfeed A2\nfeed A3",
        "attack A1",
        "convert A1 -1",
        "convert A1 ١",
        "convert A1 1e3",
        "convert A1 99999999999999999999",
        "drop B1 running*",
        "drop B1 running B1+B2",
        "share cooperation A1+A2",
        "share A1>A2",
        "pass A1",
        "\ud800",
        "feed " + "A1" * 100_000,
        "+" * 200,
        " " * 100_000,
    ],
)
def test_what_cannot_be_read_is_refused_in_few_words(written: str) -> None:
    for position in (DEVELOPING, FEEDING, DEFENDING):
        with pytest.raises(BadNotation) as refusal:
            read_move(at(position), written)
        assert refusal.value.candidates == []
        assert len(refusal.value.detail) < 400
        refusal.value.detail.encode()  # nothing that could not be sent on


def test_a_line_break_is_a_space_and_makes_no_second_move() -> None:
    assert str(read_move(at(FEEDING), "feed\nA1")) == "feed A1"


@pytest.mark.parametrize(
    ("position", "data", "canonical"),
    [
        (FEEDING, {"type": "attack", "animal": "A1", "target": "B1"}, "attack A1 B1"),
        (FEEDING, {"notation": "attack A1 B1"}, "attack A1 B1"),
        (FEEDING, {"type": "convert", "animal": "A2", "count": 2, "notation": "convert A2 2"}, "convert A2 2"),
        (DEVELOPING, {"type": "pass"}, "pass"),
        (DEVELOPING, {"type": "animal", "card": "running"}, "animal running"),
        (DEVELOPING, {"type": "animal", "card": "carnivorous/large"}, "animal large/carnivorous"),
        (DEVELOPING, {"type": "play", "card": "carnivorous/large", "animal": "A1"}, "play carnivorous/large A1"),
        (
            DEVELOPING,
            {"type": "play", "card": "large/carnivorous", "trait": "carnivorous", "animal": "A1"},
            "play carnivorous/large A1",
        ),
        (DEVELOPING, {"type": "play", "trait": "carnivorous", "animal": "A1"}, "play carnivorous/large A1"),
        (
            DEVELOPING,
            {"type": "play", "card": "cooperation/fat-tissue", "animal": "A2", "partner": "A1"},
            "play cooperation/fat-tissue A1+A2",
        ),
        (
            DEVELOPING,
            {"type": "play", "card": "symbiosis", "trait": "symbiosis", "animal": "A2", "partner": "A1"},
            "play symbiosis A2>A1",
        ),
        (DEFENDING, {"type": "drop", "animal": "B1", "trait": "fat-tissue", "full": True}, "drop B1 fat-tissue*"),
        (DEFENDING, {"type": "drop", "animal": "B1", "trait": "fat-tissue", "full": False}, "drop B1 fat-tissue"),
        (
            DEFENDING,
            {"type": "drop", "animal": "B1", "trait": "cooperation", "pair": "B1+B3"},
            "drop B1 cooperation B1+B3",
        ),
        (
            SHARING,
            {"type": "share", "trait": "communication", "animal": "A1", "target": "A2"},
            "share communication A1>A2",
        ),
    ],
)
def test_a_json_object_names_a_move(position: str, data: dict[str, Any], canonical: str) -> None:
    assert str(read_move(at(position), data)) == canonical


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"type": None},
        {"type": 7},
        {"type": "jump"},
        {"type": ["attack"]},
        {"type": "attack", "animal": "A1"},
        {"type": "attack", "animal": "A1", "target": None},
        {"type": "attack", "animal": "A1", "target": "B1", "count": 1},
        {"type": "attack", "animal": "A1 B1", "target": ""},
        {"type": "attack", "animal": "A1", "target": "B1", "notation": "feed A1"},
        {"type": "attack", "animal": "A1", "target": "B1", "notation": None},
        {"type": "convert", "animal": "A2", "count": True},
        {"type": "convert", "animal": "A2", "count": "2"},
        {"type": "convert", "animal": "A2", "count": 2.0},
        {"type": "convert", "animal": "A2"},
        {"type": "animal", "card": None, "notation": "animal ?"},
        {"type": "animal", "card": None},
        {"type": "animal", "card": "?"},
        {"type": "play", "animal": "A1"},
        {"type": "play", "card": "large/carnivorous", "trait": "running", "animal": "A1"},
        {"type": "play", "card": "running", "animal": "A1", "partner": "A2"},
        {"type": "drop", "animal": "B1", "trait": "fat-tissue", "full": 1},
        {"type": "drop", "animal": "B1", "trait": "cooperation", "pair": ["B1", "B2"]},
        {"notation": ""},
        {"notation": {"type": "pass"}},
        {"animal": "A1", "extra": "x" * 1_000_000},
    ],
)
def test_a_json_object_that_is_no_move_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(BadNotation) as refusal:
        read_move(at(FEEDING), data)
    assert len(refusal.value.detail) < 400


@pytest.mark.parametrize("given", [None, 3, True, ["pass"], b"pass"])
def test_only_a_text_or_an_object_is_a_move(given: Any) -> None:
    with pytest.raises(BadNotation):
        read_move(at(FEEDING), given)


def test_nobody_but_its_player_reads_which_card_became_an_animal() -> None:
    move = read_move(at(DEVELOPING), "animal running")
    assert print_move(move, viewer_knows=False) == "animal ?"
    assert move_json(move, viewer_knows=False) == {"type": "animal", "card": None, "notation": "animal ?"}
    assert move_json(move) == {"type": "animal", "card": "running", "notation": "animal running"}


def test_json_holds_the_keys_of_its_type_and_no_others() -> None:
    state = at(DEFENDING)
    keys = {str(move): set(move_json(move)) - {"type", "notation"} for move in legal_moves(state)}
    assert keys["run B1"] == {"animal"}
    assert keys["drop B1 running"] == {"animal", "trait"}
    assert keys["drop B1 fat-tissue"] == {"animal", "trait", "full"}
    assert keys["drop B1 cooperation B1+B2"] == {"animal", "trait", "pair"}


@pytest.mark.parametrize("number", range(50))
def test_every_legal_move_of_a_random_game_is_read_back_from_text_and_from_json(number: int) -> None:
    chance = random.Random(number)
    for state, _ in random_play(number):
        for move in chance.sample(legal_moves(state), 2):
            data = move_json(move)
            spoken = {"notation": data["notation"]}
            without = {key: value for key, value in data.items() if key != "notation"}
            for written in (str(move), str(move).upper(), data, spoken, without):
                assert read_move(state, written) is move
