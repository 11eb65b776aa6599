"""Seats before the start: left, taken away, and what that means for entropy."""

from __future__ import annotations

import hashlib

import pytest
from flask import Flask

from tests.playing import Person, on_one_database, problem, running_game, signed_in


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def letters(who: Person, game: str) -> dict[str, str]:
    return {player["name"]: player["seat"] for player in who.seen(f"/games/{game}")["players"]}


def entropy(who: Person, game: str) -> dict[str, str]:
    return {player["name"]: player["entropy"] for player in who.seen(f"/games/{game}")["players"]}


@pytest.fixture
def cay(app: Flask) -> Person:
    return signed_in(app, "Cay")


def test_who_leaves_makes_room_and_the_others_move_up(ann: Person, bob: Person, eve: Person, cay: Person) -> None:
    game = ann.made("/games", {"seats": 5, "options": {"sets": "two"}})["id"]
    for player in (bob, eve, cay):
        player.made(f"/games/{game}/seats")
    assert bob.ask("DELETE", f"/games/{game}/seats/me").status_code == 204
    assert letters(ann, game) == {"Ann": "A", "Eve": "B", "Cay": "C"}
    assert ann.seen(f"/games/{game}")["free_seats"] == 2
    bob.made(f"/games/{game}/seats")
    assert letters(ann, game) == {"Ann": "A", "Eve": "B", "Cay": "C", "Bob": "D"}


def test_a_game_whose_seats_moved_is_played_by_those_who_sit_there(
    ann: Person, bob: Person, eve: Person, cay: Person
) -> None:
    game = ann.made("/games", {"seats": 3})["id"]
    bob.made(f"/games/{game}/seats")
    bob.ask("DELETE", f"/games/{game}/seats/me")
    eve.made(f"/games/{game}/seats")
    assert cay.made(f"/games/{game}/seats")["status"] == "running"
    assert [eve.seen(f"/games/{game}/view")["you"], cay.seen(f"/games/{game}/view")["you"]] == ["B", "C"]


def test_nobody_leaves_a_game_that_has_started(ann: Person, bob: Person, eve: Person) -> None:
    game = running_game(ann, bob)
    for player in (ann, bob):
        problem(player.ask("DELETE", f"/games/{game}/seats/me"), 409, "game-started")
    problem(eve.ask("DELETE", f"/games/{game}/seats/me"), 403, "not-a-player")
    problem(ann.ask("DELETE", f"/games/{game}/seats/B"), 409, "game-started")


def test_the_host_keeps_his_seat(ann: Person) -> None:
    game = ann.made("/games", {"seats": 3})["id"]
    for seat in ("me", "A"):
        problem(ann.ask("DELETE", f"/games/{game}/seats/{seat}"), 409, "host-keeps-seat")


def test_the_host_unseats(ann: Person, bob: Person, eve: Person) -> None:
    game = ann.made("/games", {"seats": 4})["id"]
    for player in (bob, eve):
        player.made(f"/games/{game}/seats")
    problem(bob.ask("DELETE", f"/games/{game}/seats/C"), 403, "not-the-host")
    assert ann.ask("DELETE", f"/games/{game}/seats/B").json["players"][1]["name"] == "Eve"
    assert letters(ann, game) == {"Ann": "A", "Eve": "B"}
    problem(bob.ask("DELETE", f"/games/{game}/seats/me"), 403, "not-a-player")


@on_one_database
@pytest.mark.parametrize("letter", ["B", "H", "a", "AA", "%00", "ш", "seat"])
def test_a_seat_that_nobody_has_is_unknown(letter: str, ann: Person) -> None:
    game = ann.made("/games", {"seats": 4})["id"]
    problem(ann.ask("DELETE", f"/games/{game}/seats/{letter}"), 404, "unknown-seat")


def test_the_host_unseats_nobody_but_whom_he_means(ann: Person, bob: Person, eve: Person) -> None:
    game = ann.made("/games", {"seats": 4})["id"]
    for player in (bob, eve):
        player.made(f"/games/{game}/seats")
    seen = {"If-Match": ann.get(f"/games/{game}").headers["ETag"]}
    bob.ask("DELETE", f"/games/{game}/seats/me")
    problem(ann.ask("DELETE", f"/games/{game}/seats/B", headers=seen), 412, "precondition-failed")
    assert letters(ann, game) == {"Ann": "A", "Eve": "B"}


def full_table(ann: Person, bob: Person, eve: Person) -> str:
    """All three have committed, and Bob has shown his text."""
    game: str = ann.made("/games", {"seats": 3, "entropy_commitment": digest("of Ann")})["id"]
    for player in (bob, eve):
        player.made(f"/games/{game}/seats", {"entropy_commitment": digest(f"of {player.name}")})
    bob.made(f"/games/{game}/seats/me/entropy", {"entropy": "of Bob"})
    return game


@pytest.mark.parametrize("how", ["leaves", "is unseated", "a seat more"])
def test_what_was_shown_is_void_when_a_seat_becomes_free(how: str, ann: Person, bob: Person, eve: Person) -> None:
    """Whoever takes it knows the text of Bob; so that is worth nothing, and Bob commits to another one."""
    game = full_table(ann, bob, eve)
    if how == "leaves":
        eve.ask("DELETE", f"/games/{game}/seats/me")
    elif how == "is unseated":
        ann.ask("DELETE", f"/games/{game}/seats/C")
    else:
        ann.ask("PATCH", f"/games/{game}", json={"seats": 4})
    assert (entropy(ann, game)["Ann"], entropy(ann, game)["Bob"]) == ("committed", "none")
    assert "of Bob" not in ann.get(f"/games/{game}/fairness").text
    problem(bob.post(f"/games/{game}/seats/me/entropy", {"entropy": "of Bob"}), 409, "no-entropy-committed")
    answer = bob.ask(
        "PUT", f"/games/{game}/seats/me/entropy-commitment", json={"entropy_commitment": digest("another")}
    )
    assert answer.status_code == 200 and entropy(ann, game)["Bob"] == "committed"


def test_the_game_goes_on_with_new_entropy(ann: Person, bob: Person, eve: Person) -> None:
    game = full_table(ann, bob, eve)
    eve.ask("DELETE", f"/games/{game}/seats/me")
    bob.ask("PUT", f"/games/{game}/seats/me/entropy-commitment", json={"entropy_commitment": digest("another")})
    eve.made(f"/games/{game}/seats")
    ann.made(f"/games/{game}/seats/me/entropy", {"entropy": "of Ann"})
    assert bob.made(f"/games/{game}/seats/me/entropy", {"entropy": "another"})["status"] == "running"


def test_a_commitment_is_made_once_and_before_any_text_is_known(ann: Person, bob: Person, eve: Person) -> None:
    game = ann.made("/games", {"seats": 2, "start": "host"})["id"]
    bob.made(f"/games/{game}/seats")
    path = f"/games/{game}/seats/me/entropy-commitment"
    for _ in range(2):  # the same once more changes nothing
        assert bob.ask("PUT", path, json={"entropy_commitment": digest("of Bob")}).json["version"] == 3
    problem(bob.ask("PUT", path, json={"entropy_commitment": digest("other")}), 409, "entropy-committed")
    problem(eve.ask("PUT", path, json={"entropy_commitment": digest("of Eve")}), 403, "not-a-player")
    bob.made(f"/games/{game}/seats/me/entropy", {"entropy": "of Bob"})
    problem(ann.ask("PUT", path, json={"entropy_commitment": digest("of Ann")}), 409, "entropy-revealed")
    ann.made(f"/games/{game}/start")
    problem(ann.ask("PUT", path, json={"entropy_commitment": digest("of Ann")}), 409, "game-started")


@on_one_database
@pytest.mark.parametrize("body", [{}, {"entropy_commitment": None}, {"entropy_commitment": "abc"}, {"entropy": "abc"}])
def test_a_commitment_that_is_none_is_refused(body: dict[str, object], ann: Person) -> None:
    game = ann.made("/games", {"seats": 2})["id"]
    assert ann.ask("PUT", f"/games/{game}/seats/me/entropy-commitment", json=body).status_code == 422
