"""The section `webhooks`: what we send, out of the one table of notices."""

from __future__ import annotations

import inspect
from typing import Any

import marshmallow as ma

from server.api.smorest import Api
from server.schemas.notices import ANSWERS, NOTICES

TEXT = {"type": "string"}
HEADERS: tuple[dict[str, Any], ...] = (
    {
        "name": "webhook-id",
        "description": "Of the message: the same on every attempt. Whoever has seen it has seen the message.",
        "schema": TEXT,
    },
    {
        "name": "webhook-timestamp",
        "description": "Of this attempt, in seconds since 1970. Refuse what is older than five minutes.",
        "schema": TEXT,
    },
    {
        "name": "webhook-signature",
        "description": "`v1,` and the HMAC-SHA256, in base64, over `{webhook-id}.{webhook-timestamp}.{body}` with your secret (less its"
        " `whsec_`, read as base64). Several, apart by spaces, while a secret is being replaced: one that fits is enough.",
        "schema": TEXT,
    },
)
ARRIVED = "It has arrived. Nothing else counts as that, no redirect either."
WITH_A_MOVE = (
    " A webhook with `answers: true` may answer with the move; 202 means that it will post the move later. What became of it is in the"
    " log of deliveries."
)
REFUSED: dict[str, Any] = {
    "410": {"description": "The endpoint wants no more: the webhook is disabled."},
    "429": {"description": "Later, please: `Retry-After` is honoured within bounds. 503 means the same."},
}


def section(api: Api) -> dict[str, Any]:
    return {kind: {"post": _operation(api, kind, schema)} for kind, schema in NOTICES.items()}


def _operation(api: Api, kind: str, schema: type[ma.Schema]) -> dict[str, Any]:
    summary, _, description = inspect.cleandoc(schema.__doc__ or "").partition("\n\n")
    return {
        "operationId": "on_" + kind.replace(".", "_"),
        "summary": summary,
        "description": description,
        "tags": ["webhooks"],
        "security": [],
        "parameters": [{"in": "header", "required": True, **header} for header in HEADERS],
        "requestBody": {"required": True, "content": _json(api, schema)},
        "responses": {"2XX": _arrived(api, kind), **REFUSED},
    }


def _arrived(api: Api, kind: str) -> dict[str, Any]:
    if kind not in ANSWERS:
        return {"description": ARRIVED}
    content = _json(api, ANSWERS[kind])
    content["application/json"]["examples"] = {
        "one": {"summary": "A move", "value": {"move": "attack A1 B2"}},
        "several": {"summary": "Moves in a row", "value": {"moves": ["feed A1", "end"]}},
    }
    return {"description": ARRIVED + WITH_A_MOVE, "content": content}


def _json(api: Api, schema: type[ma.Schema]) -> dict[str, Any]:
    return {"application/json": {"schema": api.ma_plugin.resolver.resolve_schema_dict(schema)}}
