"""Whether an answer is what the document promises of its operation: status, media type, body, code, headers.

`tests.playing.Person` asks this of every answer that he gets, so the whole suite looks for what differs."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
from flask import Flask
from werkzeug.exceptions import HTTPException
from werkzeug.test import TestResponse

from server.document import document

PROBLEM = "application/problem+json"
# What the framework refuses before it is known which operation was meant, on any path.
OF_NO_OPERATION = ("bad-request", "expectation-failed")
PROMISED = (
    *("ETag", "Idempotency-Replayed", "Link", "Location", "RateLimit", "RateLimit-Policy"),
    *("Retry-After", "WWW-Authenticate"),
)

validators: dict[str, Any] = {}  # by schema: mostly a reference to a component, and those are the same in every app


def kept(app: Flask, answer: TestResponse) -> TestResponse:
    """The answer, if it is what was promised."""
    operation = _operation(app, answer.request.path, answer.request.method)
    if operation is not None and not _of_no_operation(answer):
        fault = _fault(app, operation, answer)
        assert fault is None, f"{operation}, {answer.status_code}: {fault}"
    return answer


def _operation(app: Flask, path: str, verb: str) -> str | None:
    """None for a page of the documentation, and where nothing lives."""
    try:
        endpoint, _ = app.url_map.bind("localhost").match(path, verb)
    except HTTPException:
        return None
    name = str(endpoint).rpartition(".")[2]
    return name if name in _operations(app) and verb not in ("OPTIONS", "HEAD") else None


def _of_no_operation(answer: TestResponse) -> bool:
    return answer.mimetype == PROBLEM and answer.json is not None and answer.json["code"] in OF_NO_OPERATION


def _operations(app: Flask) -> dict[str, Any]:
    kept_by_app: dict[str, Any] = app.extensions.setdefault("galapost-promises", {})
    if not kept_by_app:
        for path in document(app)["paths"].values():
            for operation in path.values():
                if isinstance(operation, dict):
                    kept_by_app[operation["operationId"]] = operation["responses"]
    return kept_by_app


def _fault(app: Flask, operation: str, answer: TestResponse) -> str | None:
    promised = _operations(app)[operation].get(str(answer.status_code))
    if promised is None:
        return f"the document has no such status: {answer.text[:300]}"
    undeclared = {name for name in PROMISED if name in answer.headers} - set(promised.get("headers", {}))
    if undeclared:
        return f"the document does not say that {', '.join(sorted(undeclared))} may come"
    return _fault_of_body(app, operation, answer, promised.get("content", {}))


def _fault_of_body(app: Flask, operation: str, answer: TestResponse, promised: dict[str, Any]) -> str | None:
    if not promised:
        return f"no body is promised: {answer.text[:300]}" if answer.data else None
    if answer.mimetype not in promised:
        return f"{answer.mimetype} is none of {', '.join(promised)}"
    content = promised[answer.mimetype]
    if not answer.mimetype.endswith("json"):
        return None
    if answer.mimetype == PROBLEM and answer.json["code"] not in content["examples"]:
        return f"the document does not say that it can be {answer.json['code']}"
    error = next(_validator(app, content["schema"]).iter_errors(answer.json), None)
    return None if error is None else f"/{'/'.join(map(str, error.instance_path))}: {error.message[:500]}"


def _validator(app: Flask, schema: dict[str, Any]) -> Any:
    name = json.dumps(schema)
    if name not in validators:
        whole = {**schema, "components": {"schemas": document(app)["components"]["schemas"]}}
        validators[name] = jsonschema_rs.Draft202012Validator(whole, validate_formats=True)
    return validators[name]
