"""Idempotency-Key: the same request twice makes one thing."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, select, update
from werkzeug.test import TestResponse

from server import clock
from server.database import reading, transaction
from server.models import Game, Repetition, WebhookEndpoint
from server.services import repeating
from tests.playing import Person, on_one_database, problem

KEY = "8e03978e-40d5-43ed-bc8a-6894a57f9324"


def asked(who: Person, path: str, body: Any = None, key: str = KEY) -> TestResponse:
    return who.post(path, body, headers={"Idempotency-Key": key})


def count(kind: type[Any]) -> int:
    with reading() as session:
        return session.scalar(select(func.count()).select_from(kind)) or 0


def test_the_same_request_with_the_same_key_makes_one_game(ann: Person) -> None:
    first = asked(ann, "/games", {"seats": 2})
    again = asked(ann, "/games", {"seats": 2})
    assert (first.status_code, again.status_code) == (201, 201)
    assert "Idempotency-Replayed" not in first.headers and again.headers["Idempotency-Replayed"] == "true"
    assert (first.json, first.headers["Location"]) == (again.json, again.headers["Location"])
    assert count(Game) == 1


def test_a_body_is_the_same_however_it_is_written(ann: Person) -> None:
    texts = ('{"seats": 2, "listed": true}', '{ "listed":true,\n"seats":2 }')
    headers = {"Idempotency-Key": KEY, "Content-Type": "application/json"}
    answers = [ann.ask("POST", "/games", data=text, headers=headers) for text in texts]
    assert answers[0].json == answers[1].json and count(Game) == 1


def test_the_answer_is_the_thing_as_it_is_now(ann: Person, bob: Person) -> None:
    game = asked(ann, "/games", {"seats": 3}).json["id"]
    bob.made(f"/games/{game}/seats")
    assert [player["name"] for player in asked(ann, "/games", {"seats": 3}).json["players"]] == ["Ann", "Bob"]


def test_another_body_with_the_same_key_is_refused(ann: Person) -> None:
    asked(ann, "/games", {"seats": 2})
    problem(asked(ann, "/games", {"seats": 3}), 422, "key-reused")
    assert count(Game) == 1


def test_a_key_belongs_to_one_account_and_one_path(ann: Person, bob: Person) -> None:
    mine, his = (asked(who, "/games", {"seats": 3}).json["id"] for who in (ann, bob))
    assert mine != his
    for game in (mine, his):
        answer = asked(bob if game == mine else ann, f"/games/{game}/seats")
        assert answer.status_code == 201 and "Idempotency-Replayed" not in answer.headers
    webhook = asked(ann, "/webhooks", {"url": "https://bot.example.org/"})
    assert webhook.status_code == 201 and "Idempotency-Replayed" not in webhook.headers


def test_without_a_key_every_request_makes_something(ann: Person) -> None:
    assert ann.made("/games", {"seats": 2})["id"] != ann.made("/games", {"seats": 2})["id"]
    assert count(Repetition) == 0


def test_a_seat_is_taken_once_by_the_same_request(ann: Person, bob: Person) -> None:
    game = ann.made("/games", {"seats": 3})["id"]
    first, again = asked(bob, f"/games/{game}/seats"), asked(bob, f"/games/{game}/seats", {})
    assert (first.status_code, again.status_code, first.json) == (201, 201, again.json)
    assert again.headers["Idempotency-Replayed"] == "true"
    problem(asked(bob, f"/games/{game}/seats", key="another"), 409, "already-seated")


def test_a_secret_is_shown_once(ann: Person) -> None:
    body = {"url": "https://bot.example.org/"}
    first, again = asked(ann, "/webhooks", body), asked(ann, "/webhooks", body)
    assert first.json["secret"].startswith("whsec_")
    assert again.json == {**first.json, "secret": None}
    assert again.headers["Cache-Control"] == "no-store"


def test_what_was_deleted_since_is_not_made_again(ann: Person) -> None:
    body = {"url": "https://bot.example.org/"}
    ann.ask("DELETE", f"/webhooks/{asked(ann, '/webhooks', body).json['id']}")
    problem(asked(ann, "/webhooks", body), 410, "made-and-gone")
    assert count(WebhookEndpoint) == 0


def test_what_failed_may_be_tried_again_with_the_same_key(ann: Person, bob: Person) -> None:
    bad, good = {"seats": 2, "options": {"deck": "none"}}, {"seats": 2}
    problem(asked(ann, "/games", bad), 422, "bad-option")
    assert asked(ann, "/games", good).status_code == 201


def test_a_key_is_forgotten_after_two_days(ann: Person) -> None:
    first = asked(ann, "/games", {"seats": 2}).json["id"]
    with transaction() as session:
        session.execute(update(Repetition).values(created_at=clock.now() - timedelta(hours=48)))
    second = asked(ann, "/games", {"seats": 3})
    assert second.json["id"] != first and "Idempotency-Replayed" not in second.headers
    assert asked(ann, "/games", {"seats": 3}).json["id"] == second.json["id"]


def test_the_nights_work_drops_what_is_older_and_nothing_else(ann: Person) -> None:
    asked(ann, "/games", {"seats": 2}, key="old")
    with transaction() as session:
        session.execute(update(Repetition).values(created_at=clock.now() - timedelta(hours=48)))
    asked(ann, "/games", {"seats": 2}, key="new")
    repeating.forget_expired()
    with reading() as session:
        assert session.scalars(select(Repetition.key)).all() == ["new"]


@on_one_database
@pytest.mark.parametrize("key", ["", "a" * 256, "schlüssel", "a\tb", "\x7f"])
def test_a_key_is_printable_ascii_and_not_too_long(key: str, ann: Person) -> None:
    refusal = problem(asked(ann, "/games", {"seats": 2}, key=key), 422, "invalid-header")
    assert refusal["errors"][0]["pointer"] == "/Idempotency-Key" and count(Game) == 0


@on_one_database
@pytest.mark.parametrize("key", ["1", "a" * 255, '"quoted"', "with spaces ~!"])
def test_any_other_key_will_do(key: str, ann: Person) -> None:
    answers = [asked(ann, "/games", {"seats": 2}, key=key).json["id"] for _ in range(2)]
    assert answers[0] == answers[1]


@on_one_database
def test_a_path_that_no_database_could_keep_is_unknown_with_a_key_too(ann: Person) -> None:
    for game in ("%00", "g_%ED%A0%80", "%FF"):
        problem(asked(ann, f"/games/{game}/seats"), 404, "unknown-game")


def at_once(number: int, ask: Callable[[], TestResponse]) -> list[TestResponse]:
    with ThreadPoolExecutor(number) as pool:
        return [one.result() for one in [pool.submit(ask) for _ in range(number)]]


def test_twenty_at_once_with_one_key_make_one_game(ann: Person) -> None:
    answers = at_once(20, lambda: asked(ann, "/games", {"seats": 2}))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json["id"] for answer in answers}) == 1 and count(Game) == 1
    assert sum("Idempotency-Replayed" not in answer.headers for answer in answers) == 1


def test_twenty_at_once_with_one_key_make_one_webhook(ann: Person) -> None:
    answers = at_once(20, lambda: asked(ann, "/webhooks", {"url": "https://bot.example.org/"}))
    assert {answer.status_code for answer in answers} == {201} and count(WebhookEndpoint) == 1
    assert sum(answer.json["secret"] is not None for answer in answers) == 1
