"""What caches, browsers and proxies are told."""

from __future__ import annotations

import pytest

from server.services import games, looking
from tests.playing import Person, on_one_database, running_game, whose_turn


@pytest.mark.parametrize("door", ["", "/view"])
def test_what_has_not_changed_is_304_and_is_not_even_made(
    door: str, ann: Person, bob: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = running_game(ann, bob)
    first = ann.get(f"/games/{game}{door}")
    tag = first.headers["ETag"]
    assert not tag.startswith("W/") and first.headers["Cache-Control"] == "private, no-cache"
    monkeypatch.setattr(games, "summary", _never)
    monkeypatch.setattr(looking, "table", _never)
    for known in (tag, f"W/{tag}", f'"other", {tag}'):
        again = ann.get(f"/games/{game}{door}", headers={"If-None-Match": known})
        assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
        assert "Authorization" in again.headers["Vary"]


def _never(*_: object) -> None:
    raise AssertionError("a body was made that nobody wanted")


@pytest.mark.parametrize("door", ["", "/view"])
def test_a_move_changes_the_etag(door: str, ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    before = ann.get(f"/games/{game}{door}").headers["ETag"]
    player, number = whose_turn(game, ann, bob)
    player.made(f"/games/{game}/moves", {"decision": number, "move": player.legal(game)[0]})
    after = ann.get(f"/games/{game}{door}", headers={"If-None-Match": before})
    assert after.status_code == 200 and after.headers["ETag"] != before


def test_the_etag_of_an_answered_move_is_that_of_the_view(ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    player, number = whose_turn(game, ann, bob)
    answer = player.post(f"/games/{game}/moves", {"decision": number, "move": player.legal(game)[0]})
    assert player.get(f"/games/{game}/view", headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304


def test_lists_and_signs_of_life_have_no_etag(ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    for path in ("/games", "/me/decisions", "/webhooks", f"/games/{game}/events", "/health", "/ready"):
        assert "ETag" not in ann.get(path).headers


def test_every_answer_tells_caches_what_it_depends_on(nobody: Person) -> None:
    for answer in (nobody.get(""), nobody.get("/me"), nobody.get("/nothing")):
        assert {"Authorization", "Accept", "Accept-Language"} <= set(answer.headers["Vary"].split(", "))
        assert answer.headers["Cache-Control"] == "private, no-cache"


def test_a_browser_of_any_site_may_ask_with_a_token(nobody: Person) -> None:
    asked = {
        "Origin": "https://elsewhere.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization",
    }
    preflight = nobody.ask("OPTIONS", "/games", headers=asked)
    assert preflight.status_code == 200
    assert preflight.headers["Access-Control-Allow-Origin"] == "*"
    assert "POST" in preflight.headers["Access-Control-Allow-Methods"]
    assert "Authorization" in preflight.headers["Access-Control-Allow-Headers"]
    assert {"If-Match", "Idempotency-Key"} <= set(preflight.headers["Access-Control-Allow-Headers"].split(", "))
    assert "Access-Control-Allow-Credentials" not in preflight.headers
    for answer in (nobody.get("/games"), nobody.get("/me")):
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        exposed = set(answer.headers["Access-Control-Expose-Headers"].split(", "))
        assert exposed == {
            *("ETag", "Link", "Location", "RateLimit", "RateLimit-Policy", "Retry-After", "Idempotency-Replayed"),
            *("Date", "WWW-Authenticate"),
        }


def test_links_are_made_from_our_own_url_never_from_the_host_header(ann: Person) -> None:
    game = ann.ask("POST", "/games", json={"seats": 2}, headers={"Host": "evil.example"})
    assert game.json["links"]["view"] == f"http://127.0.0.1:8000/v1/games/{game.json['id']}/view"
    for path in ("", "/nothing", "/docs", "/docs/", "/docs/index.html", "/openapi.json", "/v1//games"):
        assert b"evil.example" not in ann.get(path, headers={"Host": "evil.example"}).data


@on_one_database
def test_what_was_made_is_read_where_its_location_says(ann: Person, bob: Person, eve: Person) -> None:
    game = ann.made("/games", {"seats": 4})["id"]
    token = ann.made(f"/games/{game}/invitations", {"link": True})["link"].rpartition("/")[2]
    bot = {"name": "Robo", "accepts": {"seats": [2], "games_at_once": 1}}
    hook = ann.made("/webhooks", {"url": "https://bot.example.org/galapost"})["id"]
    for who, path, body in (
        (bob, f"/games/{game}/seats", {}),
        (eve, f"/invitations/{token}/acceptance", {}),
        (ann, "/bots", bot),
        (ann, "/webhooks", {"url": "https://bot.example.org/other"}),
        (ann, f"/webhooks/{hook}/secret", {}),
    ):
        first, again = (who.post(path, body, headers={"Idempotency-Key": path}) for _ in range(2))
        assert first.status_code == again.status_code == 201, first.text
        where = first.headers["Location"]
        assert where == again.headers["Location"] and where.startswith("http://127.0.0.1:8000/v1/")
        assert who.seen(where.removeprefix("http://127.0.0.1:8000"))["id"] == first.json["id"]


@pytest.mark.parametrize(("path", "status", "to"), [("/", 302, "/v1/docs/"), ("/v1/", 308, "/v1")])
def test_who_comes_to_the_door_is_shown_the_way(path: str, status: int, to: str, nobody: Person) -> None:
    answer = nobody.app.test_client().get(path, headers={"Host": "evil.example"})
    assert (answer.status_code, answer.headers["Location"]) == (status, f"http://127.0.0.1:8000{to}")
    assert nobody.get(to).status_code == 200


def test_head_is_get_without_a_body(ann: Person) -> None:
    answer = ann.ask("HEAD", "/games")
    assert (answer.status_code, answer.data) == (200, b"")
