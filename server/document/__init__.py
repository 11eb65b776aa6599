"""The published document, openapi/openapi.json, made from the code and the examples beside it.

`python -m server.document` writes it; with `--check` it only compares, and exits 1 when it is stale."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import flask

    from server.api.smorest import Resource

FOLDER = Path(__file__).parent.parent.parent / "openapi"
FILE = FOLDER / "openapi.json"
RELEASED = FOLDER / "released.json"  # as it was at the last release
EXAMPLES = FOLDER / "examples"


def register(app: flask.Flask, resources: Iterable[Resource]) -> None:
    """Mounts the operations and gathers what they tell of themselves."""
    from server.api.smorest import Api
    from server.document import about, glossary, headers, next_steps, schemas, showing, tags, webhooks

    api = Api(app, spec_kwargs=about.OPTIONS)
    about.add_security(api)
    schemas.prepare(api)
    headers.register(api)
    for resource in resources:
        api.register_blueprint(resource)
    notices = webhooks.section(api)
    schemas.describe(api)
    spec = tags.in_chapters(api.spec.to_dict() | {"webhooks": notices})
    spec = next_steps.with_links(headers.with_headers(glossary.describe_paths(spec)))
    app.extensions["galapost-document"] = showing.with_examples(spec)


def document(app: flask.Flask) -> dict[str, Any]:
    made: dict[str, Any] = app.extensions["galapost-document"]
    return made


def examples(subject: str = ".") -> dict[str, dict[str, Any]]:
    """By operation: what was asked, and what was answered. By code those of `problems`, by type those of `webhooks`."""
    files = sorted((EXAMPLES / subject).glob("*.json"))
    return {file.name.removesuffix(".json"): json.loads(file.read_text("utf-8")) for file in files}


def text(app: flask.Flask) -> str:
    return json.dumps(document(app), indent=2, ensure_ascii=False) + "\n"
