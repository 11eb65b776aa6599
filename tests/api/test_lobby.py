"""Games before their first move."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor

import pytest
from flask import Flask
from sqlalchemy import select

from server.database import reading
from server.models import Delivery, Game
from tests.playing import Person, on_one_database, problem, running_game, signed_in


def test_a_new_game_has_its_host_in_seat_a_and_a_commitment(ann: Person) -> None:
    answer = ann.post("/games", {"seats": 3, "options": {"deck": "classic"}})
    game = answer.json
    assert answer.status_code == 201 and answer.headers["Location"] == game["links"]["game"]
    assert (game["status"], game["host"], game["seats"], game["free_seats"]) == ("open", "Ann", 3, 2)
    (host,) = game["players"]
    assert (host["seat"], host["name"], host["kind"], host["entropy"]) == ("A", "Ann", "person", "none")
    assert (game["options"]["deck"], game["options"]["sets"]) == ("classic", "one")
    with reading() as session:
        seed = session.scalars(select(Game.seed)).one()
    assert len(seed) == 32 and game["commitment"] == hashlib.sha256(seed).hexdigest()


@on_one_database
@pytest.mark.parametrize(
    ("seats", "options", "pointer"),
    [
        (2, {"colour": "red"}, "/options/colour"),
        (2, {"deck": "golden"}, "/options/deck"),
        (5, {}, "/options/sets"),
        (7, {"sets": "two", "bank-table": "gift"}, "/options/bank-table"),
    ],
)
def test_a_house_rule_that_cannot_be_is_pointed_at(
    seats: int, options: dict[str, str], pointer: str, ann: Person
) -> None:
    refusal = problem(ann.post("/games", {"seats": seats, "options": options}), 422, "bad-option")
    assert [error["pointer"] for error in refusal["errors"]] == [pointer]
    assert ann.seen("/games")["items"] == []


@on_one_database
@pytest.mark.parametrize(
    "wish",
    [
        {"seats": 1},
        {"seats": 9},
        {"seats": 2, "listed": 1},
        {"seats": 2, "join": "all"},
        {"seats": 2, "options": {"deck": 1}},
    ],
)
def test_a_game_that_cannot_be_is_not_made(wish: dict[str, object], ann: Person) -> None:
    problem(ann.post("/games", wish), 422, "invalid-body")
    assert ann.seen("/games")["items"] == []


def test_the_last_seat_starts_the_game(ann: Person, bob: Person) -> None:
    game = ann.made("/games", {"seats": 2})["id"]
    problem(ann.get(f"/games/{game}/view"), 409, "game-not-started")
    problem(ann.get(f"/games/{game}/legal-moves"), 409, "game-not-started")
    problem(ann.post(f"/games/{game}/moves", {"decision": 1, "move": "pass"}), 409, "game-not-started")
    joined = bob.post(f"/games/{game}/seats")
    assert joined.status_code == 201
    assert (joined.json["status"], joined.json["waiting_for"]["decision"]) == ("running", 1)
    assert len(ann.owed()) + len(bob.owed()) == 1


def test_the_start_tells_both_and_asks_one(ann: Person, bob: Person) -> None:
    running_game(ann, bob)
    with reading() as session:
        kinds = sorted(
            session.scalars(select(Delivery.kind).where(Delivery.channel == "email", Delivery.kind != "verification"))
        )
    assert kinds == ["game_started", "game_started", "your_turn"]


def test_nobody_sits_twice_and_nobody_joins_a_game_that_runs(ann: Person, bob: Person, eve: Person) -> None:
    game = ann.made("/games", {"seats": 2})["id"]
    problem(ann.post(f"/games/{game}/seats"), 409, "already-seated")
    bob.made(f"/games/{game}/seats")
    problem(eve.post(f"/games/{game}/seats"), 409, "no-free-seat")


def test_an_invited_table_takes_nobody_else(ann: Person, bob: Person) -> None:
    game = ann.made("/games", {"seats": 2, "join": "invited"})["id"]
    problem(bob.post(f"/games/{game}/seats"), 403, "invitation-needed")
    assert ann.seen(f"/games/{game}")["free_seats"] == 1


def test_who_has_the_link_of_a_game_kept_out_of_lists_finds_and_joins_it(
    ann: Person, bob: Person, eve: Person, nobody: Person
) -> None:
    game = ann.made("/games", {"seats": 2, "listed": False})["id"]
    for stranger in (bob, nobody):
        assert stranger.seen("/games")["items"] == stranger.seen("/games?open=true")["items"] == []
        assert stranger.seen(f"/games/{game}")["free_seats"] == 1
    assert bob.made(f"/games/{game}/seats")["status"] == "running"
    assert [item["id"] for item in bob.seen("/games")["items"]] == [game]
    for door in ("/view", "/events"):
        problem(eve.get(f"/games/{game}{door}"), 403, "no-spectators")


def test_a_table_that_waits_for_its_host_says_so(ann: Person, bob: Person) -> None:
    game = ann.made("/games", {"seats": 2, "start": "host"})["id"]
    assert "1 of 2 seats" in problem(ann.get(f"/games/{game}/view"), 409, "game-not-started")["detail"]
    bob.made(f"/games/{game}/seats")
    assert "host" in problem(ann.get(f"/games/{game}/view"), 409, "game-not-started")["detail"]


def test_the_host_starts_with_who_is_there(ann: Person, bob: Person, eve: Person) -> None:
    game = ann.made("/games", {"seats": 4, "start": "host"})["id"]
    problem(ann.post(f"/games/{game}/start"), 409, "too-few-players")
    bob.made(f"/games/{game}/seats")
    problem(bob.post(f"/games/{game}/start"), 403, "not-the-host")
    started = ann.made(f"/games/{game}/start")
    assert (started["status"], started["seats"], started["free_seats"]) == ("running", 2, 0)
    problem(ann.post(f"/games/{game}/start"), 409, "game-started")
    problem(eve.post(f"/games/{game}/seats"), 409, "no-free-seat")


def test_a_full_table_waits_for_a_host_who_wants_to_start_it(ann: Person, bob: Person) -> None:
    game = ann.made("/games", {"seats": 2, "start": "host"})["id"]
    assert bob.made(f"/games/{game}/seats")["status"] == "open"
    assert ann.made(f"/games/{game}/start")["status"] == "running"


def test_of_two_who_want_the_last_seat_one_gets_it(app: Flask, ann: Person) -> None:
    game = ann.made("/games", {"seats": 3})["id"]
    rivals = [signed_in(app, f"Rival{number}") for number in range(6)]
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda rival: rival.post(f"/games/{game}/seats"), rivals))
    assert sorted(answer.status_code for answer in answers) == [201, 201, 409, 409, 409, 409]
    assert {answer.json["code"] for answer in answers if answer.status_code == 409} == {"no-free-seat"}
    assert len(ann.seen(f"/games/{game}")["players"]) == 3


def test_of_a_start_and_a_join_at_once_each_is_done_or_refused(ann: Person, bob: Person, eve: Person) -> None:
    game = ann.made("/games", {"seats": 4, "start": "host"})["id"]
    bob.made(f"/games/{game}/seats")
    with ThreadPoolExecutor(2) as pool:
        started, joined = (
            job.result()
            for job in (pool.submit(ann.post, f"/games/{game}/start"), pool.submit(eve.post, f"/games/{game}/seats"))
        )
    table = ann.seen(f"/games/{game}")
    assert started.status_code == 200 and table["status"] == "running"
    assert table["seats"] == len(table["players"]) == (3 if joined.status_code == 201 else 2)
    assert joined.status_code == 201 or joined.json["code"] == "no-free-seat"


def test_a_game_for_invited_players_does_not_exist_for_strangers(ann: Person, bob: Person, nobody: Person) -> None:
    game = ann.made("/games", {"seats": 2, "listed": False, "join": "invited"})["id"]
    for stranger in (bob, nobody):
        assert stranger.seen("/games")["items"] == []
        for door in ("", "/view", "/events"):
            problem(stranger.get(f"/games/{game}{door}"), 404, "unknown-game")
    for path, body in (
        (f"/games/{game}/seats", None),
        (f"/games/{game}/start", None),
        (f"/games/{game}/moves", {"decision": 1, "move": "pass"}),
    ):
        problem(bob.post(path, body), 404, "unknown-game")
    problem(bob.get(f"/games/{game}/legal-moves"), 404, "unknown-game")
    assert [item["id"] for item in ann.seen("/games")["items"]] == [game]


def test_filters_narrow_each_other_down(ann: Person, bob: Person, eve: Person) -> None:
    running = running_game(ann, bob)
    waiting = ann.made("/games", {"seats": 2})["id"]
    invited = bob.made("/games", {"seats": 2, "join": "invited"})["id"]

    def found(who: Person, query: str) -> list[str]:
        return [item["id"] for item in who.seen(f"/games?{query}")["items"]]

    assert found(eve, "") == [invited, waiting, running]
    assert found(eve, "open=true") == [waiting]
    assert found(eve, "status=running") == [running]
    assert found(ann, "mine=true") == [waiting, running]
    assert found(eve, "mine=true") == []
    assert found(ann, "my_turn=true") + found(bob, "my_turn=true") == [running]
    assert found(bob, "mine=true&status=open") == [invited]


def test_whose_games_is_a_question_to_somebody(nobody: Person) -> None:
    problem(nobody.get("/games?mine=true"), 401, "token-missing")
    problem(nobody.get("/games?my_turn=true"), 401, "token-missing")


def test_pages_follow_each_other_by_cursor_and_by_link(ann: Person, nobody: Person) -> None:
    made = [ann.made("/games", {"seats": 2})["id"] for _ in range(5)]
    seen: list[str] = []
    answer = nobody.get("/games?limit=2")
    while True:
        seen += [item["id"] for item in answer.json["items"]]
        if answer.json["next_cursor"] is None:
            break
        ann.made("/games", {"seats": 2})  # newer ones don't disturb the pages that follow
        link = answer.headers["Link"].removeprefix("<").removesuffix('>; rel="next"')
        assert answer.json["next_cursor"] in link and link.startswith("http://127.0.0.1:8000/v1/games?limit=2&cursor=")
        answer = nobody.get(link.removeprefix("http://127.0.0.1:8000"))
    assert seen == made[::-1] and "Link" not in answer.headers
