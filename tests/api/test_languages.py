"""Accept-Language: human text in the language asked for, everything else the same in all."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from tests.playing import Person, on_one_database, problem, running_game, whose_turn

ENGLISH, RUSSIAN = {"Accept-Language": "en"}, {"Accept-Language": "ru-RU,ru;q=0.9,en;q=0.8"}
TEXTS = ("text", "title", "detail", "about", "name")  # keys of human text
WORDS = re.compile(r"[a-z]{2,}", re.IGNORECASE)


@pytest.fixture
def game(ann: Person, bob: Person) -> str:
    """Something lies on the table, and Ann or Bob is asked."""
    game = running_game(ann, bob, spectators="public")
    dice = random.Random(4)
    for _ in range(12):
        player, number = whose_turn(game, ann, bob)
        player.made(f"/games/{game}/moves", {"decision": number, "move": dice.choice(player.legal(game))})
    return game


def without_texts(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: without_texts(value) for key, value in part.items() if key not in TEXTS}
    return [without_texts(item) for item in part] if isinstance(part, list) else part


def texts(part: Any) -> list[str]:
    if isinstance(part, dict):
        below = [text for key, value in part.items() for text in ([value] if key in TEXTS else texts(value))]
        return [text for text in below if isinstance(text, str)]
    return [text for item in part for text in texts(item)] if isinstance(part, list) else []


def differ_in_texts_only(english: TestResponse, russian: TestResponse) -> list[str]:
    assert english.status_code == russian.status_code
    assert (english.headers["Content-Language"], russian.headers["Content-Language"]) == ("en", "ru")
    assert without_texts(english.json) == without_texts(russian.json)
    assert texts(english.json) != texts(russian.json)
    return texts(russian.json)


@on_one_database
@pytest.mark.parametrize(
    ("asked", "language"),
    [("ru", "ru"), ("ru-RU,en;q=0.5", "ru"), ("RU", "ru"), ("uk-UA,ru;q=0.3", "ru"), ("de,ru;q=0.1,en;q=0.2", "en"), ("en,ru;q=0.9", "en"),
     ("de", "en"), ("*", "en"), ("ru;q=0", "en"), ("", "en"), ("ru;q=x", "en"), (";;,,=", "en"), ("ruin", "en")],
)  # fmt: skip
def test_the_language_is_the_first_of_ours_that_is_asked_for(nobody: Person, asked: str, language: str) -> None:
    answer = nobody.get("/nothing", headers={"Accept-Language": asked})
    assert answer.headers["Content-Language"] == language
    assert answer.json["title"] == {"en": "No such resource", "ru": "Здесь ничего нет"}[language]


@on_one_database
def test_who_asks_for_no_language_gets_english_after_somebody_who_asked_for_russian(nobody: Person) -> None:
    assert nobody.get("/nothing", headers=RUSSIAN).json["title"] != nobody.get("/nothing").json["title"]


def test_problems_are_told_in_the_language_asked_for(ann: Person, game: str, nobody: Person) -> None:
    moves = f"/games/{game}/moves"
    _, number = whose_turn(game, ann, ann)
    for who, body in [
        (ann, {"decision": number + 7, "move": "pass"}),
        (ann, {"decision": "x", "move": 7, "surplus": 1}),
        (nobody, {"decision": 1, "move": "pass"}),
    ]:
        said = differ_in_texts_only(who.post(moves, body, headers=ENGLISH), who.post(moves, body, headers=RUSSIAN))
        assert not [text for text in said if not re.search("[а-я]", text)]
    answer = ann.ask("POST", moves, data=b"{", content_type="application/json", headers=RUSSIAN)
    assert problem(answer, 400, "malformed-json")["detail"].startswith("Ожидается JSON в UTF-8: не читается")


def test_a_refused_move_says_why_in_the_language_asked_for(ann: Person, bob: Person, game: str) -> None:
    player, number = whose_turn(game, ann, bob)
    tries = [
        "fly A1",
        "attack A1 B2",
        "play camouflage Z9",
        "steal A77 B1",
        {"type": "feed"},
        {"type": "animal", "card": 7},
    ]
    for move in tries:
        body = {"decision": number, "move": move}
        path = f"/games/{game}/moves"
        english, russian = player.post(path, body, headers=ENGLISH), player.post(path, body, headers=RUSSIAN)
        assert english.status_code == 422, english.text
        differ_in_texts_only(english, russian)
        assert re.search("[а-я]", russian.json["detail"])


def test_the_list_of_problems_is_told_in_the_language_asked_for(nobody: Person) -> None:
    path = "/problems"
    said = differ_in_texts_only(nobody.get(path, headers=ENGLISH), nobody.get(path, headers=RUSSIAN))
    assert not [text for text in said if not re.search("[а-я]", text)]


def test_legal_moves_and_events_are_told_in_the_language_asked_for(ann: Person, bob: Person, game: str) -> None:
    player, _ = whose_turn(game, ann, bob)
    for path in (f"/games/{game}/legal-moves", f"/games/{game}/events"):
        said = differ_in_texts_only(player.get(path, headers=ENGLISH), player.get(path, headers=RUSSIAN))
        assert said and not [text for text in said if WORDS.search(text)]


def test_the_answer_to_a_move_is_told_in_the_language_asked_for(ann: Person, bob: Person, game: str) -> None:
    player, number = whose_turn(game, ann, bob)
    body = {"decision": number, "move": player.legal(game)[0]}
    played = player.post(f"/games/{game}/moves", body, headers=RUSSIAN)
    assert played.status_code == 201 and not [text for text in texts(played.json["events"]) if WORDS.search(text)]
    again = player.post(f"/games/{game}/moves", body, headers=ENGLISH)
    assert again.status_code == 200
    differ_in_texts_only(again, player.post(f"/games/{game}/moves", body, headers=RUSSIAN))


def test_the_drawing_is_in_the_language_asked_for(ann: Person, game: str) -> None:
    path = f"/games/{game}/view.txt"
    english, russian = ann.get(path, headers=ENGLISH), ann.get(path, headers=RUSSIAN)
    assert english.content_type == russian.content_type == "text/plain; charset=utf-8"
    assert english.text.startswith("Turn ") and russian.text.startswith("Ход ")
    assert english.text.endswith("\n") and not WORDS.search(russian.text)


def test_a_version_in_another_language_is_another_version(ann: Person, game: str) -> None:
    for path in (f"/games/{game}/view", f"/games/{game}/view.txt", "/rules", "/rules/evolution-1"):
        english, russian = ann.get(path, headers=ENGLISH), ann.get(path, headers=RUSSIAN)
        assert english.headers["ETag"] != russian.headers["ETag"]
        assert "Accept-Language" in english.headers["Vary"]
        tag = {"If-None-Match": english.headers["ETag"]}
        assert ann.get(path, headers=ENGLISH | tag).status_code == 304
        assert ann.get(path, headers=RUSSIAN | tag).status_code == 200


@on_one_database
def test_what_there_is_in_english_only_says_so(nobody: Person) -> None:
    assert nobody.get("/openapi.json", headers=RUSSIAN).headers["Content-Language"] == "en"


def test_whoever_may_not_look_gets_no_drawing(app: Flask, ann: Person, bob: Person, eve: Person) -> None:
    open_game, own = running_game(ann, bob, spectators="public"), running_game(ann, bob)
    assert "(you)" in ann.get(f"/games/{own}/view.txt").text
    drawing = eve.get(f"/games/{open_game}/view.txt").text
    assert "(you)" not in drawing and "in hand" not in drawing
    problem(eve.get(f"/games/{own}/view.txt"), 403, "no-spectators")
    problem(Person(app).get(f"/games/{own}/view.txt"), 401, "token-missing")
