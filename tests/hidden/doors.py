"""Everything that one can ask the server about a game and get an answer to, the refusals too."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from flask import Flask
from sqlalchemy import select
from werkzeug.test import TestResponse

from engine import asked
from server import models
from server.config import Settings
from server.database import reading
from server.services import letters, notifying
from tests.hidden.looks import answer, tries
from tests.hidden.tables import NOW, Table
from tests.hidden.twins import Viewer
from tests.playing import Person

# Doors behind which there is no game, or which tell of the machine and not of the games.
WITHOUT_GAMES = {"/v1/docs", "/v1/docs/", "/v1/docs/<path:path>", "/v1/ready", "/v1/openapi.json"}
QUERIES = {
    "/v1/games": ("", "?mine=true", "?my_turn=true", "?status=running&limit=1", "?limit=x", "?wish=1"),
    "/v1/games/<string:game_id>/events": ("", "?limit=500", "?after=7&limit=3", "?after=-1", "?after=99999"),
}


@dataclass(frozen=True)
class Seen:
    """All of an answer but the time of day."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def rules(app: Flask) -> list[str]:
    """The doors that are opened with GET."""
    found = {rule.rule for rule in app.url_map.iter_rules() if "GET" in (rule.methods or ())}
    return sorted(found - WITHOUT_GAMES)


def paths(app: Flask, game: str) -> list[str]:
    return [rule.replace("<string:game_id>", game) + query for rule in rules(app) for query in QUERIES.get(rule, ("",))]


def seen(answer: TestResponse) -> Seen:
    headers = sorted((name, value) for name, value in answer.headers.items() if name != "Date")
    return Seen(answer.status_code, tuple(headers), answer.data)


def every_look(viewer: Person, game: str) -> Iterator[tuple[str, Seen]]:
    """What is behind each door, asked for once and once more; and ways of asking that are not GET."""
    for path in paths(viewer.app, game):
        answer = viewer.get(path)
        yield path, seen(answer)
        if etag := answer.headers.get("ETag"):
            yield f"{path} again", seen(viewer.get(path, headers={"If-None-Match": etag}))
    view = f"/games/{game}/view"
    for verb in ("HEAD", "OPTIONS", "DELETE"):
        yield verb, seen(viewer.ask(verb, view))
    yield "in Russian", seen(viewer.get(view, headers={"Accept-Language": "ru"}))
    yield "nowhere", seen(viewer.get(f"/games/{game}/hands"))


def every_refusal(viewer: Person, seat: Viewer, table: Table, tried: random.Random) -> Iterator[tuple[str, Seen]]:
    """Answers that are not taken: impossible moves of whoever is asked, any moves of the others, and what is no answer."""
    moves = f"/games/{table.id}/moves"
    for number, given in _refused(seat, table, tried):
        yield f"{number}: {given}", seen(viewer.post(moves, {"decision": number, "move": given}))
    for body in (b"{", b"null", b'{"decision": 1, "decision": 2}', b'{"move": 1, "hand": 2}'):
        yield str(body), seen(viewer.ask("POST", moves, data=body, content_type="application/json"))
    for path in ("seats", "start"):
        yield path, seen(viewer.post(f"/games/{table.id}/{path}"))


def _refused(seat: Viewer, table: Table, tried: random.Random) -> Iterator[tuple[int, Any]]:
    """Decisions and answers to them. One's own earlier decisions are another matter: they get their first response."""
    some = tried.sample([*tries(table.state)], 30)
    if seat == asked(table.state):
        some = [given for given in some if answer(table.state, given)[0] != "read"]
    for given in some[:8]:
        yield table.decision, given
    yield table.decision + 1, some[0]
    yield 0, some[0]
    for number in [number for number, past in enumerate(table.past, 1) if past.seat != seat][-2:]:
        yield number, "pass"


def every_notice(account: str, settings: Settings) -> Iterator[tuple[str, str]]:
    """The mails and webhooks that wait for that account, as they would be sent; without the ids drawn by lot."""
    with reading() as session:
        waiting = select(models.Delivery).where(models.Delivery.account_id == account, models.Delivery.state == "due")
        for row in session.scalars(waiting.order_by(models.Delivery.dedupe_key)):
            if notifying.untrue(session, row, NOW):
                continue  # as the workers do: a notice of a decision that is no longer open is not even written
            body = (row.payload or {}).get("body") or letters.write(session, row, settings, NOW)
            yield row.dedupe_key, body.replace(row.message_id, "an id")
