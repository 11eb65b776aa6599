"""The published document: fresh, valid, complete, and as it promises to be."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from flask import Flask
from openapi_spec_validator import validate

from server import create_app, database, links, waking
from server.config import Settings
from server.document import FILE, document, text
from server.document.narrowing import followed
from server.document.next_steps import STEPS
from server.document.tags import CHAPTERS
from server.errors import PROBLEMS
from server.schemas.notices import NOTICES
from tests.api import documents
from tests.api.documents import bodies, check, component, notices, operations, parameters, schemas
from tests.playing import Person, on_one_database, running_game, signed_in

SELF_EVIDENT = ("get", "list")  # what an operation that only looks is called: its summary may say all
FAR = "https://example.org/play"
OUTSIDE = r"[\"'`(]\s*(?:https?:)?//(?!127\.0\.0\.1)[\w.]+"


@on_one_database
def test_the_committed_document_is_the_one_that_the_code_makes(app: Flask) -> None:
    assert FILE.read_text("utf-8") == text(app), "run `python -m server.document`"


def test_the_document_is_openapi_3_1(spec: dict[str, Any]) -> None:
    assert spec["openapi"].startswith("3.1")
    validate(spec)


def test_it_says_where_and_how_and_names_nobody_outside(spec: dict[str, Any]) -> None:
    assert spec["servers"] and spec["security"] == [{"token": []}] and spec["info"]["license"]["name"] == "MIT"
    assert "externalDocs" not in spec and "contact" not in spec["info"]


def test_every_operation_says_what_it_is(spec: dict[str, Any]) -> None:
    every = [*operations(spec), *notices(spec)]
    ids = [operation["operationId"] for operation in every]
    assert len(ids) == len(set(ids)) >= 70
    for operation in every:
        assert operation["summary"] and "security" in operation, operation["operationId"]
        assert operation.get("description") or operation["operationId"].startswith(SELF_EVIDENT), operation


def test_the_tags_are_chapters_in_reading_order(spec: dict[str, Any]) -> None:
    used = {tag for operation in (*operations(spec), *notices(spec)) for tag in operation["tags"]}
    assert all(len(operation["tags"]) == 1 for operation in operations(spec))
    assert [tag["name"] for tag in spec["tags"]] == [name for name in CHAPTERS if name in used]
    assert used <= set(CHAPTERS), "server/document/tags.py names the chapters"
    assert all(tag["description"] for tag in spec["tags"])


def test_every_schema_every_property_and_every_parameter_is_described(spec: dict[str, Any]) -> None:
    components = spec["components"]["schemas"]
    assert not [name for name, schema in components.items() if not schema.get("description")]
    said = {name: _properties_without_a_word(components, schema) for name, schema in components.items()}
    assert not {name: properties for name, properties in said.items() if properties}
    for parameter in parameters(spec):
        assert parameter.get("description"), parameter
    assert all(header["description"] for header in documents.headers(spec))


def _properties_without_a_word(components: dict[str, Any], schema: dict[str, Any]) -> list[str]:
    """What only refers is described where it refers to."""
    return [
        name
        for name, about in schema.get("properties", {}).items()
        if not about.get("description") and "$ref" not in about and "$ref" not in about.get("items", {})
    ]


def test_every_error_is_listed_as_a_problem_and_there_is_no_default(spec: dict[str, Any]) -> None:
    codes = {problem.code for problem in PROBLEMS.values()}
    for operation in operations(spec):
        assert "default" not in operation["responses"] and {"422", "500", "503"} <= set(operation["responses"])
        for status, response in operation["responses"].items():
            if int(status) >= 400:
                ((media_type, content),) = response["content"].items()
                assert media_type == "application/problem+json" and content["schema"] == component("Problem")
                assert set(content["examples"]) == set(response["description"].split("`")[1::2]) <= codes


def test_the_list_of_problems_is_closed(spec: dict[str, Any]) -> None:
    assert set(spec["components"]["examples"]) == {problem.code for problem in PROBLEMS.values()}


def test_answers_are_open_and_requests_are_closed(spec: dict[str, Any]) -> None:
    asked = list(schemas(spec, list(bodies(spec))))
    answered = list(schemas(spec, list(documents.answers(spec))))
    assert len(asked) > 30 and len(answered) > 200
    for name, schema in answered:
        assert schema.get("additionalProperties") is not False, f"{name} is closed"
        assert "enum" not in schema and "const" not in schema, f"a word of {name} can't grow"
    for name, schema in asked:
        a_map = isinstance(schema.get("additionalProperties"), dict) and "properties" not in schema
        assert schema.get("type") != "object" or a_map or schema["additionalProperties"] is False, f"{name} is open"


def test_no_schema_is_made_up_where_it_is_used(spec: dict[str, Any]) -> None:
    """Generated clients give a name to each: an object is a component, or a map."""
    every = [*bodies(spec), *documents.answers(spec)]
    for content in every:
        assert "properties" not in content["schema"]
    components = spec["components"]["schemas"]
    for name, schema in schemas(spec, every):
        assert "properties" not in schema or schema is components[name], name


def test_a_link_leads_to_an_operation_and_asks_for_what_there_is(spec: dict[str, Any]) -> None:
    by_name = {operation["operationId"]: operation for operation in operations(spec)}
    links = [
        (by_name[name]["responses"][status]["content"]["application/json"]["schema"], link)
        for name, (status, _) in STEPS.items()
        for link in by_name[name]["responses"][status]["links"].values()
    ]
    assert len(links) > 10
    for answer, link in links:
        _, template = next(
            (verbs, path) for path, verbs in spec["paths"].items() if by_name[link["operationId"]] in verbs.values()
        )
        assert set(re.findall(r"{(\w+)}", template)) == set(link.get("parameters", {})), link
        for expression in (*link.get("parameters", {}).values(), *link.get("requestBody", {}).values()):
            assert expression == "$request.path.game_id" or _leads_somewhere(spec, answer, expression), expression


def _leads_somewhere(spec: dict[str, Any], schema: dict[str, Any], expression: str) -> bool:
    for step in expression.removeprefix("$response.body#/").split("/"):
        schema = followed(spec, schema)
        schema = schema["items"] if step == "0" else schema["properties"].get(step, {})
    return bool(schema)


def test_what_was_made_and_can_be_read_says_where(spec: dict[str, Any]) -> None:
    """An invitation does not: what it is read by is its token, and headers stand in the logs of proxies."""
    read = {_answered(about["get"], "200") for path, about in spec["paths"].items() if "get" in about and "{" in path}
    made = {operation["operationId"]: operation for operation in operations(spec) if "201" in operation["responses"]}
    readable = {name for name, about in made.items() if _answered(about, "201").removesuffix("WithSecret") in read}
    located = {name for name, about in made.items() if "Location" in about["responses"]["201"]["headers"]}
    assert located == readable >= {"create_game", "join_game", "create_webhook"}


def _answered(operation: dict[str, Any], status: str) -> str:
    content = operation["responses"][status]["content"].get("application/json", {"schema": {}})
    return str(content["schema"].get("$ref", "")).rpartition("/")[2]


def test_every_type_of_notice_is_published(spec: dict[str, Any]) -> None:
    assert set(spec["webhooks"]) == set(NOTICES)
    for notice in notices(spec):
        assert [header["name"] for header in notice["parameters"]] == [
            *("webhook-id", "webhook-timestamp", "webhook-signature"),
        ]
        assert "$ref" in notice["requestBody"]["content"]["application/json"]["schema"]


@on_one_database
def test_whatever_a_game_shows_is_what_the_document_promises(app: Flask, spec: dict[str, Any]) -> None:
    """To players and spectators, through all phases: parts of the answers come ready from the engine."""
    dice = random.Random(7)
    players = [signed_in(app, name) for name in ("Ada", "Ben")]
    game = running_game(*players, spectators="public")
    kinds = set()
    while (waiting := players[0].seen(f"/games/{game}")["waiting_for"]) is not None:
        player = players["AB".index(waiting["seat"])]
        kinds.add(waiting["kind"])
        legal = player.seen(f"/games/{game}/legal-moves")
        check(spec, component("LegalMoveList"), legal)
        answer = {"decision": waiting["decision"], "move": dice.choice(legal["items"])["move"]}
        check(spec, component("NewMove"), answer)
        check(spec, component("MoveAnswer"), player.made(f"/games/{game}/moves", answer))
        check(spec, component("View"), Person(app).seen(f"/games/{game}/view"))
    for who in (*players, Person(app)):
        check(spec, component("EventList"), who.seen(f"/games/{game}/events?limit=500"))
        check(spec, component("View"), who.seen(f"/games/{game}/view"))
    assert {"develop", "feed"} <= kinds


@on_one_database
def test_it_is_served_with_the_address_of_the_server(app: Flask) -> None:
    served = Person(app).seen("/openapi.json")
    assert [server["url"] for server in served["servers"]] == ["http://127.0.0.1:8000"]
    assert served["paths"] == document(app)["paths"]


@on_one_database
def test_who_has_it_does_not_get_it_again(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    nobody = Person(app)
    first = nobody.get("/openapi.json")
    tag = first.headers["ETag"]
    assert not tag.startswith("W/") and first.content_type == "application/json"
    for known in (tag, f"W/{tag}", f'"other", {tag}'):
        again = nobody.get("/openapi.json", headers={"If-None-Match": known})
        assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
    assert nobody.get("/openapi.json", headers={"If-None-Match": '"other"'}).data == first.data
    monkeypatch.setattr(links, "_base", FAR)
    moved = nobody.get("/openapi.json", headers={"If-None-Match": tag})
    assert moved.status_code == 200 and moved.json["servers"] == [{"url": FAR}]


@pytest.fixture
def far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Person]:
    """Somebody at a server whose public address is a path of another one."""
    monkeypatch.setattr(links, "_base", FAR)  # put back afterwards
    yield Person(create_app(Settings.from_env({"GALAPOST_HOME": str(tmp_path), "GALAPOST_URL": FAR})))
    waking.end()
    database.disconnect()


def test_its_pages_fetch_nothing_from_outside(far: Person) -> None:
    """Of the bundled script only what loads is looked at: it holds addresses to be shown, of licences and examples."""
    page = far.get("/docs/", headers={"Host": "evil.example"})
    assert page.status_code == 200 and "evil.example" not in page.text
    config = json.loads(re.findall(r"user_config = (\{.*\});", page.text)[0])
    assert config["validatorUrl"] is None  # left out it is one of Swagger's own servers
    assert config["url"] == f"{FAR}/v1/openapi.json" and config["oauth2RedirectUrl"].startswith(f"{FAR}/v1/docs/")
    files = re.findall(r"(?:src|href)\s*=\s*[\"']([^\"'>]+)", page.text)
    assert len(files) >= 6
    for file in files:
        address = urljoin(f"{FAR}/v1/docs/", file)
        assert address.startswith(f"{FAR}/v1/docs/"), file
        answer = far.get(address.removeprefix(FAR))
        assert answer.status_code == 200, file
        if address.endswith((".js", ".css")):
            assert not re.findall(rf"(?:fetch|import|importScripts|@import|url)\s*{OUTSIDE}", answer.text), file
