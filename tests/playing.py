"""People who use the API in a test: each with a token, and with the few calls that every story needs."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select
from werkzeug.test import TestResponse

from server.database import reading
from server.models import Delivery
from tests.promises import kept

numbers = itertools.count(1)

# For what is refused before the database is asked: one kind of database will do.
on_one_database = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@dataclass
class Person:
    """`token` None: a stranger without an account."""

    app: Flask
    token: str | None = None
    name: str = "nobody"

    def ask(self, verb: str, path: str, **how: Any) -> TestResponse:
        headers = dict(how.pop("headers", {}))
        if self.token is not None:
            headers.setdefault("Authorization", f"Bearer {self.token}")
        path = path if path.startswith("/v1") else f"/v1{path}"
        return kept(self.app, self.app.test_client().open(path, method=verb, headers=headers, **how))

    def get(self, path: str, **how: Any) -> TestResponse:
        return self.ask("GET", path, **how)

    def post(self, path: str, body: Any = None, **how: Any) -> TestResponse:
        return self.ask("POST", path, json=body, **how) if body is not None else self.ask("POST", path, **how)

    def made(self, path: str, body: Any = None) -> Any:
        """POST that has to succeed."""
        answer = self.post(path, body)
        assert answer.status_code in (200, 201, 202), answer.text
        return answer.json

    def seen(self, path: str) -> Any:
        """GET that has to succeed."""
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json

    def legal(self, game: str) -> list[str]:
        return [move["notation"] for move in self.seen(f"/games/{game}/legal-moves")["items"]]

    def owed(self) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self.seen("/me/decisions")["items"]
        return items


def code_sent_to(email: str) -> str:
    """Out of the newest mail that waits in the outbox for that address."""
    waiting = select(Delivery).where(Delivery.address == email.lower()).order_by(Delivery.created_at.desc()).limit(1)
    with reading() as session:
        return str(session.scalars(waiting).one().payload["code"])


def signed_in(app: Flask, name: str, email: str | None = None) -> Person:
    """A person with an account of that name."""
    email = email or f"{name.lower()}{next(numbers)}@example.org"
    stranger = Person(app)
    verification = stranger.made("/accounts", {"email": email})["verification"]
    proof = {"verification": verification, "code": code_sent_to(email), "name": name}
    return Person(app, stranger.made("/accounts/verification", proof)["token"], name)


def running_game(host: Person, *others: Person, **wishes: Any) -> str:
    """A game that has just begun, the host in seat A."""
    game: str = host.made("/games", {"seats": 1 + len(others), **wishes})["id"]
    for other in others:
        other.made(f"/games/{game}/seats")
    return game


def whose_turn(game: str, *players: Person) -> tuple[Person, int]:
    """The player who owes the open decision, and its number; seats are in the order of the players."""
    waiting = players[0].seen(f"/games/{game}")["waiting_for"]
    return players["ABCDEFGH".index(waiting["seat"])], waiting["decision"]


def problem(answer: TestResponse, status: int, code: str) -> dict[str, Any]:
    """The body of an answer that has to be this problem."""
    assert (answer.status_code, answer.content_type) == (status, "application/problem+json"), answer.text
    body: dict[str, Any] = answer.json
    assert (body["status"], body["code"]) == (status, code), body
    return body


def attack(game: str, hunter: Person, prey: Person) -> None:
    """Two play, the prey in seat A, until one of its animals was attacked, and it is not asked about it."""
    wishes = {"A": ("animal", "feed"), "B": (r"attack B\d+ A", r"play carnivorous\S* B", "animal", "feed")}
    for _ in range(400):
        player, number = whose_turn(game, prey, hunter)
        move = _preferred(player.legal(game), wishes["A" if player is prey else "B"])
        answer = player.made(f"/games/{game}/moves", {"decision": number, "move": move})
        attacked = "attacked" in [event["type"] for event in answer["events"]]
        if attacked and answer["next"] is not None and answer["next"]["seat"] == "B":
            return
    raise AssertionError("nobody was attacked")


def _preferred(moves: list[str], wishes: tuple[str, ...]) -> str:
    for wish in wishes:
        for move in moves:
            if re.match(wish, move):
                return move
    return moves[0]
