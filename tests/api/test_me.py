"""My account: looked at, and changed."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from flask import Flask

from tests.api.world import with_scopes
from tests.playing import Person, on_one_database, problem, running_game, signed_in


def change(who: Person, changes: Any, **how: Any) -> Any:
    return who.ask("PATCH", "/me", json=changes, **how)


def test_what_is_left_out_stays(ann: Person) -> None:
    before = ann.seen("/me")
    assert (before["language"], before["time_zone"]) == ("en", "UTC")
    answer = change(ann, {"time_zone": "Europe/Riga"})
    assert answer.status_code == 200 and answer.json == {**before, "time_zone": "Europe/Riga"}
    change(ann, {"language": "ru"})
    assert ann.seen("/me") == {**before, "time_zone": "Europe/Riga", "language": "ru"}


def test_another_name_is_seen_everywhere_at_once(ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    before = bob.get(f"/games/{game}")
    assert change(ann, {"name": "Zoë"}).json["name"] == "Zoë"
    after = bob.get(f"/games/{game}", headers={"If-None-Match": before.headers["ETag"]})
    assert after.status_code == 200 and [player["name"] for player in after.json["players"]] == ["Zoë", "Bob"]
    problem(bob.get("/users/Ann"), 404, "unknown-user")
    assert bob.seen("/users/Zoë")["name"] == "Zoë"


@pytest.mark.parametrize("name", ["Bob", "bob", "B.o-b", "В\u043eb"])
def test_a_taken_name_stays_with_who_has_it(name: str, ann: Person, bob: Person) -> None:
    problem(change(ann, {"name": name, "language": "ru"}), 409, "name-taken")
    assert (ann.seen("/me")["name"], ann.seen("/me")["language"]) == ("Ann", "en")


def test_my_own_name_may_be_written_differently(ann: Person) -> None:
    assert change(ann, {"name": "ANN"}).json["name"] == "ANN"


def test_of_two_who_want_one_name_at_once_one_gets_it(app: Flask) -> None:
    people = [signed_in(app, f"Person{number}") for number in range(6)]
    got: list[int] = []
    together = threading.Barrier(len(people))

    def wish(who: Person) -> None:
        together.wait()
        got.append(change(who, {"name": "Darwin"}).status_code)

    threads = [threading.Thread(target=wish, args=(who,)) for who in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == [200] + [409] * 5
    assert [who.seen("/me")["name"] for who in people].count("Darwin") == 1


def test_the_etag_changes_with_the_account_and_only_then(ann: Person) -> None:
    first = ann.get("/me")
    assert ann.get("/me", headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
    changed = change(ann, {"language": "ru"})
    assert changed.headers["ETag"] != first.headers["ETag"]
    assert ann.get("/me", headers={"If-None-Match": first.headers["ETag"]}).status_code == 200
    assert ann.get("/me", headers={"If-None-Match": changed.headers["ETag"]}).status_code == 304


@pytest.mark.parametrize("scope", ["games:read", "games:play", "webhooks", "bots"])
def test_any_token_tells_whose_it_is_and_nothing_private(scope: str, ann: Person) -> None:
    program = with_scopes(ann, scope)
    whole, part = ann.get("/me"), program.get("/me")
    assert part.json == {key: whole.json[key] for key in ("id", "name", "language", "kind")}
    assert part.headers["ETag"] != whole.headers["ETag"]
    problem(change(program, {"language": "ru"}), 403, "insufficient-scope")


def test_what_a_token_may_not_see_does_not_change_its_etag(ann: Person) -> None:
    program = with_scopes(ann, "games:read")
    seen = program.get("/me").headers["ETag"]
    for private in ({"time_zone": "Europe/Riga"}, {}):
        assert change(ann, private).status_code == 200
        assert program.get("/me", headers={"If-None-Match": seen}).status_code == 304
    for told in ({"language": "ru"}, {"name": "Anna"}):
        change(ann, told)
        again = program.get("/me", headers={"If-None-Match": seen})
        assert again.status_code == 200 and told.items() <= again.json.items()
        seen = again.headers["ETag"]


def test_what_has_changed_since_is_not_overwritten(ann: Person) -> None:
    seen = ann.get("/me").headers["ETag"]
    assert change(ann, {"language": "ru"}, headers={"If-Match": seen}).status_code == 200
    problem(change(ann, {"language": "en"}, headers={"If-Match": seen}), 412, "precondition-failed")
    problem(ann.ask("DELETE", "/me", headers={"If-Match": seen}), 412, "precondition-failed")
    assert ann.seen("/me")["language"] == "ru"


@on_one_database
@pytest.mark.parametrize(
    ("changes", "code", "pointers"),
    [
        ({"name": None}, "invalid-body", ["/name"]),
        ({"name": 7}, "invalid-body", ["/name"]),
        ({"name": ""}, "invalid-body", ["/name"]),
        ({"name": "x" * 41}, "invalid-body", ["/name"]),
        ({"name": "An\u202ena"}, "invalid-body", ["/name"]),
        ({"name": "Ａnna"}, "invalid-body", ["/name"]),
        ({"name": "Gala Post"}, "invalid-body", ["/name"]),
        ({"name": "deleted-aaaaaaaa"}, "invalid-body", ["/name"]),
        ({"language": "de"}, "invalid-body", ["/language"]),
        ({"language": None}, "invalid-body", ["/language"]),
        ({"time_zone": None}, "invalid-body", ["/time_zone"]),
        ({"time_zone": ["UTC"]}, "invalid-body", ["/time_zone"]),
        ({"time_zone": "Europe/Nowhere"}, "invalid-body", ["/time_zone"]),
        ({"time_zone": "europe/riga"}, "invalid-body", ["/time_zone"]),
        ({"time_zone": "../../etc/passwd"}, "invalid-body", ["/time_zone"]),
        ({"time_zone": "UTC\u0000"}, "invalid-body", ["/time_zone"]),
        ({"time_zone": "localtime"}, "invalid-body", ["/time_zone"]),
        ({"time_zone": "+02:00"}, "invalid-body", ["/time_zone"]),
        ({"email": "other@example.org"}, "unknown-body-key", ["/email"]),
        ({"kind": "bot", "name": "Anna"}, "unknown-body-key", ["/kind"]),
    ],
)
def test_a_change_that_is_none_is_refused(changes: Any, code: str, pointers: list[str], ann: Person) -> None:
    before = ann.seen("/me")
    refusal = problem(change(ann, changes), 422, code)
    assert [fault["pointer"] for fault in refusal["errors"]] == pointers
    assert ann.seen("/me") == before


@on_one_database
def test_nothing_to_change_is_no_fault(ann: Person) -> None:
    before = ann.seen("/me")
    assert change(ann, {}).json == before


@on_one_database
def test_the_account_takes_the_scope_of_that_name(ann: Person, nobody: Person) -> None:
    reader = Person(ann.app, ann.made("/me/tokens", {"name": "r", "scopes": ["games:read", "games:play"]})["token"])
    for verb, path in (
        ("PATCH", "/me"),
        ("DELETE", "/me"),
        ("GET", "/me/export"),
        ("POST", "/me/email"),
        ("POST", "/me/email/verification"),
        ("GET", "/me/tokens"),
        ("POST", "/me/tokens"),
        ("DELETE", "/me/tokens/t_aaaaaaaaaaaaaaaaaaaaaaaaaa"),
    ):
        problem(reader.ask(verb, path), 403, "insufficient-scope")
        problem(nobody.ask(verb, path), 401, "token-missing")
