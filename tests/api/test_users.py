"""Public profiles."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from sqlalchemy import update

from server import clock
from server.database import transaction
from server.models import Account, Game, Seat
from tests.playing import Person, problem, running_game, signed_in

NONE = {"running": 0, "finished": 0, "won": 0, "resigned": 0, "cancelled": 0}


def ended(game: str, **values: Any) -> None:
    """As if it had been played to that end."""
    with transaction() as session:
        session.execute(
            update(Game).where(Game.id == game).values(ended_at=clock.now(), decision=None, asked_seat=None, **values)
        )


def resigned(game: str, letter: str) -> None:
    with transaction() as session:
        session.execute(update(Seat).where(Seat.game_id == game, Seat.letter == letter).values(resigned_at=clock.now()))


def test_a_newcomer_has_played_nothing(ann: Person, nobody: Person) -> None:
    profile = nobody.seen("/users/Ann")
    assert (profile["name"], profile["kind"], profile["owner"]) == ("Ann", "person", None)
    assert profile["games"] == NONE and profile["reliability"] is None
    assert profile["created_at"] == ann.seen("/me")["created_at"]


def test_it_tells_nothing_else(ann: Person, nobody: Person) -> None:
    assert sorted(nobody.seen("/users/Ann")) == ["created_at", "games", "kind", "name", "owner", "reliability"]
    answer = nobody.get("/users/Ann").text
    assert "example.org" not in answer and ann.seen("/me")["id"] not in answer


def test_games_are_counted_by_how_they_ended(ann: Person, bob: Person, nobody: Person) -> None:
    games = [running_game(ann, bob) for _ in range(6)]
    ann.made("/games", {"seats": 2})  # not begun
    result = {"winners": ["A"], "scores": {"A": 9, "B": 3}}
    ended(games[0], status="over", result=result)
    ended(games[1], status="over", result=result)
    ended(games[2], status="over", result={**result, "winners": ["A", "B"]})
    ended(games[3], status="over", result=result)
    resigned(games[3], "B")
    ended(games[4], status="cancelled")
    assert nobody.seen("/users/Ann")["games"] == {"running": 1, "finished": 4, "won": 4, "resigned": 0, "cancelled": 1}
    bobs = nobody.seen("/users/Bob")
    assert bobs["games"] == {"running": 1, "finished": 3, "won": 1, "resigned": 1, "cancelled": 1}
    assert bobs["reliability"] == 0.75 and nobody.seen("/users/Ann")["reliability"] == 1.0


def test_private_games_are_in_the_numbers_only(ann: Person, bob: Person, nobody: Person) -> None:
    game = running_game(ann, bob, listed=False)
    assert nobody.seen("/users/Ann")["games"]["running"] == 1 and game not in nobody.get("/users/Ann").text
    assert nobody.seen("/games")["items"] == []


def test_a_bots_profile_names_its_owner(ann: Person, nobody: Person) -> None:
    ann.made("/bots", {"name": "Darwinist"})
    profile = nobody.seen("/users/Darwinist")
    assert (profile["kind"], profile["owner"]) == ("bot", "Ann")


@pytest.mark.parametrize("name", ["Jean-Luc O'Hara", "jeanluc ohara", "JEAN.LUC_O-HARA", "J\u0435an-Luc O'Hara"])
def test_a_player_is_found_by_whatever_looks_like_his_name(name: str, app: Flask, nobody: Person) -> None:
    signed_in(app, "Jean-Luc O'Hara", "jl@example.org")
    assert nobody.seen(f"/users/{name}")["name"] == "Jean-Luc O'Hara"


def test_of_two_old_names_that_look_alike_each_is_found_by_itself(ann: Person, bob: Person, nobody: Person) -> None:
    with transaction() as session:  # as the migration left them
        session.execute(update(Account).where(Account.name == "Bob").values(name="A.nn", name_key="ann u_1"))
    assert [nobody.seen(f"/users/{name}")["name"] for name in ("Ann", "A.nn", "an-n")] == ["Ann", "A.nn", "Ann"]


@pytest.mark.parametrize(
    "name", ["Nobody", "%00", "A%00nn", "%0A", "x" * 3000, "%E2%80%AEnnA", "...", "u_aaaaaaaaaaaaaaaaaaaaaaaaaa", "%FF"]
)
def test_who_is_not_there_is_unknown(name: str, ann: Person, nobody: Person) -> None:
    problem(nobody.get(f"/users/{name}"), 404, "unknown-user")
