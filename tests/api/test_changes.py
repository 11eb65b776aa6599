"""What breaks a client, edit by edit; and that nothing does, since the last release."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from server.document import FILE, RELEASED
from server.document.changes import breaking

REF = "#/components/schemas/"
BEFORE: dict[str, Any] = {
    "paths": {
        "/games": {
            "parameters": [],
            "get": {
                "operationId": "list_games",
                "security": [{}, {"token": []}],
                "parameters": [
                    {"in": "query", "name": "limit", "schema": {"type": "integer", "minimum": 1, "maximum": 50, "default": 20}},
                    {"in": "query", "name": "status", "schema": {"type": "string", "enum": ["open", "over"]}},
                    {"in": "header", "name": "If-None-Match", "schema": {"type": "string"}},
                ],
                "responses": {
                    "200": {
                        "headers": {"ETag": {"schema": {"type": "string"}}},
                        "content": {"application/json": {"schema": {"$ref": REF + "GameList"}}},
                    },
                    "304": {},
                },
            },
            "post": {
                "operationId": "create_game",
                "security": [{"token": ["play"]}, {"token": ["admin"]}],
                "requestBody": {
                    "content": {
                        "application/json": {"schema": {"$ref": REF + "NewGame"}},
                        "text/plain": {"schema": {"type": "string"}},
                    }
                },
                "responses": {
                    "201": {"content": {"application/json": {"schema": {"$ref": REF + "Game"}}}},
                    "409": {"content": {"application/problem+json": {"schema": {"$ref": REF + "Problem"}}}},
                },
            },
        },
    },
    "webhooks": {
        "game.over": {
            "post": {
                "parameters": [{"in": "header", "name": "webhook-id", "required": True, "schema": {"type": "string"}}],
                "requestBody": {"content": {"application/json": {"schema": {"$ref": REF + "GameOver"}}}},
                "responses": {
                    "2XX": {"content": {"application/json": {"schema": {"$ref": REF + "PushAnswer"}}}},
                    "410": {},
                },
            }
        }
    },
    "components": {
        "schemas": {
            "NewGame": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "name": {"type": "string", "maxLength": 20},
                    "seats": {"type": "integer", "minimum": 2, "default": 2},
                    "pace": {"type": ["string", "null"]},
                    "start": {"type": "string", "enum": ["host", "automatic"]},
                    "options": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 9}},
                    "tags": {"type": "array", "maxItems": 5, "items": {"type": "string"}},
                    "move": {"oneOf": [{"type": "string"}, {"type": "object"}]},
                },
                "required": ["seats"],
            },
            "Game": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "seats": {"type": "integer"},
                    "made": {"type": "string", "format": "date-time"},
                    "winner": {"type": ["string", "null"]},
                    "host": {"description": "Who made it.", "allOf": [{"$ref": REF + "Player"}]},
                    "next": {"anyOf": [{"$ref": REF + "Player"}, {"type": "null"}]},
                    "scores": {"type": "object", "additionalProperties": {"type": "integer"}},
                    "kind": {"type": "string", "enum": ["a", "b"]},
                    "note": {"type": "string"},
                },
                "required": ["id", "seats", "made", "winner", "host", "next"],
            },
            "Player": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
            "GameList": {
                "type": "object",
                "properties": {"items": {"type": "array", "items": {"$ref": REF + "Game"}}},
                "required": ["items"],
            },
            "PushAnswer": {"type": "object", "properties": {"move": {"type": "string"}}, "additionalProperties": False},
            "GameOver": {"type": "object", "properties": {"game": {"type": "string"}}, "required": ["game"]},
            "Problem": {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]},
        },
        "securitySchemes": {"token": {"type": "http"}},
        "examples": {"no-free-seat": {}, "rate-limited": {}},
    },
}  # fmt: skip

Edit = Callable[[Any], Any]


class Draft:
    """A document to be changed, with short ways to its parts."""

    def __init__(self) -> None:
        self.all = copy.deepcopy(BEFORE)
        self.paths = self.all["paths"]
        self.list, self.create = self.paths["/games"]["get"], self.paths["/games"]["post"]
        self.limit, self.status, self.header = self.list["parameters"]
        self.schemas = self.all["components"]["schemas"]
        self.asked, self.answered = self.schemas["NewGame"], self.schemas["Game"]
        self.keys, self.facts = self.asked["properties"], self.answered["properties"]
        self.sent = self.all["webhooks"]["game.over"]["post"]

    def rename(self, old: str, new: str) -> None:
        self.schemas[new] = self.schemas.pop(old)
        self.all.update(json.loads(json.dumps(self.all).replace(f'"{REF}{old}"', f'"{REF}{new}"')))


BREAKING: dict[str, tuple[Edit, str]] = {
    "a path goes": (lambda d: d.paths.pop("/games"), "GET /games is gone"),
    "a path is renamed": (lambda d: d.paths.update({"/tables": d.paths.pop("/games")}), "POST /games is gone"),
    "an operation goes": (lambda d: d.paths["/games"].pop("post"), "POST /games is gone"),
    "an operationId changes": (lambda d: d.list.update(operationId="games"), "operationId was list_games"),
    "a parameter goes": (lambda d: d.list["parameters"].pop(0), "parameter query limit is gone"),
    "a header that is read goes": (lambda d: d.list["parameters"].pop(2), "parameter header if-none-match is gone"),
    "a parameter becomes required": (lambda d: d.limit.update(required=True), "query limit is required now"),
    "a required parameter is added": (
        lambda d: d.list["parameters"].append({"in": "query", "name": "x", "required": True, "schema": {}}),
        "query x is new and required",
    ),
    "a parameter is written in another way": (lambda d: d.status.update(explode=True), "explode was None, is True"),
    "a parameter's type changes": (lambda d: d.limit["schema"].update(type="string"), "integer is refused"),
    "a parameter's default changes": (lambda d: d.limit["schema"].update(default=50), "default was 20, is 50"),
    "a parameter's maximum sinks": (lambda d: d.limit["schema"].update(maximum=10), "maximum was 50, is 10"),
    "a parameter loses a word": (lambda d: d.status["schema"].update(enum=["open"]), "enum was 'open', 'over'"),
    "a body goes": (lambda d: d.create.pop("requestBody"), "the body is gone"),
    "a body becomes required": (lambda d: d.create["requestBody"].update(required=True), "body is required now"),
    "a body is asked for": (
        lambda d: d.list.update(requestBody={"required": True, "content": {}}),
        "GET /games: the body is required now",
    ),
    "a media type of a body goes": (
        lambda d: d.create["requestBody"]["content"].pop("text/plain"),
        "not taken as text/plain",
    ),
    "a key of a request goes": (lambda d: d.keys.pop("name"), "NewGame in requests, name: it is gone"),
    "a key of a request becomes required": (lambda d: d.asked["required"].append("name"), "name: it is required now"),
    "a required key is added": (
        lambda d: (d.keys.update(x={}), d.asked["required"].append("x")),
        "x: it is required now",
    ),
    "a request's type changes": (lambda d: d.keys["name"].update(type="integer"), "string is refused, not integer"),
    "null is refused": (lambda d: d.keys["pace"].update(type="string"), "pace: null is refused"),
    "one of two forms is refused": (lambda d: d.keys["move"]["oneOf"].pop(1), "move: object is refused"),
    "a text must be shorter": (lambda d: d.keys["name"].update(maxLength=10), "maxLength was 20, is 10"),
    "a text must be longer": (lambda d: d.keys["name"].update(minLength=3), "minLength was absent, is 3"),
    "a number must be greater": (lambda d: d.keys["seats"].update(minimum=3), "minimum was 2, is 3"),
    "a list must be shorter": (lambda d: d.keys["tags"].update(maxItems=4), "maxItems was 5, is 4"),
    "each of a list is narrower": (lambda d: d.keys["tags"]["items"].update(pattern="^a"), "tags, each: pattern was"),
    "a default changes": (lambda d: d.keys["seats"].update(default=4), "seats: default was 2, is 4"),
    "a word is refused": (lambda d: d.keys["start"].update(enum=["host"]), "start: enum was 'host', 'automatic'"),
    "any text becomes a list of words": (lambda d: d.keys["name"].update(enum=["x"]), "name: enum was anything"),
    "a form is asked for": (lambda d: d.keys["name"].update(format="email"), "name: format was absent, is email"),
    "further keys are refused": (
        lambda d: d.keys["options"].update(additionalProperties=False),
        "options: further keys are refused now",
    ),
    "further values are narrower": (
        lambda d: d.keys["options"]["additionalProperties"].update(maxLength=5),
        "options, each value: maxLength was 9, is 5",
    ),
    "a status goes": (lambda d: d.create["responses"].pop("201"), "status 201 is gone"),
    "the status of a problem goes": (lambda d: d.create["responses"].pop("409"), "status 409 is gone"),
    "a media type of an answer goes": (
        lambda d: d.create["responses"]["201"].update(content={"text/csv": {}}),
        "201: media type application/json is gone",
    ),
    "a header of an answer goes": (lambda d: d.list["responses"]["200"].pop("headers"), "header ETag is gone"),
    "a key of an answer goes": (lambda d: d.facts.pop("id"), "Game in answers, id: it is gone"),
    "a key that may come goes": (lambda d: d.facts.pop("note"), "Game in answers, note: it is gone"),
    "a key of an answer may be missing": (lambda d: d.answered["required"].remove("id"), "id: it may be missing now"),
    "an answer's type changes": (lambda d: d.facts["seats"].update(type="string"), "seats: string is new, not integer"),
    "a whole number may be a fraction": (lambda d: d.facts["seats"].update(type="number"), "seats: number is new"),
    "null may come": (lambda d: d.facts["seats"].update(type=["integer", "null"]), "seats: null is new"),
    "an object may be null": (
        lambda d: d.facts.update(host={"anyOf": [{"$ref": REF + "Player"}, {"type": "null"}]}),
        "host: null is new, not object",
    ),
    "a time is no time any more": (lambda d: d.facts["made"].pop("format"), "made: format was date-time, is absent"),
    "a closed list of an answer grows": (lambda d: d.facts["kind"]["enum"].append("c"), "kind: enum was 'a', 'b'"),
    "the values of a map change": (
        lambda d: d.facts["scores"]["additionalProperties"].update(type="string"),
        "scores, each value: string is new",
    ),
    "a list holds something else": (
        lambda d: d.schemas["GameList"]["properties"]["items"].update(items={"type": "string"}),
        "items, each: string is new, not object",
    ),
    "a key goes below allOf": (lambda d: d.schemas["Player"]["properties"].pop("name"), "host, name: it is gone"),
    "a token is needed": (lambda d: d.list["security"].pop(0), "no token is not enough any more"),
    "another scope is needed": (lambda d: d.create.update(security=[{"token": ["admin"]}]), "token (play) is not enough"),
    "two scopes are needed": (
        lambda d: d.create.update(security=[{"token": ["play", "admin"]}]),
        "token (play) is not enough",
    ),
    "a schema is renamed": (lambda d: d.rename("Game", "Table"), "schema Game is gone"),
    "a problem code goes": (lambda d: d.all["components"]["examples"].pop("no-free-seat"), "problem code no-free-seat"),
    "the way to sign goes": (lambda d: d.all["components"].pop("securitySchemes"), "security scheme token is gone"),
    "a webhook goes": (lambda d: d.all["webhooks"].clear(), "webhook game.over is gone"),
    "a header of a webhook goes": (lambda d: d.sent["parameters"].clear(), "webhook game.over: header webhook-id is gone"),
    "a webhook loses a key": (lambda d: d.schemas["GameOver"]["properties"].clear(), "GameOver in answers, game: it is"),
    "a key of an answer to a webhook is not understood any more": (
        lambda d: d.schemas["PushAnswer"]["properties"].clear(),
        "PushAnswer in requests, move: it is gone",
    ),
    "an answer to a webhook is not understood any more": (lambda d: d.sent["responses"].pop("410"), "answer 410 is gone"),
}  # fmt: skip

HARMLESS: dict[str, Edit] = {
    "nothing": lambda d: None,
    "a path": lambda d: d.paths.update({"/more": {"get": d.list | {"operationId": "more"}}}),
    "an operation": lambda d: d.paths["/games"].update(delete=d.list | {"operationId": "delete_games"}),
    "an optional parameter": lambda d: d.list["parameters"].append({"in": "query", "name": "x", "schema": {}}),
    "another order of parameters": lambda d: d.list["parameters"].reverse(),
    "a parameter of the whole path": lambda d: d.paths["/games"]["parameters"].append(d.list["parameters"].pop()),
    "a header in another case": lambda d: d.header.update(name="if-none-match"),
    "a word in a request": lambda d: d.status["schema"]["enum"].append("running"),
    "any word in a request": lambda d: d.status["schema"].pop("enum"),
    "a greater maximum": lambda d: d.limit["schema"].update(maximum=100),
    "no maximum": lambda d: d.limit["schema"].pop("maximum"),
    "a media type of a body": lambda d: d.create["requestBody"]["content"].update({"text/csv": {}}),
    "an optional body": lambda d: d.list.update(requestBody={"content": {"application/json": {}}}),
    "an optional key of a request": lambda d: d.keys.update(x={"type": "string"}),
    "a key of a request that is not required any more": lambda d: d.asked["required"].clear(),
    "a default where there was none": lambda d: d.keys["name"].update(default="x"),
    "null in a request": lambda d: d.keys["name"].update(type=["string", "null"]),
    "another form in a request": lambda d: d.keys.update(name={"oneOf": [d.keys["name"], {"type": "object"}]}),
    "fractions in a request": lambda d: d.keys["seats"].update(type="number"),
    "longer texts in a request": lambda d: d.keys["name"].update(maxLength=30),
    "longer lists in a request": lambda d: d.keys["tags"].pop("maxItems"),
    "further keys in a request": lambda d: d.asked.pop("additionalProperties"),
    "anything in a map of a request": lambda d: d.keys["options"].update(additionalProperties=True),
    "a status": lambda d: d.create["responses"].update({"200": d.create["responses"]["201"]}),
    "a problem": lambda d: d.create["responses"].update({"410": d.create["responses"]["409"]}),
    "a media type of an answer": lambda d: d.list["responses"]["200"]["content"].update({"text/csv": {}}),
    "a header of an answer": lambda d: d.list["responses"]["200"]["headers"].update({"Link": {}}),
    "a key of an answer": lambda d: d.facts.update(x={"type": "string"}),
    "a required key of an answer": lambda d: (d.facts.update(x={}), d.answered["required"].append("x")),
    "a key of an answer that always comes now": lambda d: d.answered["required"].append("note"),
    "null that does not come any more": lambda d: d.facts["winner"].update(type="string"),
    "an object that is not null any more": lambda d: d.facts.update(next={"$ref": REF + "Player"}),
    "whole numbers only": lambda d: d.facts["scores"]["additionalProperties"].update(minimum=0),
    "fewer words in an answer": lambda d: d.facts["kind"].update(enum=["a"]),
    "a form in an answer": lambda d: d.facts["note"].update(format="uri"),
    "a description": lambda d: d.facts["id"].update(description="Opaque.", examples=["g_1"]),
    "a summary and tags": lambda d: d.list.update(summary="Games", description="All of them.", tags=["lobby"]),
    "a reference in place of the thing": lambda d: d.facts.update(host={"$ref": REF + "Player"}),
    "a schema": lambda d: d.schemas.update(Table={"type": "object"}),
    "a problem code": lambda d: d.all["components"]["examples"].update({"table-full": {}}),
    "a scope that is enough": lambda d: d.create["security"].append({"token": ["bots"]}),
    "no token needed": lambda d: d.create.update(security=[]),
    "a webhook": lambda d: d.all["webhooks"].update({"ping": {"post": d.sent}}),
    "a header of a webhook": lambda d: d.sent["parameters"].append({"in": "header", "name": "x", "schema": {}}),
    "a key of an answer to a webhook": lambda d: d.schemas["PushAnswer"]["properties"].update(moves={"type": "array"}),
    "a key of a webhook": lambda d: d.schemas["GameOver"]["properties"].update(seat={"type": "string"}),
}  # fmt: skip


@pytest.mark.parametrize("what", BREAKING)
def test_this_breaks_a_client(what: str) -> None:
    edit, said = BREAKING[what]
    draft = Draft()
    edit(draft)
    broken = breaking(BEFORE, draft.all)
    assert any(said in sentence for sentence in broken), broken


@pytest.mark.parametrize("what", HARMLESS)
def test_this_is_growth(what: str) -> None:
    draft = Draft()
    HARMLESS[what](draft)
    assert what == "nothing" or draft.all != BEFORE
    assert breaking(BEFORE, draft.all) == []


def test_nothing_breaks_clients_of_the_last_release() -> None:
    released, present = (json.loads(file.read_text("utf-8")) for file in (RELEASED, FILE))
    assert breaking(released, present) == [], "openapi/README.md says what may change within /v1"


def test_every_operation_and_every_key_of_the_present_document_would_be_missed() -> None:
    present = json.loads(FILE.read_text("utf-8"))
    named = [(verb, path) for path, verbs in present["paths"].items() for verb in verbs if verb != "parameters"]
    gone = breaking(present, present | {"paths": {}})
    assert {f"{verb.upper()} {path} is gone" for verb, path in named} <= set(gone)
    for name, schema in present["components"]["schemas"].items():
        broken = breaking(present, _with_bare(present, name))
        missed = {sentence.rpartition(", ")[2] for sentence in broken}
        assert {f"{key}: it is gone" for key in schema.get("properties", {})} <= missed, name


def _with_bare(document: dict[str, Any], name: str) -> dict[str, Any]:
    """Without the properties of one schema."""
    schemas = document["components"]["schemas"]
    bare = {key: value for key, value in schemas[name].items() if key != "properties"}
    return document | {"components": {**document["components"], "schemas": {**schemas, name: bare}}}
