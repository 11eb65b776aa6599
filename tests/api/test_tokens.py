"""Tokens that an account makes for its programs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from sqlalchemy import select

from server import sealing
from server.database import reading
from server.models import Token
from server.services import tokens
from tests.playing import Person, on_one_database, problem

WISH = {"name": "laptop", "scopes": ["games:read", "account"]}


def test_a_token_is_shown_once_and_opens_what_it_says(ann: Person) -> None:
    answer = ann.post("/me/tokens", WISH)
    made = answer.json
    assert (answer.status_code, answer.headers["Cache-Control"]) == (201, "no-store")
    assert made["token"].startswith(made["prefix"]) and made["scopes"] == ["account", "games:read"]
    other = Person(ann.app, made["token"])
    assert other.seen("/me") == ann.seen("/me")
    problem(other.post("/games", {"seats": 2}), 403, "insufficient-scope")
    with reading() as session:
        stored = session.scalars(select(Token).where(Token.id == made["id"])).one()
    assert stored.digest == sealing.digest(made["token"]) and made["token"] not in (stored.prefix, stored.digest)


def test_the_list_tells_them_apart_and_which_one_asks(ann: Person) -> None:
    made = ann.made("/me/tokens", WISH)
    signed, laptop = ann.seen("/me/tokens")["items"]
    assert (signed["name"], signed["current"], laptop["name"], laptop["current"]) == ("sign-in", True, "laptop", False)
    assert "token" not in laptop and laptop == {key: laptop[key] for key in laptop} | {"id": made["id"]}
    assert signed["last_used_at"] is not None and laptop["last_used_at"] is None
    assert [item["current"] for item in Person(ann.app, made["token"]).seen("/me/tokens")["items"]] == [False, True]


def test_the_list_is_paged(ann: Person) -> None:
    for number in range(4):
        ann.made("/me/tokens", {**WISH, "name": f"n{number}"})
    names, path = [], "/me/tokens?limit=2"
    while path:
        page = ann.seen(path)
        names += [item["name"] for item in page["items"]]
        path = f"/me/tokens?limit=2&cursor={page['next_cursor']}" if page["next_cursor"] else ""
    assert names == ["sign-in", "n0", "n1", "n2", "n3"]


def test_a_revoked_token_opens_nothing_and_is_listed_no_more(ann: Person) -> None:
    made = ann.made("/me/tokens", WISH)
    assert ann.ask("DELETE", f"/me/tokens/{made['id']}").status_code == 204
    problem(Person(ann.app, made["token"]).get("/me"), 401, "token-revoked")
    assert [item["name"] for item in ann.seen("/me/tokens")["items"]] == ["sign-in"]
    problem(ann.ask("DELETE", f"/me/tokens/{made['id']}"), 404, "no-such-token")


def test_who_revokes_the_token_he_asks_with_signs_out(ann: Person) -> None:
    (signed,) = ann.seen("/me/tokens")["items"]
    assert ann.ask("DELETE", f"/me/tokens/{signed['id']}").status_code == 204
    problem(ann.get("/me"), 401, "token-revoked")


def test_a_token_of_somebody_else_can_not_be_revoked(ann: Person, eve: Person) -> None:
    (signed,) = ann.seen("/me/tokens")["items"]
    problem(eve.ask("DELETE", f"/me/tokens/{signed['id']}"), 404, "no-such-token")
    assert ann.get("/me").status_code == 200


def test_nobody_gives_what_he_has_not(ann: Person) -> None:
    narrow = Person(ann.app, ann.made("/me/tokens", {"name": "n", "scopes": ["account", "webhooks"]})["token"])
    refusal = problem(
        narrow.post("/me/tokens", {"name": "w", "scopes": ["account", "games:play"]}), 403, "insufficient-scope"
    )
    assert refusal["needed"] == ["games:play"]
    problem(ann.post("/me/tokens", {"name": "a", "scopes": ["admin"]}), 403, "insufficient-scope")
    assert narrow.made("/me/tokens", {"name": "w", "scopes": ["webhooks"]})["scopes"] == ["webhooks"]


def test_a_token_lives_as_long_as_was_wished(ann: Person) -> None:
    for wish, days in (
        ({}, 90),
        ({"expires_in": "P1D"}, 1),
        ({"expires_in": "PT36H"}, 1.5),
        ({"expires_in": "P365D"}, 365),
    ):
        made = ann.made("/me/tokens", {**WISH, **wish})
        lives = datetime.fromisoformat(made["expires_at"]) - datetime.fromisoformat(made["created_at"])
        assert lives == timedelta(days=days)
    brief = Person(ann.app, ann.made("/me/tokens", {**WISH, "expires_in": "PT2M"})["token"])
    assert brief.get("/me").status_code == 200
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=2, seconds=1)):
        problem(brief.get("/me"), 401, "token-expired")


def test_the_same_request_makes_one_token_and_shows_it_once(ann: Person) -> None:
    key = {"Idempotency-Key": "one"}
    first, again = (ann.post("/me/tokens", WISH, headers=key) for _ in range(2))
    assert again.headers["Idempotency-Replayed"] == "true" and again.json == {**first.json, "token": None}
    problem(ann.post("/me/tokens", {**WISH, "name": "other"}, headers=key), 422, "key-reused")
    assert len(ann.seen("/me/tokens")["items"]) == 2


def test_an_account_has_so_many_tokens_and_no_more(ann: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MOST", 3)
    made = [ann.made("/me/tokens", WISH) for _ in range(2)]
    problem(ann.post("/me/tokens", WISH), 409, "too-many-tokens")
    ann.ask("DELETE", f"/me/tokens/{made[0]['id']}")
    assert ann.post("/me/tokens", WISH).status_code == 201


@on_one_database
@pytest.mark.parametrize(
    ("wish", "pointers"),
    [
        ({}, ["/name", "/scopes"]),
        ({"name": None, "scopes": None, "expires_in": None}, ["/expires_in", "/name", "/scopes"]),
        ({**WISH, "name": ""}, ["/name"]),
        ({**WISH, "name": "x" * 61}, ["/name"]),
        ({**WISH, "name": "a\u202eb"}, ["/name"]),
        ({**WISH, "name": "a\u0000"}, ["/name"]),
        ({**WISH, "scopes": []}, ["/scopes"]),
        ({**WISH, "scopes": "account"}, ["/scopes"]),
        ({**WISH, "scopes": ["everything"]}, ["/scopes/0"]),
        ({**WISH, "scopes": ["account", 7]}, ["/scopes/1"]),
        ({**WISH, "scopes": ["account"] * 7}, ["/scopes"]),
        *(
            ({**WISH, "expires_in": length}, ["/expires_in"])
            for length in (
                7,
                "",
                "P",
                "PT",
                "P1DT",
                "P1M",
                "P1Y",
                "P1W",
                "PT1H30S2M",
                "P-1D",
                "P1.5D",
                "1D",
                "p1d",
                "P1D\n",
                "P\u0661D",
                "PT59S",
                "P366D",
                "P365DT1S",
                "P99999999999D",
            )
        ),
        ({**WISH, "colour": "red"}, ["/colour"]),
    ],
)
def test_a_token_that_is_none_is_refused(wish: Any, pointers: list[str], ann: Person) -> None:
    answer = ann.post("/me/tokens", wish)
    problem(answer, 422, "unknown-body-key" if pointers == ["/colour"] else "invalid-body")
    assert sorted(fault["pointer"] for fault in answer.json["errors"]) == pointers
    assert len(ann.seen("/me/tokens")["items"]) == 1


@on_one_database
@pytest.mark.parametrize("id", ["t_aaaaaaaaaaaaaaaaaaaaaaaaaa", "nonsense", "%00", "t_%D0%B0", "x" * 3000])
def test_an_unknown_token_is_told_so(id: str, ann: Person) -> None:
    problem(ann.ask("DELETE", f"/me/tokens/{id}"), 404, "no-such-token")
