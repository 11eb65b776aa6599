"""GET …/view.svg and …/view.png: the view as a picture, for whoever may see it, and 404 to whom the game is not shown."""

from __future__ import annotations

import struct
from typing import Any
from xml.etree import ElementTree

import pytest
from flask import Flask

from tests.playing import Person, on_one_database, problem, running_game, whose_turn

FORMS = ("svg", "png")


@pytest.fixture
def game(ann: Person, bob: Person) -> str:
    """A few moves old, and not for strangers."""
    game = running_game(ann, bob, listed=False, join="open")
    for _ in range(4):
        player, number = whose_turn(game, ann, bob)
        player.made(f"/games/{game}/moves", {"decision": number, "move": player.legal(game)[0]})
    return game


def test_it_is_a_picture_of_what_i_see(game: str, ann: Person, bob: Person) -> None:
    svg = ann.get(f"/games/{game}/view.svg?width=360")
    assert (svg.status_code, svg.mimetype) == (200, "image/svg+xml")
    assert ElementTree.fromstring(svg.text).get("width") == "360"
    for seat in ann.seen(f"/games/{game}/view")["seats"]:
        assert f">cards {seat['hand_size']} · discarded {seat['pile_size']}<" in svg.text
    assert ">Ann<" in svg.text and ">Bob<" in svg.text and "Hand:" in svg.text
    png = ann.get(f"/games/{game}/view.png?width=1200")
    assert (png.status_code, png.mimetype) == (200, "image/png")
    assert struct.unpack(">I", png.data[16:20]) == (1200,)
    assert bob.get(f"/games/{game}/view.svg?width=360").text != svg.text  # another hand


@pytest.mark.parametrize("form", FORMS)
def test_who_has_it_gets_304_until_the_game_changes(game: str, form: str, ann: Person, bob: Person) -> None:
    path = f"/games/{game}/view.{form}"
    etag = ann.get(path).headers["ETag"]
    again = ann.get(path, headers={"If-None-Match": etag})
    assert (again.status_code, again.data) == (304, b"")
    assert ann.get(path, headers={"If-None-Match": etag, "Accept-Language": "ru"}).status_code == 200
    assert ann.get(f"{path}?width=360", headers={"If-None-Match": etag}).status_code == 200
    player, number = whose_turn(game, ann, bob)
    player.made(f"/games/{game}/moves", {"decision": number, "move": player.legal(game)[0]})
    assert ann.get(path, headers={"If-None-Match": etag}).status_code == 200


def test_the_table_as_it_was(game: str, ann: Person) -> None:
    assert "Hand:" in ann.get(f"/games/{game}/view.svg?at=1").text
    problem(ann.get(f"/games/{game}/view.png?at=999"), 404, "unknown-decision")


@pytest.mark.parametrize("form", FORMS)
def test_who_may_not_look(game: str, form: str, app: Flask, eve: Person, ann: Person) -> None:
    problem(eve.get(f"/games/{game}/view.{form}"), 403, "no-spectators")
    problem(Person(app).get(f"/games/{game}/view.{form}"), 401, "token-missing")
    private = ann.made("/games", {"seats": 2, "listed": False, "join": "invited"})["id"]
    problem(eve.get(f"/games/{private}/view.{form}"), 404, "unknown-game")
    problem(ann.get(f"/games/{private}/view.{form}"), 409, "game-not-started")


@on_one_database
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "query", ["width=0", "width=319", "width=1601", "width=x", "width=", "width=360&width=400", "at=0", "size=1"]
)
def test_impossible_wishes(game: str, form: str, query: str, ann: Person) -> None:
    answer: Any = ann.get(f"/games/{game}/view.{form}?{query}")
    assert answer.status_code == 422 and answer.json["errors"], answer.text


def test_a_picture_in_russian(game: str, ann: Person) -> None:
    svg = ann.get(f"/games/{game}/view.svg", headers={"Accept-Language": "ru"})
    assert "Кормовая база" in svg.text
    assert svg.headers["Content-Language"] == "ru"
