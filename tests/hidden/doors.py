"""Everything that one can ask the server about a game and get an answer to, the refusals too."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_string
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
from tests.hidden.tables import KEY, NOW, Table
from tests.hidden.twins import Viewer
from tests.playing import Person

# Doors that tell of the server and its rules, whatever games there are: a test sees to it that they do.
WITHOUT_GAMES = {
    *("/", "/v1", "/v1/", "/v1/health", "/v1/ready", "/v1/problems", "/v1/rules", "/v1/rules/<string:rule_set>"),
    *("/v1/openapi.json", "/v1/docs", "/v1/docs/", "/v1/docs/<path:path>"),
}
PLAYER = "Ben"  # whose profile is looked at
NOBODYS = "a" * 26
DRAWN_BY_LOT = re.compile(rb"(?:dl|msg|l)_[a-z2-7]{26}|<[a-z2-7]{26}@[^>]*>")  # what notices and letters bear
BY_LOT = re.compile(r"(?<![a-z2-7])[a-z2-7]{26}(?![a-z2-7])")  # the tokens in a mail, and the lines between its parts
QUERIES = {
    "/v1/me/decisions": ("", "?after=x"),
    "/v1/me/events": ("", "?after=1&limit=1"),
    "/v1/games": ("", "?mine=true", "?my_turn=true", "?status=running&limit=1"),
    "/v1/games/<string:game_id>/view": ("", "?at=0", "?at=99999"),
    "/v1/games/<string:game_id>/view.png": ("?width=320",),  # the smallest: each is drawn
    "/v1/games/<string:game_id>/moves": ("?limit=500", "?after=7&limit=3", "?after=-1"),
    "/v1/games/<string:game_id>/events": ("?limit=500", "?after=7&limit=3", "?after=-1"),
}
OTHER_WAYS: tuple[tuple[str, str, Any], ...] = (  # of asking than GET; to others none of them changes the game
    *(("HEAD", "view", None), ("OPTIONS", "view", None), ("DELETE", "view", None), ("GET", "hands", None)),
    *(("PATCH", "", {}), ("DELETE", "", None), ("POST", "start", None), ("POST", "rematch", None)),
    *(("POST", "seats", None), ("DELETE", "seats/B", None), ("DELETE", "seats/me", None)),
    *(("POST", "invitations", {}), ("DELETE", "cancellation", None), ("POST", "messages", {"text": ""})),
    *(("PUT", "notifications", {}), ("POST", "seats/me/entropy", {"entropy": "x"})),
    ("PUT", "orders", {"lines": ["play running H9, pass", "defend mimic H9", "scavenge H9"]}),  # which never act
    ("PATCH", "orders", {"lines": ["stop when bank below 3", "all cards"]}),
)


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


def signs(game: str, account: str | None) -> dict[str, str]:
    """What stands in the paths: things of the viewer's own where he has any, and the bot, which may sit in the game."""
    own = select(models.WebhookEndpoint.id).where(models.WebhookEndpoint.account_id == account)
    with reading() as session:
        webhook = session.scalar(own.order_by(models.WebhookEndpoint.id).limit(1))
        bot = session.scalar(select(models.Bot.account_id).limit(1))
    return {
        "<string:game_id>": game,
        "<string:name>": PLAYER,
        "<string:webhook_id>": webhook or f"wh_{NOBODYS}",
        "<string:bot_id>": bot or f"u_{NOBODYS}",
        "<string:token>": KEY,
    }


def paths(app: Flask, signs: dict[str, str]) -> list[tuple[str, str]]:
    """Each rule with what it is asked for."""
    return [(rule, filled(rule, signs) + query) for rule in rules(app) for query in QUERIES.get(rule, ("",))]


def filled(rule: str, signs: dict[str, str]) -> str:
    for sign, thing in signs.items():
        rule = rule.replace(sign, thing)
    return rule


def seen(answer: TestResponse) -> Seen:
    headers = sorted((name, value) for name, value in answer.headers.items() if name != "Date")
    return Seen(answer.status_code, tuple(headers), _less_lots(DRAWN_BY_LOT.sub(b"an id", answer.data)))


def _less_lots(body: bytes) -> bytes:
    """Notices of the same moment come in the order of their ids."""
    items = re.fullmatch(rb'({"items":\[)({"id":"an id".*})(\],"next_cursor":null}\n?)', body, re.DOTALL)
    if items is None:
        return body
    return items[1] + b",".join(sorted(re.split(rb',(?={"id":"an id")', items[2]))) + items[3]


def every_look(viewer: Person, game: str, account: str | None, language: str = "en") -> Iterator[tuple[str, Seen]]:
    """What is behind each door."""
    for _, path in paths(viewer.app, signs(game, account)):
        yield path, seen(viewer.get(path, headers={"Accept-Language": language}))


def every_look_at_the_game(viewer: Person, game: str) -> Iterator[tuple[str, Seen]]:
    """What is behind each door of a game, and what is answered to whoever has that already."""
    for rule, path in paths(viewer.app, signs(game, None)):
        if "<string:game_id>" in rule:
            answer = viewer.get(path)
            yield path, seen(answer)
            if etag := answer.headers.get("ETag"):
                yield f"{path} again", seen(viewer.get(path, headers={"If-None-Match": etag}))


def every_refusal(viewer: Person, seat: Viewer, table: Table, tried: random.Random) -> Iterator[tuple[str, Seen]]:
    """Answers that are not taken: impossible moves of whoever is asked, any moves of the others, and what is no answer."""
    moves = f"/games/{table.id}/moves"
    for number, given in _refused(seat, table, tried):
        body = {"decision": number, "move": given} | ({"dry_run": True} if tried.random() < 0.3 else {})
        yield f"{body}", seen(viewer.post(moves, body))
    for text in (b"{", b"null", b'{"decision": 1, "decision": 2}', b'{"move": 1, "hand": 2}'):
        yield str(text), seen(viewer.ask("POST", moves, data=text, content_type="application/json"))
    for verb, path, body in OTHER_WAYS:
        how = {} if body is None else {"json": body}
        yield f"{verb} {path}", seen(viewer.ask(verb, f"/games/{table.id}/{path}".rstrip("/"), **how))


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
    """The mails and webhooks for that account, as they would be sent and read; without what is drawn by lot."""
    with reading() as session:
        mine = select(models.Delivery).where(models.Delivery.account_id == account)
        for row in session.scalars(mine.order_by(models.Delivery.dedupe_key)):
            if row.channel == "webhook":  # written when it was promised; it may have gone out at once
                yield row.dedupe_key, without_lots(str((row.payload or {})["body"]), row)
            elif row.state == "due" and not notifying.untrue(
                session, row, NOW
            ):  # as the workers do: else it is not written
                written = letters.write(session, row, settings, NOW).mail
                yield BY_LOT.sub("by lot", row.dedupe_key), without_lots(written, row)


def without_lots(body: str, row: models.Delivery) -> str:
    """What was sent, or would be, as it is read."""
    text = read(body) if row.channel == "email" else body
    return BY_LOT.sub("by lot", text.replace(row.message_id, "an id"))


def read(mail: str) -> str:
    """As a mail reader has it: the headers, and each part decoded, the picture byte by byte."""
    letter = message_from_string(mail)
    parts = [part.get_payload(decode=True) for part in letter.walk() if not part.is_multipart()]
    shown = [bytes(part).decode("utf-8" if not bytes(part).startswith(b"\x89PNG") else "latin-1") for part in parts]
    return "\n\n".join((mail.partition("\n\n")[0], *shown))
