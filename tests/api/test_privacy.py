"""Three switches, since "private" means three things; to whom a game is not shown it is 404 everywhere."""

from __future__ import annotations

import itertools

import pytest
from flask import Flask

from tests.playing import Person, on_one_database, problem, running_game, signed_in

SWITCHES = list(itertools.product((True, False), ("open", "invited"), ("none", "public")))


def doors(app: Flask, game: str, verbs: set[str]) -> list[tuple[str, str]]:
    """Everything below a game, as the server knows it: one that is added later is tried, too."""
    found = [(verb, rule.rule) for rule in app.url_map.iter_rules() for verb in verbs & (rule.methods or set())]
    below = [(verb, path) for verb, path in found if "<string:game_id>" in path]
    filled = [(verb, path.replace("<string:game_id>", game)) for verb, path in below]
    assert len(filled) > 10 or verbs == {"DELETE"}
    return [
        (verb, path.replace("<string:letter>", "B").replace("<string:invitation_id>", "i_x")) for verb, path in filled
    ]


BODIES = {
    "/moves": {"decision": 1, "move": "pass"},
    "/entropy": {"entropy": "x"},
    "/entropy-commitment": {"entropy_commitment": "0" * 64},
    "/invitations": {"link": True},
    "/messages": {"text": "hello"},
    "/orders": {"lines": ["end"]},
    "/notifications": {"muted": True},
}


def body_for(path: str) -> dict[str, object]:
    return next((body for end, body in BODIES.items() if path.endswith(end)), {})


@pytest.mark.parametrize(("listed", "join", "spectators"), SWITCHES)
def test_what_the_switches_show_to_strangers(
    listed: bool, join: str, spectators: str, ann: Person, eve: Person, nobody: Person
) -> None:
    game = ann.made("/games", {"seats": 3, "listed": listed, "join": join, "spectators": spectators})["id"]
    shown = listed or join == "open" or spectators == "public"
    for stranger in (eve, nobody):
        assert stranger.get(f"/games/{game}").status_code == (200 if shown else 404)
        assert [item["id"] for item in stranger.seen("/games")["items"]] == ([game] if listed else [])
    joined = eve.post(f"/games/{game}/seats")
    assert joined.status_code == (201 if join == "open" else 403 if shown else 404)


@on_one_database
@pytest.mark.parametrize("when", ["waiting", "running"])
def test_a_private_game_is_404_to_strangers_at_every_door(
    when: str, app: Flask, ann: Person, bob: Person, eve: Person, nobody: Person
) -> None:
    game = ann.made("/games", {"seats": 2, "listed": False, "join": "invited"})["id"]
    ann.made(f"/games/{game}/invitations", {"account": "Bob"})
    if when == "running":
        bob.made(f"/games/{game}/seats")
    for verb, path in doors(app, game, {"GET"}):
        for stranger in (eve, nobody):
            answer = stranger.ask(verb, path)
            if answer.status_code != 401:  # what needs a token says so before anything is looked up
                assert (answer.status_code, answer.json["code"]) == (404, "unknown-game"), path
    for verb, path in doors(app, game, {"POST", "PUT", "PATCH"}):
        answer = eve.ask(verb, path, json=body_for(path))
        assert (answer.status_code, answer.json["code"]) == (404, "unknown-game"), f"{verb} {path} {answer.text}"
    for verb, path in doors(app, game, {"DELETE"}):
        problem(eve.ask(verb, path), 404, "unknown-game")
    for path in ("/games", "/games?mine=true", "/games?status=open", "/me/decisions", "/me/events", "/me/invitations"):
        assert game not in eve.get(path).text


@on_one_database
def test_a_game_that_does_not_exist_and_one_that_is_not_shown_read_alike(ann: Person, eve: Person) -> None:
    game = ann.made("/games", {"seats": 2, "listed": False, "join": "invited"})["id"]
    other = "g_" + "a" * 26
    for path in ("", "/view", "/events", "/fairness", "/record", "/invitations"):
        hidden, none = eve.get(f"/games/{game}{path}"), eve.get(f"/games/{other}{path}")
        assert hidden.text.replace(game, other) == none.text and hidden.status_code == none.status_code == 404


def test_who_left_a_private_table_is_a_stranger_again(ann: Person, bob: Person) -> None:
    game = ann.made("/games", {"seats": 3, "listed": False, "join": "invited"})["id"]
    ann.made(f"/games/{game}/invitations", {"account": "Bob"})
    bob.made(f"/games/{game}/seats")
    bob.ask("DELETE", f"/games/{game}/seats/me")
    problem(bob.get(f"/games/{game}"), 404, "unknown-game")


def test_a_game_that_is_made_private_is_gone_for_strangers(ann: Person, eve: Person) -> None:
    game = ann.made("/games", {"seats": 3})["id"]
    assert eve.get(f"/games/{game}").status_code == 200
    assert ann.ask("PATCH", f"/games/{game}", json={"listed": False, "join": "invited"}).status_code == 200
    problem(eve.get(f"/games/{game}"), 404, "unknown-game")


def test_the_invited_see_the_table_but_not_what_is_on_it(ann: Person, bob: Person, eve: Person) -> None:
    game = ann.made("/games", {"seats": 3, "listed": False, "join": "invited", "start": "host"})["id"]
    for name in ("Bob", "Eve"):
        ann.made(f"/games/{game}/invitations", {"account": name})
    assert bob.seen(f"/games/{game}")["id"] == bob.seen("/games")["items"][0]["id"] == game
    assert bob.seen("/games?mine=true")["items"] == []
    bob.made(f"/games/{game}/seats")
    problem(eve.get(f"/games/{game}/events"), 403, "no-spectators")
    ann.made(f"/games/{game}/start")
    problem(eve.get(f"/games/{game}"), 404, "unknown-game")


# Bots, and their owners


def test_an_owner_and_his_bots_are_one_person(app: Flask, ann: Person, bob: Person) -> None:
    robot = bot_of(app, bob, "Robot")
    game = ann.made("/games", {"seats": 3})
    assert game["own_bots"] is False
    bob.made(f"/games/{game['id']}/seats")
    problem(robot.post(f"/games/{game['id']}/seats"), 409, "same-person")
    ann.made(f"/games/{game['id']}/invitations", {"account": "Robot"})
    (offer,) = robot.seen("/me/invitations")["items"]
    problem(robot.post(f"/invitations/{offer['id']}/acceptance"), 409, "same-person")
    other = ann.made("/games", {"seats": 3, "own_bots": True})
    assert other["own_bots"] is True
    for player in (bob, robot):
        player.made(f"/games/{other['id']}/seats")
    assert ann.seen(f"/games/{other['id']}")["status"] == "running"


def test_a_bot_sits_at_no_table_that_its_owner_does_not_want(app: Flask, ann: Person, bob: Person) -> None:
    robot = bot_of(app, bob, "Robot", {"seats": [2, 4]})
    problem(robot.post("/games", {"seats": 3}), 409, "bot-declines")
    game = ann.made("/games", {"seats": 3, "start": "host"})["id"]
    problem(robot.post(f"/games/{game}/seats"), 409, "bot-declines")
    assert ann.ask("PATCH", f"/games/{game}", json={"seats": 4}).status_code == 200
    robot.made(f"/games/{game}/seats")
    problem(ann.ask("PATCH", f"/games/{game}", json={"seats": 3}), 409, "bot-declines")
    signed_in(app, "Dan").made(f"/games/{game}/seats")
    problem(ann.post(f"/games/{game}/start"), 409, "bot-declines")
    assert ann.ask("DELETE", f"/games/{game}/seats/C").status_code == 200
    assert ann.made(f"/games/{game}/start")["seats"] == 2


def test_lists_tell_games_with_bots_from_games_without(app: Flask, ann: Person, bob: Person, nobody: Person) -> None:
    robot = bot_of(app, bob, "Robot")
    without, with_one = running_game(ann, bob), ann.made("/games", {"seats": 3})["id"]
    robot.made(f"/games/{with_one}/seats")
    assert [item["id"] for item in nobody.seen("/games?bots=true")["items"]] == [with_one]
    assert [item["id"] for item in nobody.seen("/games?bots=false")["items"]] == [without]
    assert [item["id"] for item in nobody.seen("/games?bots=true&status=running")["items"]] == []
    problem(nobody.get("/games?bots=yes"), 422, "invalid-query")


def bot_of(app: Flask, owner: Person, name: str, accepts: dict[str, object] | None = None) -> Person:
    bot = owner.made("/bots", {"name": name, **({} if accepts is None else {"accepts": accepts})})["id"]
    token = owner.made(f"/bots/{bot}/tokens", {"name": "loop", "scopes": ["games:read", "games:play"]})["token"]
    return Person(app, token, name)
