"""What the host of a game may do before its start: change it, call it off."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from server.database import reading
from server.models import Delivery
from tests.playing import Person, on_one_database, problem, running_game


def changed(who: Person, game: str, body: Any, **how: Any) -> Any:
    return who.ask("PATCH", f"/games/{game}", json=body, **how)


def notices(kind: str) -> list[str | None]:
    with reading() as session:
        return list(session.scalars(select(Delivery.seat).where(Delivery.kind == kind, Delivery.channel == "email")))


def test_the_host_changes_what_he_made(ann: Person) -> None:
    game = ann.made("/games", {"seats": 2})
    wish = {"seats": 4, "listed": False, "join": "invited", "spectators": "public", "start": "host", "own_bots": True}
    answer = changed(ann, game["id"], wish | {"options": {"deck": "classic"}})
    assert answer.status_code == 200
    assert {name: answer.json[name] for name in wish} == wish and answer.json["options"]["deck"] == "classic"
    assert answer.json["version"] == game["version"] + 1 and answer.json == ann.seen(f"/games/{game['id']}")


def test_options_that_are_not_named_stay(ann: Person) -> None:
    game = ann.made("/games", {"seats": 2, "options": {"deck": "classic"}})
    options = changed(ann, game["id"], {"options": {"sets": "two"}}).json["options"]
    assert options == game["options"] | {"sets": "two"}


@pytest.mark.parametrize("body", [{}, {"seats": 3}, {"options": {}}, {"options": {"deck": "classic"}, "listed": True}])
def test_what_is_so_already_is_no_change(body: dict[str, Any], ann: Person) -> None:
    game = ann.made("/games", {"seats": 3, "options": {"deck": "classic"}})
    assert changed(ann, game["id"], body).json == game


@on_one_database
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"seats": 1}, "invalid-body"),
        ({"seats": 9}, "invalid-body"),
        ({"seats": "3"}, "invalid-body"),
        ({"seats": None}, "invalid-body"),
        ({"listed": 1}, "invalid-body"),
        ({"join": "all"}, "invalid-body"),
        ({"spectators": True}, "invalid-body"),
        ({"start": ""}, "invalid-body"),
        ({"own_bots": "yes"}, "invalid-body"),
        ({"options": []}, "invalid-body"),
        ({"options": {"deck": 1}}, "invalid-body"),
        ({"host": "Bob"}, "unknown-body-key"),
        ({"status": "running"}, "unknown-body-key"),
        ({"options": {"deck": "golden"}}, "bad-option"),
        ({"options": {"colour": "red"}}, "bad-option"),
        ({"seats": 5}, "bad-option"),
    ],
)
def test_a_change_that_cannot_be_changes_nothing(body: dict[str, Any], code: str, ann: Person) -> None:
    game = ann.made("/games", {"seats": 3})
    problem(changed(ann, game["id"], body), 422, code)
    assert ann.seen(f"/games/{game['id']}") == game


@pytest.mark.parametrize("body", [{"options": {"deck": "classic"}}, {"own_bots": True}, {"spectators": "public"}])
def test_nobody_finds_the_rules_changed_under_him(body: dict[str, Any], ann: Person, bob: Person) -> None:
    game = ann.made("/games", {"seats": 3})["id"]
    bob.made(f"/games/{game}/seats")
    before = ann.seen(f"/games/{game}")
    problem(changed(ann, game, body), 409, "rules-fixed")
    assert ann.seen(f"/games/{game}") == before
    assert changed(ann, game, {"listed": False, "join": "invited"}).status_code == 200


def test_seats_are_not_fewer_than_those_taken(ann: Person, bob: Person, eve: Person) -> None:
    game = ann.made("/games", {"seats": 4, "start": "host"})["id"]
    for player in (bob, eve):
        player.made(f"/games/{game}/seats")
    problem(changed(ann, game, {"seats": 2}), 409, "seats-taken")
    assert changed(ann, game, {"seats": 3}).json["free_seats"] == 0


@pytest.mark.parametrize("body", [{"seats": 2}, {"seats": 2, "listed": False}])
def test_a_table_that_becomes_full_starts(body: dict[str, Any], ann: Person, bob: Person) -> None:
    game = ann.made("/games", {"seats": 3})["id"]
    bob.made(f"/games/{game}/seats")
    assert changed(ann, game, body).json["status"] == "running"


def test_a_full_table_starts_when_its_host_no_longer_wants_to(ann: Person, bob: Person) -> None:
    game = ann.made("/games", {"seats": 2, "start": "host"})["id"]
    bob.made(f"/games/{game}/seats")
    assert changed(ann, game, {"start": "automatic"}).json["status"] == "running"


@pytest.mark.parametrize(("verb", "how"), [("PATCH", {"json": {"listed": False}}), ("DELETE", {})])
def test_only_the_host_and_only_before_the_start(
    verb: str, how: dict[str, Any], ann: Person, bob: Person, eve: Person, nobody: Person
) -> None:
    game = ann.made("/games", {"seats": 3})["id"]
    bob.made(f"/games/{game}/seats")
    for stranger in (bob, eve):
        problem(stranger.ask(verb, f"/games/{game}", **how), 403, "not-the-host")
    problem(nobody.ask(verb, f"/games/{game}", **how), 401, "token-missing")
    problem(ann.ask(verb, "/games/g_nothing", **how), 404, "unknown-game")
    problem(ann.ask(verb, f"/games/{running_game(ann, bob)}", **how), 409, "game-started")


@pytest.mark.parametrize(("verb", "how"), [("PATCH", {"json": {"listed": False}}), ("DELETE", {})])
def test_nothing_is_changed_that_the_host_has_not_seen(
    verb: str, how: dict[str, Any], ann: Person, bob: Person
) -> None:
    game = ann.made("/games", {"seats": 3})["id"]
    seen = {"If-Match": ann.get(f"/games/{game}").headers["ETag"]}
    bob.made(f"/games/{game}/seats")
    problem(ann.ask(verb, f"/games/{game}", headers=seen, **how), 412, "precondition-failed")
    assert ann.seen(f"/games/{game}")["status"] == "open"
    seen = {"If-Match": ann.get(f"/games/{game}").headers["ETag"]}
    assert ann.ask(verb, f"/games/{game}", headers=seen, **how).status_code in (200, 204)


def test_a_game_that_is_called_off_stays_to_be_seen(ann: Person, bob: Person, nobody: Person) -> None:
    game = ann.made("/games", {"seats": 3})["id"]
    bob.made(f"/games/{game}/seats")
    assert ann.ask("DELETE", f"/games/{game}").status_code == 204
    seen = nobody.seen(f"/games/{game}")
    assert (seen["status"], seen["ended_by"], seen["free_seats"]) == ("cancelled", "cancellation", 0)
    assert seen["ended_at"] is not None and seen["started_at"] is None
    assert nobody.seen("/games?open=true")["items"] == []
    assert [item["id"] for item in nobody.seen("/games?status=cancelled")["items"]] == [game]


def test_those_who_sat_there_are_told_and_the_host_knows(ann: Person, bob: Person, eve: Person) -> None:
    game = ann.made("/games", {"seats": 4})["id"]
    for player in (bob, eve):
        player.made(f"/games/{game}/seats")
    ann.ask("DELETE", f"/games/{game}")
    assert sorted(map(str, notices("game_cancelled"))) == ["B", "C"]


def test_nothing_can_be_done_at_a_table_that_was_called_off(ann: Person, bob: Person, eve: Person) -> None:
    game = ann.made("/games", {"seats": 3})["id"]
    bob.made(f"/games/{game}/seats")
    ann.ask("DELETE", f"/games/{game}")
    for answer in (
        eve.post(f"/games/{game}/seats"),
        bob.ask("DELETE", f"/games/{game}/seats/me"),
        ann.ask("DELETE", f"/games/{game}/seats/B"),
        ann.ask("DELETE", f"/games/{game}"),
        ann.post(f"/games/{game}/start"),
        changed(ann, game, {"listed": False}),
        ann.post(f"/games/{game}/invitations", {"link": True}),
    ):
        problem(answer, 409, "game-over")
