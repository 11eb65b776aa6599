"""A story that uses every operation once. With its chance and its clock fixed it tells the same each time, to the byte:
that is what the examples in openapi/examples are. `python -m tests.api.story` writes them anew.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch
from urllib.parse import urlencode

from flask import Flask
from werkzeug.test import TestResponse

from server.document import EXAMPLES, document
from tests.playing import Person, code_sent_to, signed_in, whose_turn

T = TypeVar("T")
BEGINNING = datetime(2027, 3, 1, 18, 30, tzinfo=UTC)


@contextmanager
def fixed() -> Iterator[None]:
    """Chance out of a counter, and a clock that goes a second whenever it is looked at."""
    draws, seconds = itertools.count(), itertools.count()

    def token_bytes(size: int) -> bytes:
        return hashlib.sha512(str(next(draws)).encode()).digest()[:size]

    def choice(of: Sequence[T]) -> T:
        return of[token_bytes(1)[0] % len(of)]

    def now() -> datetime:
        return BEGINNING + timedelta(seconds=next(seconds))

    with patch("secrets.token_bytes", token_bytes), patch("secrets.choice", choice), patch("server.clock.now", now):
        yield


class Teller:
    """Plays an operation as the document has it, and notes what was asked and what was answered."""

    def __init__(self, app: Flask) -> None:
        paths = document(app)["paths"]
        self.operations = {
            operation["operationId"]: (verb.upper(), path)
            for path, verbs in paths.items()
            for verb, operation in verbs.items()
            if isinstance(operation, dict)
        }
        self.examples: dict[str, dict[str, Any]] = {}

    def play(
        self,
        operation: str,
        who: Person,
        *,
        body: Any = None,
        query: dict[str, str] | None = None,
        at_most: int | None = None,
        **path: str,
    ) -> Any:
        """`at_most` items of every list are kept in the example; of a text, so many lines."""
        verb, template = self.operations[operation]
        address = re.sub(r"{(\w+)}", lambda name: path[name[1]], template) + (f"?{urlencode(query)}" if query else "")
        answer = who.ask(verb, address, **({} if body is None else {"json": body}))
        told = _told(answer)
        example = {
            "path": path,
            "query": query,
            "body": body,
            "status": answer.status_code,
            "answer": told if at_most is None else _shortened(told, at_most),
        }
        self.examples[operation] = {
            key: value for key, value in example.items() if value or key in ("status", "answer")
        }
        return told


def _told(answer: TestResponse) -> Any:
    if not answer.data:
        return None
    return answer.json if answer.is_json else answer.text


def _shortened(told: Any, at_most: int) -> Any:
    if isinstance(told, str):
        return "".join(told.splitlines(keepends=True)[:at_most])
    if isinstance(told, dict):
        return {key: value if isinstance(value, str) else _shortened(value, at_most) for key, value in told.items()}
    return [_shortened(item, at_most) for item in told[:at_most]] if isinstance(told, list) else told


def tell(app: Flask) -> dict[str, dict[str, Any]]:
    """Every operation's example, by operationId."""
    signed_in(app, "Zoe")  # whatever is drawn once a process is drawn by now
    with fixed():
        teller = Teller(app)
        nobody = Person(app)
        for sign in ("get_entry", "get_health", "list_problems"):
            teller.play(sign, nobody)
        teller.play("get_ready", nobody)
        ann, bob = _sign_in(teller, nobody), signed_in(app, "Bob", "bob@example.org")
        game = _meet(teller, ann, bob, nobody)
        _play(teller, game, ann, bob)
        _start_another(teller, ann, bob)
        _prove_that_it_was_fair(teller, ann, bob)
        _be_told_by_machine(teller, ann)
    return teller.examples


def _sign_in(teller: Teller, nobody: Person) -> Person:
    started = teller.play("start_sign_in", nobody, body={"email": "ann@example.org", "language": "en"})
    proof = {"verification": started["verification"], "code": code_sent_to("ann@example.org"), "name": "Ann"}
    ann = Person(nobody.app, teller.play("finish_sign_in", nobody, body=proof)["token"], "Ann")
    teller.play("get_me", ann)
    return ann


def _meet(teller: Teller, ann: Person, bob: Person, nobody: Person) -> str:
    game: str = teller.play(
        "create_game", ann, body={"seats": 2, "options": {"deck": "classic"}, "spectators": "public"}
    )["id"]
    teller.play("list_games", nobody, query={"open": "true", "limit": "10"})
    teller.play("get_game", nobody, game_id=game)
    bob.made(f"/games/{game}/seats")
    return game


def _play(teller: Teller, game: str, ann: Person, bob: Person) -> None:
    for _ in range(5):  # so that something lies on the table
        player, number = whose_turn(game, ann, bob)
        player.made(f"/games/{game}/moves", {"decision": number, "move": player.legal(game)[0]})
    player, _ = whose_turn(game, ann, bob)
    (owed,) = teller.play("list_my_decisions", player)["items"]
    legal = teller.play("list_legal_moves", player, game_id=game)["items"]
    teller.play("play_move", player, game_id=game, body={"decision": owed["decision"], "move": legal[-2]["notation"]})
    teller.play("get_view", player, game_id=game)
    teller.play("list_events", player, game_id=game, query={"after": "1", "limit": "5"})


def _start_another(teller: Teller, ann: Person, bob: Person) -> None:
    game = ann.made("/games", {"seats": 4, "start": "host"})["id"]
    bob.made(f"/games/{game}/seats")
    teller.play("start_game", ann, game_id=game)


def _prove_that_it_was_fair(teller: Teller, ann: Person, bob: Person) -> None:
    entropy = {name: hashlib.sha256(name.encode()).hexdigest() for name in ("of Ann", "of Bob")}
    commitments = [{"entropy_commitment": hashlib.sha256(text.encode()).hexdigest()} for text in entropy.values()]
    game = ann.made("/games", {"seats": 2, **commitments[0]})["id"]
    teller.play("join_game", bob, body=commitments[1], game_id=game)
    ann.made(f"/games/{game}/seats/me/entropy", {"entropy": entropy["of Ann"]})
    waiting = teller.play("reveal_entropy", bob, body={"entropy": entropy["of Bob"]}, game_id=game)["waiting_for"]
    while waiting is not None:
        player = ann if waiting["seat"] == "A" else bob
        legal = player.legal(game)
        answer = {"decision": waiting["decision"], "move": legal[len(legal) // 2]}
        waiting = player.made(f"/games/{game}/moves", answer)["next"]
    teller.play("get_fairness", ann, game_id=game)
    teller.play("get_record", ann, at_most=3, game_id=game)
    teller.play("get_record_text", ann, at_most=60, game_id=game)


def _be_told_by_machine(teller: Teller, ann: Person) -> None:
    wish = {"url": "https://bot.example.org/galapost", "types": ["turn.opened", "game.over"]}
    webhook = teller.play("create_webhook", ann, body=wish)["id"]
    teller.play("list_webhooks", ann)
    teller.play("delete_webhook", ann, webhook_id=webhook)


def as_text(example: dict[str, Any]) -> str:
    return json.dumps(example, indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    from server import create_app, kicking, migrate
    from server.config import Settings

    with tempfile.TemporaryDirectory() as home, patch.object(kicking, "kick", lambda: None):
        os.environ |= {
            "GALAPOST_HOME": home,
            "GALAPOST_DATABASE": f"sqlite:///{Path(home)}/galapost.db",
            "GALAPOST_BROKER": "redis://127.0.0.1:1",
        }
        migrate.upgrade(Settings.from_env().database)
        for operation, example in tell(create_app()).items():
            (EXAMPLES / f"{operation}.json").write_text(as_text(example), "utf-8")


if __name__ == "__main__":
    main()
