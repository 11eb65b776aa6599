"""The published document: fresh, valid, complete, and true."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from server import create_app, database
from server.config import Settings
from server.document import FILE, document, examples, text
from server.errors import PROBLEMS
from tests.api import story
from tests.playing import Person, on_one_database, running_game, signed_in

VERBS = ("get", "post", "put", "patch", "delete")


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """It depends on no database, so one app will do."""
    made = document(create_app(Settings.from_env({"GALAPOST_HOME": str(tmp_path_factory.mktemp("home"))})))
    database.disconnect()
    return made


def operations(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in spec["paths"].values():
        yield from (path[verb] for verb in VERBS if verb in path)


def test_the_committed_document_is_the_one_that_the_code_makes(app: Flask) -> None:
    assert FILE.read_text("utf-8") == text(app), "run `python -m server.document`"


def test_the_examples_are_what_the_server_really_answers(app: Flask) -> None:
    assert story.tell(app) == examples(), (
        "run `python -m tests.api.story`, look at what changed, then `python -m server.document`"
    )


def test_every_operation_has_its_example(spec: dict[str, Any]) -> None:
    assert {operation["operationId"] for operation in operations(spec)} == set(examples())
    for operation in operations(spec):
        bodies = [operation["requestBody"]] if operation.get("requestBody", {}).get("required") else []
        bodies += [
            response
            for status, response in operation["responses"].items()
            if status in ("200", "201", "202") and "headers" not in response
        ]
        assert all("example" in body["content"]["application/json"] for body in bodies), operation["operationId"]


def test_the_document_is_openapi_3_1(spec: dict[str, Any]) -> None:
    assert spec["openapi"].startswith("3.1")
    validate(spec)


def test_every_operation_says_what_it_is(spec: dict[str, Any]) -> None:
    ids = [operation["operationId"] for operation in operations(spec)]
    assert len(ids) == len(set(ids)) >= 20
    for operation in operations(spec):
        assert operation["summary"] and operation["tags"] and "security" in operation


def test_every_error_is_listed_as_a_problem_and_there_is_no_default(spec: dict[str, Any]) -> None:
    codes = {problem.code for problem in PROBLEMS.values()}
    for operation in operations(spec):
        assert "default" not in operation["responses"] and {"422", "500", "503"} <= set(operation["responses"])
        for status, response in operation["responses"].items():
            if int(status) >= 400:
                assert list(response["content"]) == ["application/problem+json"]
                assert set(response["description"].split("`")[1::2]) <= codes


def references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        yield from ([part["$ref"].rpartition("/")[2]] if "$ref" in part else [])
        part = list(part.values())
    for below in part if isinstance(part, list) else ():
        yield from references(below)


def reachable(spec: dict[str, Any], parts: list[Any]) -> set[str]:
    """Names of all schemas that these parts of the document lead to."""
    found: set[str] = set()
    ahead = {name for part in parts for name in references(part)}
    while ahead - found:
        found |= ahead
        ahead = {name for part in found for name in references(spec["components"]["schemas"][part])}
    return found


def test_answers_are_open_and_requests_are_closed(spec: dict[str, Any]) -> None:
    schemas = spec["components"]["schemas"]
    answered = reachable(spec, [operation["responses"] for operation in operations(spec)])
    asked = reachable(spec, [operation.get("requestBody") for operation in operations(spec)])
    assert answered and asked
    for name in answered:
        assert schemas[name].get("additionalProperties") is not False, name
        assert not any("enum" in field for field in schemas[name]["properties"].values()), name
    assert all(schemas[name]["additionalProperties"] is False for name in asked)


@pytest.mark.parametrize("name", sorted(examples()))
def test_an_example_is_what_the_document_promises(name: str, spec: dict[str, Any]) -> None:
    example = examples()[name]
    operation = next(operation for operation in operations(spec) if operation["operationId"] == name)
    if "body" in example:
        check(spec, operation["requestBody"]["content"]["application/json"]["schema"], example["body"])
    if example["answer"] is not None:
        (content,) = operation["responses"][str(example["status"])]["content"].values()
        check(spec, content["schema"], example["answer"])


@on_one_database
def test_whatever_a_game_shows_is_what_the_document_promises(app: Flask, spec: dict[str, Any]) -> None:
    """To players and spectators, through all phases: parts of the answers come ready from the engine."""
    dice = random.Random(7)
    players = [signed_in(app, name) for name in ("Ada", "Ben")]
    game = running_game(*players, spectators="public")
    schemas = {
        name: {"$ref": f"#/components/schemas/{name}"} for name in ("View", "EventList", "LegalMoveList", "MoveAnswer")
    }
    kinds = set()
    while (waiting := players[0].seen(f"/games/{game}")["waiting_for"]) is not None:
        player = players["AB".index(waiting["seat"])]
        kinds.add(waiting["kind"])
        legal = player.seen(f"/games/{game}/legal-moves")
        check(spec, schemas["LegalMoveList"], legal)
        answer = {"decision": waiting["decision"], "move": dice.choice(legal["items"])["move"]}
        check(spec, schemas["MoveAnswer"], player.made(f"/games/{game}/moves", answer))
        check(spec, schemas["View"], Person(app).seen(f"/games/{game}/view"))
    for who in (*players, Person(app)):
        check(spec, schemas["EventList"], who.seen(f"/games/{game}/events?limit=500"))
        check(spec, schemas["View"], who.seen(f"/games/{game}/view"))
    assert {"develop", "feed"} <= kinds


def check(spec: dict[str, Any], schema: dict[str, Any], value: Any) -> None:
    Draft202012Validator({**schema, "components": spec["components"]}).validate(value)


def test_a_problem_is_what_the_document_promises(app: Flask, spec: dict[str, Any]) -> None:
    nobody = Person(app)
    for answer in (nobody.get("/nothing"), nobody.post("/accounts", {"x": 1}), nobody.get("/me")):
        check(spec, {"$ref": "#/components/schemas/Problem"}, answer.json)


def test_it_is_served_with_its_pages_and_nothing_comes_from_outside(app: Flask) -> None:
    nobody = Person(app)
    served = nobody.seen("/openapi.json")
    assert served["servers"] == [{"url": "http://127.0.0.1:8000"}] and served["paths"] == document(app)["paths"]
    page = nobody.get("/docs/")
    assert page.status_code == 200 and b"//unpkg" not in page.data and b"cdn." not in page.data
    for file in ("swagger-ui-bundle.js", "swagger-ui.css"):
        assert nobody.get(f"/docs/{file}").status_code == 200
