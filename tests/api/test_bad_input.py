"""Every kind of bad input has a problem code of its own, changes nothing, and the next request works.

Cases by hand, each for what it is; `test_bad_bodies.py` makes more of them from the document, for every operation."""

from __future__ import annotations

import io
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update

from server import clock
from server.database import transaction
from server.models import Token
from tests.playing import Person, on_one_database, problem, running_game, whose_turn

JSON = {"content_type": "application/json"}


@pytest.fixture
def game(ann: Person, bob: Person) -> str:
    return running_game(ann, bob)


@pytest.fixture
def unchanged(game: str, ann: Person, bob: Person) -> Any:
    """Afterwards everything is as it was, and the game goes on."""
    doors = [f"/games/{game}", f"/games/{game}/view", f"/games/{game}/events", "/me/decisions"]
    before = [[who.get(door).data for door in doors] for who in (ann, bob)]
    yield
    assert [[who.get(door).data for door in doors] for who in (ann, bob)] == before
    player, number = whose_turn(game, ann, bob)
    player.made(f"/games/{game}/moves", {"decision": number, "move": player.legal(game)[0]})


MOVES = [
    ({"data": "null", **JSON}, 422, "null-body"),
    ({"data": "", **JSON}, 400, "malformed-json"),
    ({"data": '{"decision": 1, "move": ', **JSON}, 400, "malformed-json"),
    ({"data": '{"decision": 1, "decision": 1, "move": "pass"}', **JSON}, 400, "malformed-json"),
    ({"data": '{"decision": NaN, "move": "pass"}', **JSON}, 400, "malformed-json"),
    ({"data": b'{"decision": 1, "move": "\xff"}', **JSON}, 400, "malformed-json"),
    ({"data": '{"decision": 1, "move": "\\ud800"}', **JSON}, 400, "malformed-json"),
    ({"data": b'\xef\xbb\xbf{"decision": 1, "move": "pass"}', **JSON}, 400, "malformed-json"),
    (
        {"data": '{"decision": 1, "move": "pass"}', "content_type": "application/json; charset=utf-16"},
        415,
        "unsupported-media-type",
    ),
    (
        {"data": '{"decision": 1, "move": "pass"}', "headers": {"Content-Encoding": "gzip"}, **JSON},
        415,
        "unsupported-media-type",
    ),
    ({"data": "[" * 100_000, **JSON}, 400, "malformed-json"),
    ({"data": '{"decision": ' + "9" * 5000 + ', "move": "pass"}', **JSON}, 400, "malformed-json"),
    ({"data": '{"decision": 1, "move": "pass"}', "content_type": "text/plain"}, 415, "unsupported-media-type"),
    ({"data": "not even JSON", "content_type": "text/plain"}, 415, "unsupported-media-type"),
    ({"data": b""}, 415, "unsupported-media-type"),
    ({"data": b" " * 1_000_000, **JSON}, 413, "body-too-large"),
    ({"json": []}, 422, "invalid-body"),
    ({"json": "pass"}, 422, "invalid-body"),
    ({"json": {}}, 422, "invalid-body"),
    ({"json": {"decision": 1, "move": "pass", "oops": 1}}, 422, "unknown-body-key"),
    ({"json": {"decision": 1, "move": "frobnicate A1"}}, 422, "bad-notation"),
    ({"json": {"decision": 1, "move": ""}}, 422, "bad-notation"),
    ({"json": {"decision": 1, "move": "\0"}}, 422, "bad-notation"),
    ({"json": {"decision": 1, "move": {}}}, 422, "bad-notation"),
    ({"json": {"decision": 1, "move": {"type": "animal", "card": None}}}, 422, "bad-notation"),
    ({"json": {"decision": 1, "move": {"type": 7}}}, 422, "bad-notation"),
    ({"json": {"decision": 1, "move": "feed A1"}}, 422, "illegal-move"),
    ({"json": {"decision": 2, "move": "pass"}}, 409, "decision-not-open"),
    ({"json": {"decision": 2**31, "move": "pass"}}, 422, "invalid-body"),
]


@on_one_database
@pytest.mark.parametrize(
    ("body", "status", "code"), MOVES, ids=[f"{number}-{code}" for number, (_, _, code) in enumerate(MOVES)]
)
@pytest.mark.usefixtures("unchanged")
def test_a_move_that_is_none_is_refused_by_name(
    body: dict[str, Any], status: int, code: str, game: str, ann: Person, bob: Person
) -> None:
    player, _ = whose_turn(game, ann, bob)
    problem(player.ask("POST", f"/games/{game}/moves", **body), status, code)


PYTHONS = (
    "Exceeds",
    "int()",
    "BOM",
    "decode using",
    "Expecting",
    "delimiter",
    "Missing data",
    "may not be null",
    "Not a valid",
)


@on_one_database
def test_a_refusal_is_in_our_words_and_never_in_pythons(game: str, ann: Person) -> None:
    refused = [ann.ask("POST", f"/games/{game}/moves", **body) for body, status, _ in MOVES if status < 500]
    refused += [ann.post("/games", body) for body in ({}, {"seats": None}, {"seats": 2, "options": 7, "join": 7})]
    refused += [ann.post("/webhooks", {"url": None, "types": 7}), ann.post("/accounts", {"email": 7})]
    for answer in refused:
        assert not [word for word in PYTHONS if word in answer.json["detail"]], answer.text


@on_one_database
def test_a_commitment_of_another_form_is_told_so_once(ann: Person) -> None:
    for commitment in ("x", "0" * 64 + "\n"):
        refusal = problem(ann.post("/games", {"seats": 2, "entropy_commitment": commitment}), 422, "invalid-body")
        assert [fault["detail"].count("expected") for fault in refusal["errors"]] == [1]


def test_a_chunked_body_is_not_cut_to_the_limit_and_then_read(nobody: Person) -> None:
    body = b'{"email": "ann@example.org"}' + b" " * 300_000 + b"rubbish"
    chunked = {"wsgi.input_terminated": True, "HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input": io.BytesIO(body)}
    answer = nobody.app.test_client().post("/v1/accounts", environ_overrides=chunked, content_type="application/json")
    problem(answer, 413, "body-too-large")


WRONG_TYPES = [
    ({"decision": "1", "move": "pass"}, ["/decision"]),
    ({"decision": 1.5, "move": "pass"}, ["/decision"]),
    ({"decision": 1.0, "move": "pass"}, ["/decision"]),
    ({"decision": True, "move": "pass"}, ["/decision"]),
    ({"decision": None, "move": "pass"}, ["/decision"]),
    ({"decision": 0, "move": "pass"}, ["/decision"]),
    ({"decision": 1, "move": 7}, ["/move"]),
    ({"decision": 1, "move": ["pass"]}, ["/move"]),
    ({"decision": 1, "move": "x" * 501}, ["/move"]),
    ({"decision": 1, "move": {"type": {"deep": {}}}}, ["/move"]),
    ({"decision": [], "move": None, "other": 1}, ["/decision", "/move", "/other"]),
]


@on_one_database
@pytest.mark.parametrize(("body", "pointers"), WRONG_TYPES)
@pytest.mark.usefixtures("unchanged")
def test_every_value_of_a_wrong_type_is_pointed_at(
    body: Any, pointers: list[str], game: str, ann: Person, bob: Person
) -> None:
    player, _ = whose_turn(game, ann, bob)
    refusal = problem(player.post(f"/games/{game}/moves", body), 422, "invalid-body")
    assert sorted(error["pointer"] for error in refusal["errors"]) == pointers


@on_one_database
@pytest.mark.parametrize(
    ("query", "code", "pointers"),
    [
        ("limit=5&a%2Fb=1&c=1", "unknown-query-key", ["/a~1b", "/c"]),
        ("cursor=nonsense", "invalid-query", ["/cursor"]),
        ("cursor=W1tbW1s", "invalid-query", ["/cursor"]),
        ("cursor=%00", "invalid-query", ["/cursor"]),
    ],
)
def test_a_cursor_is_one_of_ours_and_every_fault_is_pointed_at(
    query: str, code: str, pointers: list[str], ann: Person
) -> None:
    refusal = problem(ann.get(f"/games?{query}"), 422, code)
    assert sorted(error["pointer"] for error in refusal["errors"]) == pointers
    assert ann.get("/games").status_code == 200


def test_an_operation_without_a_body_takes_at_most_an_empty_object(ann: Person, eve: Person) -> None:
    game = ann.made("/games", {"seats": 3})["id"]
    problem(eve.post(f"/games/{game}/seats", {"seat": "C"}), 422, "unknown-body-key")
    problem(eve.ask("POST", f"/games/{game}/seats", data="null", **JSON), 422, "null-body")
    problem(eve.ask("POST", f"/games/{game}/seats", data="seat=C"), 415, "unsupported-media-type")
    assert eve.post(f"/games/{game}/seats", {}).status_code == 201


@pytest.mark.usefixtures("unchanged")
def test_another_seats_decision_is_not_mine(game: str, ann: Person, bob: Person) -> None:
    player, number = whose_turn(game, ann, bob)
    other = bob if player is ann else ann
    problem(other.post(f"/games/{game}/moves", {"decision": number, "move": "pass"}), 409, "not-your-decision")
    problem(other.get(f"/games/{game}/legal-moves"), 409, "not-your-decision")


@pytest.mark.usefixtures("unchanged")
def test_who_has_no_seat_is_no_player(game: str, eve: Person) -> None:
    problem(eve.post(f"/games/{game}/moves", {"decision": 1, "move": "pass"}), 403, "not-a-player")
    problem(eve.get(f"/games/{game}/legal-moves"), 403, "not-a-player")


@pytest.mark.usefixtures("unchanged")
def test_a_card_that_is_not_in_the_hand_is_refused_with_the_reason(game: str, ann: Person, bob: Person) -> None:
    player, number = whose_turn(game, ann, bob)
    hand = next(seat["hand"] for seat in player.seen(f"/games/{game}/view")["seats"] if seat["hand"])
    foreign = next(
        card
        for card in ("mimicry", "running", "scavenger", "piracy", "tail-loss", "symbiosis", "swimming")
        if card not in hand
    )
    refusal = problem(
        player.post(f"/games/{game}/moves", {"decision": number, "move": f"animal {foreign}"}), 422, "illegal-move"
    )
    assert refusal["reason"] == "not-in-hand" and refusal["detail"]


def test_the_stale_answer_to_a_decision_is_refused(game: str, ann: Person, bob: Person) -> None:
    player, number = whose_turn(game, ann, bob)
    first, other = player.legal(game)[:2]
    player.made(f"/games/{game}/moves", {"decision": number, "move": first})
    summary = ann.get(f"/games/{game}").data
    problem(player.post(f"/games/{game}/moves", {"decision": number, "move": other}), 409, "decision-closed")
    assert ann.get(f"/games/{game}").data == summary


def test_a_token_that_is_missing_unknown_expired_or_revoked_is_told_apart(ann: Person, nobody: Person) -> None:
    def told(who: Person, code: str) -> str:
        answer = who.get("/me")
        problem(answer, 401, code)
        return answer.headers["WWW-Authenticate"]

    assert told(nobody, "token-missing") == 'Bearer realm="galapost"'
    assert 'error="invalid_token"' in told(Person(nobody.app, "gp_never"), "token-unknown")
    _set(expires_at=clock.now() - timedelta(seconds=1))
    assert 'error="invalid_token"' in told(ann, "token-expired")
    _set(revoked_at=clock.now())
    assert 'error="invalid_token"' in told(ann, "token-revoked")
    _set(revoked_at=None, expires_at=clock.now() + timedelta(days=1))
    assert ann.get("/me").status_code == 200


def test_a_bad_token_is_refused_where_none_is_needed(nobody: Person) -> None:
    problem(Person(nobody.app, "gp_never").get("/games"), 401, "token-unknown")
    problem(nobody.get("/games", headers={"Authorization": "Basic YTpi"}), 401, "token-missing")
    assert nobody.get("/games").status_code == 200


def test_a_token_without_the_scope_is_told_which_it_lacks(ann: Person, game: str) -> None:
    _set(scopes=["games:read"])
    answer = ann.post("/games", {"seats": 2})
    assert problem(answer, 403, "insufficient-scope")["needed"] == ["games:play"]
    assert 'scope="games:play"' in answer.headers["WWW-Authenticate"]
    assert ann.get(f"/games/{game}/view").status_code == 200
    _set(scopes=["webhooks"])
    problem(ann.get(f"/games/{game}/view"), 403, "insufficient-scope")


def test_who_may_not_ask_learns_nothing_else(nobody: Person) -> None:
    problem(nobody.ask("POST", "/games?x=1", data="rubbish", content_type="text/plain"), 401, "token-missing")


def _set(**values: Any) -> None:
    """Of all tokens there are."""
    with transaction() as session:
        session.execute(update(Token).values(**values))


def test_the_frameworks_own_refusals_are_problems_too(nobody: Person) -> None:
    problem(nobody.get("/nothing/here"), 404, "not-found")
    answer = nobody.ask("PUT", "/games")
    problem(answer, 405, "method-not-allowed")
    assert {"GET", "POST"} <= set(answer.headers["Allow"].split(", "))
    problem(nobody.ask("DELETE", "/health"), 405, "method-not-allowed")


def test_every_code_is_in_the_closed_list_once(nobody: Person) -> None:
    codes = [item["code"] for item in nobody.seen("/problems")["items"]]
    assert len(codes) == len(set(codes))
    used = {code for _, _, code in MOVES} | {
        "unknown-game",
        "not-your-decision",
        "decision-closed",
        "token-expired",
        "token-revoked",
    }
    assert used <= set(codes)
