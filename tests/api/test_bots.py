"""Bots: accounts that somebody owns."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from flask import Flask

from server.services import bots
from tests.playing import Person, on_one_database, problem, running_game

DARWIN = {"name": "Darwinist", "engine": "greedy 1.2", "description": "It eats first."}
EVERYTHING = {"seats": [2, 3, 4, 5, 6, 7, 8], "pace": ["none"], "games_at_once": 20}


def bot_of(owner: Person, name: str = "Darwinist", **accepts: Any) -> tuple[str, Person]:
    """Its id, and it itself with a token."""
    bot = owner.made("/bots", {"name": name, **({"accepts": accepts} if accepts else {})})["id"]
    token = owner.made(f"/bots/{bot}/tokens", {"name": "t", "scopes": ["games:read", "games:play"]})["token"]
    return bot, Person(owner.app, token, name)


def change(who: Person, bot: str, changes: Any, **how: Any) -> Any:
    return who.ask("PATCH", f"/bots/{bot}", json=changes, **how)


def test_a_bot_is_public_with_its_owner_and_what_it_accepts(ann: Person, nobody: Person) -> None:
    answer = ann.post("/bots", DARWIN)
    made = answer.json
    assert answer.status_code == 201 and answer.headers["Location"].endswith(f"/v1/bots/{made['id']}")
    assert {**DARWIN, "owner": "Ann", "accepts": EVERYTHING}.items() <= made.items()
    assert nobody.seen(f"/bots/{made['id']}") == made
    assert nobody.seen("/bots")["items"] == [made]


def test_the_list_is_paged_and_knows_mine(ann: Person, bob: Person, nobody: Person) -> None:
    for owner, name in ((ann, "A1"), (bob, "B1"), (ann, "A2")):
        owner.made("/bots", {"name": name})
    assert [bot["name"] for bot in ann.seen("/bots?mine=true")["items"]] == ["A1", "A2"]
    first = nobody.seen("/bots?limit=2")
    second = nobody.seen(f"/bots?limit=2&cursor={first['next_cursor']}")
    assert [bot["name"] for bot in first["items"] + second["items"]] == ["A1", "B1", "A2"]
    assert second["next_cursor"] is None
    problem(nobody.get("/bots?mine=true"), 401, "token-missing")


def test_a_bot_plays_by_its_own_token_like_anybody(ann: Person, bob: Person) -> None:
    _, darwin = bot_of(ann)
    game = bob.made("/games", {"seats": 2})["id"]
    joined = darwin.made(f"/games/{game}/seats")
    assert [(player["name"], player["kind"]) for player in joined["players"]] == [
        ("Bob", "person"),
        ("Darwinist", "bot"),
    ]
    assert joined["status"] == "running"
    problem(darwin.ask("PATCH", "/me", json={"language": "ru"}), 403, "insufficient-scope")
    problem(darwin.post("/bots", {"name": "Wallace"}), 403, "insufficient-scope")


def test_a_bot_may_ask_who_it_is(ann: Person) -> None:
    bot, darwin = bot_of(ann)
    assert darwin.seen("/me") == {"id": bot, "name": "Darwinist", "language": "en", "kind": "bot"}


def test_only_its_owner_changes_a_bot(ann: Person, eve: Person) -> None:
    bot = ann.made("/bots", DARWIN)["id"]
    for verb, path, body in (
        ("PATCH", "", {"description": None}),
        ("DELETE", "", None),
        ("GET", "/tokens", None),
        ("POST", "/tokens", {"name": "t", "scopes": ["games:read"]}),
        ("DELETE", "/tokens/t_aaaaaaaaaaaaaaaaaaaaaaaaaa", None),
    ):
        how = {} if body is None else {"json": body}
        problem(eve.ask(verb, f"/bots/{bot}{path}", **how), 403, "not-the-owner")
    assert eve.seen(f"/bots/{bot}")["description"] == "It eats first."


def test_what_is_left_out_of_a_change_stays(ann: Person) -> None:
    made = ann.made("/bots", DARWIN)
    changed = change(ann, made["id"], {"description": None, "accepts": {"seats": [2]}})
    assert changed.json == {**made, "description": None, "accepts": {**EVERYTHING, "seats": [2]}}
    assert change(ann, made["id"], {}).json == changed.json
    assert change(ann, made["id"], {"name": "Wallace"}).json["name"] == "Wallace"
    assert ann.seen("/users/Wallace")["owner"] == "Ann"


def test_a_bot_has_an_etag_and_is_not_overwritten_unseen(ann: Person) -> None:
    bot = ann.made("/bots", DARWIN)["id"]
    seen = ann.get(f"/bots/{bot}").headers["ETag"]
    assert ann.get(f"/bots/{bot}", headers={"If-None-Match": seen}).status_code == 304
    assert change(ann, bot, {"engine": "2.0"}, headers={"If-Match": seen}).status_code == 200
    problem(change(ann, bot, {"engine": "3.0"}, headers={"If-Match": seen}), 412, "precondition-failed")
    problem(ann.ask("DELETE", f"/bots/{bot}", headers={"If-Match": seen}), 412, "precondition-failed")
    ann.ask("PATCH", "/me", json={"name": "Anna"})
    assert ann.get(f"/bots/{bot}", headers={"If-None-Match": seen}).json["owner"] == "Anna"


def test_a_bot_is_called_like_nobody_else(ann: Person, bob: Person) -> None:
    problem(ann.post("/bots", {"name": "B o b"}), 409, "name-taken")
    ann.made("/bots", DARWIN)
    problem(bob.post("/bots", {"name": "darwinist"}), 409, "name-taken")
    problem(bob.ask("PATCH", "/me", json={"name": "Darwinist"}), 409, "name-taken")


def test_an_account_has_so_many_bots_and_no_more(ann: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "MOST", 2)
    made = [ann.made("/bots", {"name": f"Bot{number}"})["id"] for number in range(2)]
    problem(ann.post("/bots", {"name": "Bot3"}), 409, "too-many-bots")
    assert ann.ask("DELETE", f"/bots/{made[0]}").status_code == 204
    assert ann.post("/bots", {"name": "Bot3"}).status_code == 201


def test_the_same_request_makes_one_bot(ann: Person) -> None:
    key = {"Idempotency-Key": "one"}
    first, again = (ann.post("/bots", DARWIN, headers=key) for _ in range(2))
    assert again.json == first.json and again.headers["Idempotency-Replayed"] == "true"
    assert len(ann.seen("/bots")["items"]) == 1
    ann.ask("DELETE", f"/bots/{first.json['id']}")
    problem(ann.post("/bots", DARWIN, headers=key), 410, "made-and-gone")


def test_a_bots_tokens_are_its_owners_to_make_list_and_revoke(ann: Person) -> None:
    bot, darwin = bot_of(ann)
    (listed,) = ann.seen(f"/bots/{bot}/tokens")["items"]
    assert listed["scopes"] == ["games:play", "games:read"] and listed["current"] is False and "token" not in listed
    assert [token["name"] for token in ann.seen("/me/tokens")["items"]] == ["sign-in"]
    problem(ann.ask("DELETE", f"/me/tokens/{listed['id']}"), 404, "no-such-token")
    assert ann.ask("DELETE", f"/bots/{bot}/tokens/{listed['id']}").status_code == 204
    problem(darwin.get("/me/decisions"), 401, "token-revoked")
    problem(ann.ask("DELETE", f"/bots/{bot}/tokens/{listed['id']}"), 404, "no-such-token")


def test_a_bots_token_is_shown_once(ann: Person) -> None:
    bot = ann.made("/bots", DARWIN)["id"]
    wish, key = {"name": "t", "scopes": ["games:play"]}, {"Idempotency-Key": "one"}
    first, again = (ann.post(f"/bots/{bot}/tokens", wish, headers=key) for _ in range(2))
    assert first.headers["Cache-Control"] == "no-store" and first.json["token"].startswith("gp_")
    assert again.json == {**first.json, "token": None}


def test_a_bot_sits_only_at_tables_of_its_size(ann: Person, bob: Person) -> None:
    _, darwin = bot_of(ann, seats=[2, 4])
    three = bob.made("/games", {"seats": 3})["id"]
    problem(darwin.post(f"/games/{three}/seats"), 409, "bot-declines")
    assert darwin.post(f"/games/{bob.made('/games', {'seats': 4})['id']}/seats").status_code == 201


def test_a_bot_sits_at_so_many_tables_at_once(ann: Person, bob: Person) -> None:
    _, darwin = bot_of(ann, games_at_once=1)
    first, second = (bob.made("/games", {"seats": 3})["id"] for _ in range(2))
    darwin.made(f"/games/{first}/seats")
    problem(darwin.post(f"/games/{second}/seats"), 409, "bot-declines")
    assert darwin.ask("DELETE", f"/games/{first}/seats/me").status_code == 204
    darwin.made(f"/games/{second}/seats")


def test_of_two_tables_at_once_a_bot_takes_its_last_one(ann: Person, bob: Person) -> None:
    _, darwin = bot_of(ann, games_at_once=1)
    tables = [bob.made("/games", {"seats": 3})["id"] for _ in range(4)]
    got: list[int] = []
    together = threading.Barrier(len(tables))

    def join(table: str) -> None:
        together.wait()
        got.append(darwin.post(f"/games/{table}/seats").status_code)

    threads = [threading.Thread(target=join, args=(table,)) for table in tables]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == [201, 409, 409, 409]


def test_an_owner_and_his_bots_are_one_person(ann: Person, bob: Person) -> None:
    _, darwin = bot_of(ann)
    _, wallace = bot_of(ann, "Wallace")
    mine = ann.made("/games", {"seats": 3})["id"]
    problem(darwin.post(f"/games/{mine}/seats"), 409, "same-person")
    others = bob.made("/games", {"seats": 3})["id"]
    darwin.made(f"/games/{others}/seats")
    problem(wallace.post(f"/games/{others}/seats"), 409, "same-person")
    problem(ann.post(f"/games/{others}/seats"), 409, "same-person")
    wanted = ann.made("/games", {"seats": 3, "own_bots": True})["id"]
    darwin.made(f"/games/{wanted}/seats")
    assert wallace.made(f"/games/{wanted}/seats")["own_bots"] is True


def test_a_deleted_bot_is_unknown_and_its_seat_is_the_houses(ann: Person, bob: Person, eve: Person) -> None:
    bot, darwin = bot_of(ann)
    game = running_game(bob, darwin, eve)
    assert ann.ask("DELETE", f"/bots/{bot}").status_code == 204
    for path in (f"/bots/{bot}", f"/bots/{bot}/tokens"):
        problem(ann.get(path), 404, "unknown-bot")
    problem(ann.ask("DELETE", f"/bots/{bot}"), 404, "unknown-bot")
    problem(ann.get("/users/Darwinist"), 404, "unknown-user")
    problem(darwin.get("/me/decisions"), 401, "token-unknown")
    summary = bob.seen(f"/games/{game}")
    assert summary["players"][1]["name"].startswith("deleted-") and summary["waiting_for"]["seat"] != "B"
    assert ann.seen("/me")["name"] == "Ann"
    ann.made("/bots", {"name": "Darwinist"})


@on_one_database
@pytest.mark.parametrize(
    ("bot", "code", "pointers"),
    [
        ({}, "invalid-body", ["/name"]),
        ({"name": None}, "invalid-body", ["/name"]),
        ({"name": "x" * 41}, "invalid-body", ["/name"]),
        ({"name": "House"}, "invalid-body", ["/name"]),
        ({"name": "De\u200drwin"}, "invalid-body", ["/name"]),
        ({"name": "D1", "engine": ""}, "invalid-body", ["/engine"]),
        ({"name": "D1", "engine": "x" * 101}, "invalid-body", ["/engine"]),
        ({"name": "D1", "engine": "a\u202eb"}, "invalid-body", ["/engine"]),
        ({"name": "D1", "description": "x" * 1001}, "invalid-body", ["/description"]),
        ({"name": "D1", "description": 7}, "invalid-body", ["/description"]),
        ({"name": "D1", "accepts": None}, "invalid-body", ["/accepts"]),
        ({"name": "D1", "accepts": {"seats": []}}, "invalid-body", ["/accepts/seats"]),
        ({"name": "D1", "accepts": {"seats": [1]}}, "invalid-body", ["/accepts/seats/0"]),
        ({"name": "D1", "accepts": {"seats": [2, 9]}}, "invalid-body", ["/accepts/seats/1"]),
        ({"name": "D1", "accepts": {"seats": [True]}}, "invalid-body", ["/accepts/seats/0"]),
        ({"name": "D1", "accepts": {"seats": "2"}}, "invalid-body", ["/accepts/seats"]),
        ({"name": "D1", "accepts": {"pace": ["blitz"]}}, "invalid-body", ["/accepts/pace/0"]),
        ({"name": "D1", "accepts": {"games_at_once": 0}}, "invalid-body", ["/accepts/games_at_once"]),
        ({"name": "D1", "accepts": {"games_at_once": 1.5}}, "invalid-body", ["/accepts/games_at_once"]),
        ({"name": "D1", "accepts": {"mood": "good"}}, "unknown-body-key", ["/accepts/mood"]),
        ({"name": "D1", "owner": "Eve"}, "unknown-body-key", ["/owner"]),
    ],
)
def test_a_bot_that_is_none_is_refused(bot: Any, code: str, pointers: list[str], ann: Person) -> None:
    refusal = problem(ann.post("/bots", bot), 422, code)
    assert [fault["pointer"] for fault in refusal["errors"]] == pointers
    if "name" in bot:
        made = ann.made("/bots", {"name": "Darwinist"})
        problem(change(ann, made["id"], bot), 422, code)
        assert ann.seen(f"/bots/{made['id']}") == made


@on_one_database
@pytest.mark.parametrize("scope", ["account", "bots", "admin", "everything"])
def test_a_bots_token_plays_and_does_nothing_else(scope: str, ann: Person) -> None:
    bot = ann.made("/bots", DARWIN)["id"]
    refusal = problem(ann.post(f"/bots/{bot}/tokens", {"name": "t", "scopes": [scope]}), 422, "invalid-body")
    assert [fault["pointer"] for fault in refusal["errors"]] == ["/scopes/0"]


@on_one_database
@pytest.mark.parametrize("id", ["u_aaaaaaaaaaaaaaaaaaaaaaaaaa", "nonsense", "%00", "u_%D0%B0", "x" * 3000])
def test_an_unknown_bot_is_unknown_at_every_door(id: str, ann: Person) -> None:
    for verb, path, body in (
        ("GET", "", None),
        ("PATCH", "", {}),
        ("DELETE", "", None),
        ("GET", "/tokens", None),
        ("POST", "/tokens", {"name": "t", "scopes": ["games:play"]}),
        ("DELETE", "/tokens/t_aaaaaaaaaaaaaaaaaaaaaaaaaa", None),
    ):
        problem(ann.ask(verb, f"/bots/{id}{path}", **({} if body is None else {"json": body})), 404, "unknown-bot")


@on_one_database
def test_a_person_is_no_bot(app: Flask, ann: Person, bob: Person) -> None:
    problem(ann.get(f"/bots/{bob.seen('/me')['id']}"), 404, "unknown-bot")
    problem(ann.ask("DELETE", f"/bots/{ann.seen('/me')['id']}"), 404, "unknown-bot")


@on_one_database
def test_bots_take_the_scope_of_that_name(ann: Person, nobody: Person) -> None:
    bot = ann.made("/bots", DARWIN)["id"]
    player = Person(ann.app, ann.made("/me/tokens", {"name": "p", "scopes": ["games:play", "account"]})["token"])
    for verb, path in (
        ("POST", ""),
        ("PATCH", f"/{bot}"),
        ("DELETE", f"/{bot}"),
        ("GET", f"/{bot}/tokens"),
        ("POST", f"/{bot}/tokens"),
        ("DELETE", f"/{bot}/tokens/t_aaaaaaaaaaaaaaaaaaaaaaaaaa"),
    ):
        problem(player.ask(verb, f"/bots{path}"), 403, "insufficient-scope")
        problem(nobody.ask(verb, f"/bots{path}"), 401, "token-missing")
