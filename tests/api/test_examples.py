"""The examples: played against the server, complete, and what the document promises."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any

import pytest
from flask import Flask

from server.document import examples
from server.errors import PROBLEMS
from server.schemas.notices import NOTICES
from tests.api import story
from tests.api.documents import check, component, operations, parameters

FOLDERS = (".", "problems", "webhooks")


def test_the_examples_are_what_the_server_really_answers(app: Flask) -> None:
    told = story.tell(app)
    for folder in FOLDERS:
        assert told[folder] == examples(folder), (
            "run `python -m tests.api.story`, look at what changed, then `python -m server.document`"
        )


def test_every_operation_has_its_example(spec: dict[str, Any]) -> None:
    assert {operation["operationId"] for operation in operations(spec)} == set(examples())
    for operation in operations(spec):
        body = operation.get("requestBody", {})
        shown = [content for content in body.get("content", {}).values() if "example" in content]
        assert not body.get("required") or len(shown) == 1, operation["operationId"]
        status = str(examples()[operation["operationId"]]["status"])
        for media_type, content in operation["responses"][status].get("content", {}).items():
            assert "example" in content or media_type == "image/png", operation["operationId"]


def test_the_example_of_a_parameter_is_what_it_may_be(spec: dict[str, Any]) -> None:
    shown = [parameter for parameter in parameters(spec) if "example" in parameter]
    assert {parameter["schema"]["type"] for parameter in shown} >= {"string", "integer", "boolean"}
    for parameter in shown:
        check(spec, parameter["schema"], parameter["example"])


def test_every_problem_was_met(spec: dict[str, Any]) -> None:
    assert set(examples("problems")) == {problem.code for problem in PROBLEMS.values()}
    for problem in PROBLEMS.values():
        shown = spec["components"]["examples"][problem.code]
        assert shown["summary"] == problem.title and shown["description"] == problem.about
        assert (shown["value"]["code"], shown["value"]["status"]) == (problem.code, problem.status)


def test_every_notice_was_sent(spec: dict[str, Any]) -> None:
    assert set(examples("webhooks")) == set(NOTICES)
    for path in spec["webhooks"].values():
        assert "example" in path["post"]["requestBody"]["content"]["application/json"]
        assert all("example" in header for header in path["post"]["parameters"])


@pytest.mark.parametrize("name", sorted(examples()))
def test_an_example_is_what_the_document_promises(name: str, spec: dict[str, Any]) -> None:
    example = examples()[name]
    operation = next(operation for operation in operations(spec) if operation["operationId"] == name)
    if "body" in example:
        check(spec, operation["requestBody"]["content"]["application/json"]["schema"], example["body"])
    if example["answer"] is not None:
        (content,) = operation["responses"][str(example["status"])]["content"].values()
        check(spec, content["schema"], example["answer"])


@pytest.mark.parametrize("code", sorted(examples("problems")))
def test_a_problem_is_what_the_document_promises(code: str, spec: dict[str, Any]) -> None:
    check(spec, component("Problem"), examples("problems")[code]["answer"])


@pytest.mark.parametrize("kind", sorted(examples("webhooks")))
def test_a_notice_is_what_the_document_promises_and_signed(kind: str, spec: dict[str, Any]) -> None:
    notice = examples("webhooks")[kind]
    check(spec, spec["webhooks"][kind]["post"]["requestBody"]["content"]["application/json"]["schema"], notice["body"])
    key = base64.b64decode(examples()["create_webhook"]["answer"]["secret"].removeprefix("whsec_"))
    sent = json.dumps(notice["body"], separators=(",", ":"), ensure_ascii=False)
    content = f"{notice['headers']['webhook-id']}.{notice['headers']['webhook-timestamp']}.{sent}"
    expected = base64.b64encode(hmac.digest(key, content.encode(), hashlib.sha256)).decode()
    assert notice["headers"]["webhook-signature"] == f"v1,{expected}"
