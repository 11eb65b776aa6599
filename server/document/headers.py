"""Headers that many operations have in common: said once in the components, referred to where they come."""

from __future__ import annotations

from typing import Any

from server.api.smorest import Api

TEXT = {"type": "string"}
HEADERS: dict[str, dict[str, Any]] = {
    "RateLimit": {
        "description": "How many more requests of this kind I may send (`r`), and the seconds until all are there again (`t`).",
        "schema": TEXT,
        "example": '"reading";r=599;t=60',
    },
    "RateLimit-Policy": {
        "description": "The limit itself: so many requests of this kind (`q`) in so many seconds (`w`), of an account, or of a network without"
        " a token.",
        "schema": TEXT,
        "example": '"reading";q=600;w=60',
    },
    "Retry-After": {"description": "Seconds to wait before the next try.", "schema": {"type": "integer"}, "example": 60},
    "WWW-Authenticate": {
        "description": "What was wrong with the token, or which scope it lacks.",
        "schema": TEXT,
        "example": 'Bearer realm="galapost"',
    },
    "Link": {
        "description": "Where there is more already: the address of the next part.",
        "schema": TEXT,
        "example": '<http://127.0.0.1:8000/v1/games?cursor=…>; rel="next"',
    },
    "ETag": {
        "description": "Of the version that this answer shows, for this viewer; good for `If-None-Match` and `If-Match`.",
        "schema": TEXT,
        "example": '"6b86b273ff34fce19d6b804eff5a3f57"',
    },
    "Location": {"description": "Where it lives.", "schema": {"type": "string", "format": "uri"}},
}  # fmt: skip
LANGUAGE = {
    "in": "header",
    "name": "Accept-Language",
    "description": "Of all text for people in the answer: `en` or `ru`. Codes and words are the same in every language.",
    "schema": TEXT,
    "example": "ru",
}
VERSIONED = (  # and what answers 304
    *("change_me", "change_bot", "change_webhook", "update_game", "play_move"),
    *("put_my_notifications", "change_my_notifications", "put_game_notifications", "put_orders", "add_orders"),
)
LOCATED = (
    *("create_game", "join_game", "accept_invitation", "make_rematch"),
    *("create_bot", "create_webhook", "rotate_webhook_secret"),
)
UNCOUNTED = ("get_health", "get_ready")
BY_STATUS = {"401": ["WWW-Authenticate"], "403": ["WWW-Authenticate"], "429": ["Retry-After"], "503": ["Retry-After"]}


def register(api: Api) -> None:
    for name, header in HEADERS.items():
        api.spec.components.header(name, header)
    api.spec.components.parameter("AcceptLanguage", "header", LANGUAGE)


def with_headers(spec: dict[str, Any]) -> dict[str, Any]:
    for path in spec["paths"].values():
        for verb, operation in path.items():
            if verb != "parameters":
                _refer(operation)
    return spec


def _shows_a_version(operation: dict[str, Any]) -> bool:
    return "304" in operation["responses"] or operation["operationId"] in VERSIONED


def _refer(operation: dict[str, Any]) -> None:
    names = {parameter.get("name") for parameter in operation.setdefault("parameters", [])}
    operation["parameters"].append({"$ref": "#/components/parameters/AcceptLanguage"})
    for status, response in operation["responses"].items():
        come = [] if operation["operationId"] in UNCOUNTED else ["RateLimit", "RateLimit-Policy"]
        come += BY_STATUS.get(status, [])
        come += ["Link"] if status == "200" and names & {"cursor", "after"} else []
        come += ["ETag"] if status == "304" or (status in ("200", "201") and _shows_a_version(operation)) else []
        come += ["Location"] if status in ("200", "201") and operation["operationId"] in LOCATED else []
        refer = {name: {"$ref": f"#/components/headers/{name}"} for name in come}
        if come:
            response["headers"] = {**response.get("headers", {}), **refer}
