"""Walks through the published document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator

from server.document.narrowing import followed

VERBS = ("get", "post", "put", "patch", "delete")

Document = dict[str, Any]


def operations(spec: Document) -> Iterator[Document]:
    for path in spec["paths"].values():
        yield from (path[verb] for verb in VERBS if verb in path)


def parameters(spec: Document) -> Iterator[Document]:
    """Of all operations; those that a whole path shares once."""
    for path in spec["paths"].values():
        yield from (followed(spec, parameter) for parameter in path.get("parameters", []))
    for operation in operations(spec):
        yield from (followed(spec, parameter) for parameter in operation.get("parameters", []))


def headers(spec: Document) -> Iterator[Document]:
    for operation in operations(spec):
        for response in operation["responses"].values():
            yield from (followed(spec, header) for header in response.get("headers", {}).values())


def notices(spec: Document) -> Iterator[Document]:
    return (path["post"] for path in spec["webhooks"].values())


def bodies(spec: Document) -> Iterator[Document]:
    """What JSON is sent to us. What comes as a form is what mail readers send, and not ours to close."""
    for operation in operations(spec):
        yield from _json(operation.get("requestBody", {}))
    for notice in notices(spec):
        for response in notice["responses"].values():
            yield from _json(response)


def _json(body: Document) -> list[Document]:
    return [content for media_type, content in body.get("content", {}).items() if media_type == "application/json"]


def answers(spec: Document) -> Iterator[Document]:
    """What is sent by us, media type by media type."""
    for operation in operations(spec):
        for response in operation["responses"].values():
            yield from response.get("content", {}).values()
    for notice in notices(spec):
        yield from notice["requestBody"]["content"].values()


def schemas(spec: Document, parts: list[Document]) -> Iterator[tuple[str, Document]]:
    """All schemas in and behind these parts, each with the name of the component that it is in, and what it is called there."""
    ahead = [("inline", part["schema"]) for part in parts]
    seen: set[str] = set()
    while ahead:
        name, schema = ahead.pop()
        yield name, schema
        for below in _below(schema):
            ahead.append((name, below))
        target = schema.get("$ref", "").rpartition("/")[2]
        if target and target not in seen:
            seen.add(target)
            ahead.append((target, spec["components"]["schemas"][target]))


def _below(schema: Document) -> Iterator[Document]:
    yield from schema.get("properties", {}).values()
    for combination in ("anyOf", "oneOf", "allOf"):
        yield from schema.get(combination, [])
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield schema[key]


def check(spec: Document, schema: Document, value: Any) -> None:
    Draft202012Validator({**schema, "components": spec["components"]}).validate(value)


def component(name: str) -> Document:
    return {"$ref": f"#/components/schemas/{name}"}
