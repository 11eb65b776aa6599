"""Sentences and drawings in Russian: complete, and without a word of English. The games are real ones, played at random."""

from __future__ import annotations

import functools
import random
import re
import tomllib
from typing import Any

import pytest

import engine
from engine import TABLE_WORDS
from engine.drawing import SENTENCES as OF_MOVES
from engine.drawing import WIDTH
from engine.events import SENTENCES as OF_EVENTS
from engine.notation import RUSSIAN_NAMES
from engine.vocabulary import TRAITS
from server import language
from server.services.wording import Words

RUSSIAN: dict[str, dict[str, str]] = tomllib.loads((language.FOLDER / "ru" / "words.toml").read_text("utf-8"))
NOTATION = re.compile(r"\b[A-H][0-9]*\b")  # seats and animals are called the same in all languages
WORDS = Words("ru")
Seen = tuple[list[dict[str, Any]], list[engine.Move], list[dict[str, Any]]]  # events, moves, views


@functools.cache
def played(number: int) -> Seen:
    """What a player and a spectator of a game of three see of it, under one house rule that adds a move."""
    dice = random.Random(number)
    state = engine.new_game(number.to_bytes(32), 3, {"tail-loss": "optional"})
    events, moves, views = list(engine.opening(state)), list[engine.Move](), []
    while engine.asked(state) is not None:
        legal = engine.legal_moves(state)
        moves += legal
        views += [engine.view(state, viewer) for viewer in (0, None)] if dice.random() < 0.1 else []
        events += engine.apply(state, dice.choice(legal))
        if number % 10 == 7 and dice.random() < 0.005:
            events += engine.resign(state, 1) if dice.random() < 0.5 else engine.cancel(state)
            break
    views += [engine.view(state, viewer) for viewer in (0, None)]
    return [engine.project(event, viewer) for event in events for viewer in (0, None)], moves, views


def is_russian(text: str) -> bool:
    return bool(re.search("[а-я]", text)) and not re.search("[A-Za-z]", NOTATION.sub("", text))


def test_every_event_has_its_sentence_and_there_are_no_others() -> None:
    assert {key.partition(".")[0] for key in RUSSIAN["events"]} == OF_EVENTS.keys()


def test_every_move_has_its_sentence_and_there_are_no_others() -> None:
    assert {key.partition(".")[0] for key in RUSSIAN["moves"]} == OF_MOVES.keys() | {"play"}


def test_the_drawing_has_all_its_words_and_no_others() -> None:
    assert RUSSIAN["table"].keys() == TABLE_WORDS.keys()
    assert RUSSIAN["traits"].keys() == set(TRAITS)


def test_traits_are_called_as_on_the_printed_cards() -> None:
    assert RUSSIAN["traits"] == RUSSIAN_NAMES


@pytest.mark.parametrize("number", range(20))
def test_a_game_is_told_in_russian_and_not_a_word_of_english(number: int) -> None:
    events, moves, views = played(number)
    sentences = {WORDS.event(event) for event in events}
    sentences |= {WORDS.move(engine.move_json(move), engine.sentence(move)) for move in moves}
    assert not [sentence for sentence in sentences if not is_russian(sentence)]
    assert not [drawing for drawing in map(WORDS.table, views) if not is_russian(drawing)]


def test_those_games_show_everything_that_can_be_told() -> None:
    games = [played(number) for number in range(20)]
    happened = {event["type"] for events, _, _ in games for event in events}
    assert OF_EVENTS.keys() - happened <= {"resigned", "game_cancelled"}  # by no move
    assert {move.word for _, moves, _ in games for move in moves} == OF_MOVES.keys() | {"play"}


@pytest.mark.parametrize("event", ["resigned", "game_cancelled"])
def test_leaving_is_told_in_russian(event: str) -> None:
    state = engine.new_game(bytes(32), 3)
    happened = engine.resign(state, 1) if event == "resigned" else engine.cancel(state)
    assert event in {one.type for one in happened}
    assert all(is_russian(WORDS.event(engine.project(one, None))) for one in happened)


@pytest.mark.parametrize("number", range(4))
def test_a_russian_drawing_fits_in_a_mail(number: int) -> None:
    for seen in played(number)[2]:
        assert max(map(len, WORDS.table(seen).splitlines())) <= WIDTH


def test_a_card_in_a_drawing_can_be_typed_in_an_answer() -> None:
    state = engine.new_game(bytes(32), 2)
    drawing = WORDS.table(engine.view(state, engine.asked(state)))
    held = re.search(r"на руке: ([^,\n]+)", drawing)
    assert held and engine.read_move(state, f"animal {held[1]}").word == "animal"


@pytest.mark.parametrize(
    ("seen", "sentence"),
    [
        ({"type": "cards_drawn", "seat": "A", "count": 1}, "A берёт 1 карту."),
        ({"type": "cards_drawn", "seat": "A", "count": 3}, "A берёт 3 карты."),
        ({"type": "cards_drawn", "seat": "A", "count": 12}, "A берёт 12 карт."),
        (
            {"type": "cards_drawn", "seat": "A", "count": 2, "cards": ["mimicry", "large/carnivorous"]},
            "A берёт карты: Мимикрия, Большой / Хищник.",
        ),
        ({"type": "food_received", "animal": "B2", "food": 2, "fat": 0}, "B2 получает 2 фишки еды."),
        ({"type": "food_received", "animal": "B2", "food": 0, "fat": 1}, "B2 получает 1 фишку жира."),
        ({"type": "food_received", "animal": "B2", "food": 1, "fat": 1}, "B2 получает 1 фишку еды и 1 фишку жира."),
        ({"type": "bank_rolled", "dice": [3, 4], "bank": 7}, "На кубиках 3, 4: в кормовой базе 7 фишек."),
    ],
)
def test_a_sentence_agrees_with_its_numbers(seen: dict[str, Any], sentence: str) -> None:
    assert WORDS.event(seen) == sentence
