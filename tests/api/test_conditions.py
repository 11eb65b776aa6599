"""ETags and what a client says with them; cursors; and that all operations keep to it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from server import clock
from server.api import cursors
from server.database import transaction
from server.document import document
from server.models import Account, Delivery
from server.services import bounces
from tests.playing import Person, on_one_database, problem, running_game

WITHOUT_A_KEY = {"play_move", "finish_sign_in", "start_sign_in"}  # a decision has a number; the others have no account


def operations(app: Flask) -> Iterator[tuple[str, dict[str, Any]]]:
    """By their verbs, each with the names of its `parameters`."""
    spec = document(app)
    shared = spec["components"].get("parameters", {})
    for path in spec["paths"].values():
        for verb in path.keys() & {"get", "post", "put", "patch", "delete"}:
            given = [
                shared.get(told.get("$ref", "").rpartition("/")[2], told) for told in path[verb].get("parameters", [])
            ]
            yield verb, {**path[verb], "parameters": {told["name"] for told in given}}


@on_one_database
def test_whatever_creates_something_takes_a_key(app: Flask) -> None:
    without = {
        told["operationId"]
        for verb, told in operations(app)
        if verb == "post" and "201" in told["responses"] and "Idempotency-Key" not in told["parameters"]
    }
    assert without <= WITHOUT_A_KEY


@on_one_database
def test_whatever_changes_or_deletes_takes_a_condition(app: Flask) -> None:
    changing = {told["operationId"]: told for verb, told in operations(app) if verb in ("put", "patch", "delete")}
    assert len(changing) > 5
    without = {
        name
        for name, told in changing.items()
        if "If-Match" not in told["parameters"] or "412" not in told["responses"]
    }
    assert without == set()


@on_one_database
def test_what_has_an_etag_takes_one(app: Flask) -> None:
    for verb, told in operations(app):
        if verb == "get" and any("ETag" in response.get("headers", {}) for response in told["responses"].values()):
            assert "If-None-Match" in told["parameters"] and "304" in told["responses"]


@pytest.fixture
def game(ann: Person) -> str:
    return str(ann.made("/games", {"seats": 3})["id"])


def change(who: Person, game: str, if_match: str | None, seats: int = 4) -> Any:
    headers = {} if if_match is None else {"If-Match": if_match}
    return who.ask("PATCH", f"/games/{game}", json={"seats": seats}, headers=headers)


def test_a_change_is_made_to_what_was_seen(ann: Person, bob: Person, game: str) -> None:
    seen = ann.get(f"/games/{game}").headers["ETag"]
    bob.made(f"/games/{game}/seats")
    problem(change(ann, game, seen), 412, "precondition-failed")
    assert ann.seen(f"/games/{game}")["seats"] == 3
    assert change(ann, game, ann.get(f"/games/{game}").headers["ETag"]).status_code == 200


def test_any_of_several_tags_will_do_and_a_star_or_none_always(ann: Person, game: str) -> None:
    seen = ann.get(f"/games/{game}").headers["ETag"]
    for seats, condition in ((4, f'"other", {seen}'), (2, "*"), (3, None)):
        assert change(ann, game, condition, seats).status_code == 200


@on_one_database
def test_a_weak_tag_or_none_at_all_never_matches(ann: Person, game: str) -> None:
    seen = ann.get(f"/games/{game}").headers["ETag"]
    for condition in (f"W/{seen}", '"other"', "nonsense", "", '"'):
        problem(change(ann, game, condition), 412, "precondition-failed")


@on_one_database
def test_it_does_not_matter_in_which_language_it_was_seen(ann: Person, game: str) -> None:
    russian = ann.get(f"/games/{game}", headers={"Accept-Language": "ru"}).headers["ETag"]
    assert russian != ann.get(f"/games/{game}").headers["ETag"]
    assert change(ann, game, russian).status_code == 200


@on_one_database
def test_an_answer_in_another_language_is_another_one(ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    english = ann.get(f"/games/{game}/view").headers["ETag"]
    headers = {"If-None-Match": english, "Accept-Language": "ru"}
    russian = ann.get(f"/games/{game}/view", headers=headers)
    assert russian.status_code == 200 and russian.headers["ETag"] != english
    assert ann.get(f"/games/{game}/view", headers=headers | {"Accept-Language": "en-GB"}).status_code == 304


@on_one_database
def test_the_cursor_of_one_list_is_none_of_another(ann: Person, bob: Person) -> None:
    for _ in range(2):
        ann.made("/games", {"seats": 2})
        ann.made("/webhooks", {"url": "https://bot.example.org/"})
        running_game(ann, bob)
    lists = ("/games", "/webhooks")
    cursors = {path: ann.seen(f"{path}?limit=1")["next_cursor"] for path in lists}
    for path in lists:
        for other, cursor in cursors.items():
            answer = ann.get(f"{path}?limit=1&cursor={cursor}")
            if path == other:
                assert answer.status_code == 200
            else:
                assert problem(answer, 422, "invalid-query")["errors"][0]["pointer"] == "/cursor"


@on_one_database
def test_a_next_page_is_always_a_link_too(app: Flask, ann: Person) -> None:
    lists = {told["operationId"] for _, told in operations(app) if "cursor" in told["parameters"]}
    assert {"list_games", "list_webhooks", "list_my_decisions"} <= lists
    for _ in range(2):
        ann.made("/webhooks", {"url": "https://bot.example.org/"})
        ann.made("/games", {"seats": 2})
    for path in ("/games", "/webhooks"):
        answer = ann.get(f"{path}?limit=1")
        (address, relation) = answer.headers["Link"].split("; ")
        assert relation == 'rel="next"' and answer.json["next_cursor"] in address
        assert ann.seen(address.strip("<>").removeprefix("http://127.0.0.1:8000"))["items"] != answer.json["items"]


PRIVATE: tuple[dict[str, str], ...] = ({"language": "ru"}, {"time_zone": "Asia/Vladivostok"}, {})


def tags(who: Person, *paths: str) -> list[str]:
    return [who.get(path).headers["ETag"] for path in paths]


@on_one_database
def test_what_somebody_changes_for_himself_changes_nobodys_tag(ann: Person, bob: Person, nobody: Person) -> None:
    game, running = ann.made("/games", {"seats": 3})["id"], running_game(ann, bob, spectators="public")
    bob.made(f"/games/{game}/seats")
    bot = bob.made("/bots", {"name": "Robo"})["id"]
    drawings = [f"/games/{running}/view{form}" for form in (".txt", ".svg", ".png?width=320")]
    named = [f"/games/{game}", f"/games/{running}", *drawings, f"/bots/{bot}"]
    before, seen_by_its_host = tags(nobody, *named, f"/games/{running}/view"), tags(ann, f"/games/{game}")
    for private in PRIVATE:
        assert bob.ask("PATCH", "/me", json=private).status_code == 200
        assert tags(nobody, *named, f"/games/{running}/view") == before, private
    assert change(ann, game, seen_by_its_host[0]).status_code == 200
    now = tags(nobody, *named)
    bob.ask("PATCH", "/me", json={"name": "Boris"})
    assert not set(now) & set(tags(nobody, *named)), "all these show his name"


@on_one_database
def test_nobody_notices_that_mail_does_not_reach_somebody(ann: Person, bob: Person, nobody: Person) -> None:
    game = running_game(ann, bob, spectators="public")
    paths = f"/games/{game}", f"/games/{game}/view.txt"
    before, own = tags(nobody, *paths), tags(ann, "/me")
    with transaction() as session:
        account = session.scalars(select(Account).where(Account.name == "Ann")).one()
        delivery = Delivery(address=account.email)
        bounces.refused(account, delivery, "5.1.1", clock.now())
    assert ann.seen("/me")["mail"]["state"] == "dead" and tags(ann, "/me") != own
    assert tags(nobody, *paths) == before


@on_one_database
@pytest.mark.parametrize("how", ["renamed", "deleted"])
def test_a_record_with_another_name_is_another_one(how: str, ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    ann.made(f"/games/{game}/resignation")
    paths = [f"/games/{game}/record{form}" for form in ("", ".txt")]
    seen = {path: ann.get(path).headers["ETag"] for path in paths}
    assert {ann.get(path, headers={"If-None-Match": tag}).status_code for path, tag in seen.items()} == {304}
    if how == "renamed":
        bob.ask("PATCH", "/me", json={"name": "Boris"})
    else:
        bob.ask("DELETE", "/me")
    for path, tag in seen.items():
        again = ann.get(path, headers={"If-None-Match": tag})
        assert again.status_code == 200 and again.headers["ETag"] != tag
        assert ("Boris" if how == "renamed" else "deleted-") in again.text and "Bob" not in again.text


@on_one_database
def test_a_star_is_nothing_that_the_client_has(ann: Person, bob: Person, game: str) -> None:
    """Where there is nothing, or nothing yet, the answer says so, whatever the condition."""
    star = {"If-None-Match": "*"}
    for path in ("view", "view?at=999", "view.txt", "view.svg", "view.png"):
        problem(ann.get(f"/games/{game}/{path}", headers=star), 409, "game-not-started")
    running = running_game(ann, bob)
    problem(ann.get(f"/games/{running}/view?at=999", headers=star), 404, "unknown-decision")
    problem(ann.get(f"/games/{running}/record", headers=star), 409, "game-not-over")
    assert ann.get(f"/games/{running}/view", headers=star).json == ann.seen(f"/games/{running}/view")


LISTS = ("/games", "/bots", "/webhooks", "/me/tokens", "/me/deliveries", "/me/invitations", "/me/decisions")


def forged(app: Flask, path: str, time: str) -> str:
    """A cursor of that list, of an item that is none."""
    key = base64.urlsafe_b64encode(json.dumps([time, "g_x"]).encode()).decode().rstrip("=")
    with app.test_request_context(f"/v1{path}"):
        return cursors.bound(key)


@pytest.mark.parametrize("path", LISTS)
def test_a_cursor_that_leads_out_of_time_is_refused(app: Flask, ann: Person, path: str) -> None:
    for time, beyond, within in (
        ("0001-01-01T00:00:00", "+14:00", "-14:00"),
        ("9999-12-31T23:59:59", "-00:01", "+00:01"),
    ):
        refusal = problem(ann.get(f"{path}?cursor={forged(app, path, time + beyond)}"), 422, "invalid-query")
        assert refusal["errors"][0]["pointer"] == "/cursor"
        assert ann.get(f"{path}?cursor={forged(app, path, time + within)}").status_code == 200
