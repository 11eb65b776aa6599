"""The published document, openapi/openapi.json, made from the code and the examples beside it.

`python -m server.document` writes it; with `--check` it only compares, and exits 1 when it is stale."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import flask

    from server.api.smorest import Resource

FOLDER = Path(__file__).parent.parent / "openapi"
FILE = FOLDER / "openapi.json"
EXAMPLES = FOLDER / "examples"

ABOUT = """\
A turn server for the board game «Эволюция» (Evolution: The Origin of Species).

**To play**: have a code sent to your address (`POST /v1/accounts`), trade it for a token (`POST /v1/accounts/verification`), make a
game or join one, then: `GET /v1/me/decisions`, `GET …/legal-moves`, `POST …/moves`, again and again. The server always waits for
exactly one decision a game. A decision has a number and is answered once, so that any request may safely be repeated.

**Growth**: within `/v1` answers gain keys and words, and lose none. Ignore keys and values that you don't know. Requests are strict:
an unknown key is refused.

**Errors** are `application/problem+json` with a stable `code` out of `GET /v1/problems`.
"""


def register(app: flask.Flask, resources: Iterable[Resource]) -> None:
    """Mounts the operations and gathers what they tell of themselves."""
    from marshmallow import fields

    from server.api.smorest import SECURITY, Api

    api = Api(app, spec_kwargs={"info": {"description": ABOUT, "license": {"name": "MIT", "identifier": "MIT"}}})
    api.register_field(fields.Url, "string", "uri")  # apispec says `url`, which is no format of JSON Schema
    api.spec.components.security_scheme(
        SECURITY, {"type": "http", "scheme": "bearer", "description": "A token, `gp_…`."}
    )
    for resource in resources:
        api.register_blueprint(resource)
    app.extensions["galapost-document"] = _with_examples(api.spec.to_dict())


def document(app: flask.Flask) -> dict[str, Any]:
    made: dict[str, Any] = app.extensions["galapost-document"]
    return made


def examples() -> dict[str, dict[str, Any]]:
    """By operation: what was asked, and what was answered."""
    return {file.stem: json.loads(file.read_text("utf-8")) for file in sorted(EXAMPLES.glob("*.json"))}


def _with_examples(spec: dict[str, Any]) -> dict[str, Any]:
    played = examples()
    for path in spec["paths"].values():
        for operation in path.values():
            if isinstance(operation, dict) and operation.get("operationId") in played:
                _add_example(operation, path.get("parameters", []), played[operation["operationId"]])
    return spec


def _add_example(operation: dict[str, Any], of_the_path: list[dict[str, Any]], example: dict[str, Any]) -> None:
    if "body" in example:
        operation["requestBody"]["content"]["application/json"]["example"] = example["body"]
    if example["answer"] is not None:
        (content,) = operation["responses"][str(example["status"])]["content"].values()
        content["example"] = example["answer"]
    said = example.get("path", {}) | example.get("query", {})
    for parameter in [*of_the_path, *operation.get("parameters", [])]:
        if parameter["name"] in said:
            parameter["example"] = said[parameter["name"]]


def text(app: flask.Flask) -> str:
    return json.dumps(document(app), indent=2, ensure_ascii=False) + "\n"


NO_SECRET = "A" * 43 + "="  # a key of the right form, for a document that seals nothing


def main(arguments: list[str]) -> int:
    from server import create_app
    from server.config import Settings

    settings = Settings.from_env({"GALAPOST_SECRET_KEY": NO_SECRET})  # nothing of this machine: the same on every one
    made = text(create_app(settings))
    if "--check" not in arguments:
        FILE.write_text(made, "utf-8")
    elif not FILE.exists() or FILE.read_text("utf-8") != made:
        print(f"{FILE.name} is stale: run `python -m server.document`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
