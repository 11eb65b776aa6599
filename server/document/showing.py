"""Puts the examples into the document: what was really asked and answered, and each problem as it was provoked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from server.document import examples
from server.errors import PROBLEMS

VERBS = ("get", "post", "put", "patch", "delete")


def with_examples(spec: dict[str, Any]) -> dict[str, Any]:
    played, sent = examples(), examples("webhooks")
    for path in spec["paths"].values():
        for operation in _operations(path):
            _show(operation, path.get("parameters", []), played.get(operation["operationId"], {}))
    for kind, path in spec["webhooks"].items():
        _show(path["post"], [], sent.get(kind, {}))
    spec["components"]["examples"] = dict(_problems())
    return spec


def _operations(path: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (path[verb] for verb in VERBS if verb in path)


def _show(operation: dict[str, Any], of_the_path: list[dict[str, Any]], example: dict[str, Any]) -> None:
    if "body" in example:
        operation["requestBody"]["content"]["application/json"]["example"] = example["body"]
    if "raw" in example:
        (content,) = operation["requestBody"]["content"].values()
        content["example"] = example["raw"]
    if example.get("answer") is not None:
        (content,) = operation["responses"][str(example["status"])]["content"].values()
        content["example"] = example["answer"]
    said = example.get("path", {}) | example.get("query", {}) | example.get("headers", {})
    for parameter in [*of_the_path, *operation.get("parameters", [])]:
        if parameter.get("name") in said:
            parameter["example"] = _as_meant(parameter["schema"], said[parameter["name"]])


def _as_meant(schema: dict[str, Any], written: str) -> Any:
    """In an address all is text; what is meant by it has a type."""
    return json.loads(written) if schema.get("type") in ("integer", "boolean") else written


def _problems() -> Iterator[tuple[str, dict[str, Any]]]:
    """All there are: the operations refer to those that they can answer."""
    provoked = examples("problems")
    for problem in PROBLEMS.values():
        shown = {"summary": problem.title, "description": problem.about}
        if problem.code in provoked:
            shown["value"] = provoked[problem.code]["answer"]
        yield problem.code, shown
