"""The OpenAPI links: which operation comes next, and where in the answer is what it asks for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

GAME, SAME_GAME = {"game_id": "$response.body#/id"}, {"game_id": "$request.path.game_id"}
FIRST_GAME = {"game_id": "$response.body#/items/0/game"}
WEBHOOK, BOT = {"webhook_id": "$response.body#/id"}, {"bot_id": "$response.body#/id"}
VERIFICATION = {"verification": "$response.body#/verification"}
FIRST_MOVE = {"decision": "$response.body#/decision", "move": "$response.body#/items/0/notation"}

# operation → the status, and by their names: what comes next, what stands in its path, and in its body
STEPS: dict[str, tuple[str, dict[str, tuple[str, dict[str, str], dict[str, str]]]]] = {
    "start_sign_in": ("202", {"send_the_code": ("finish_sign_in", {}, VERIFICATION)}),
    "start_email_change": ("202", {"send_the_code": ("finish_email_change", {}, VERIFICATION)}),
    "create_game": (
        "201",
        {
            "look": ("get_game", GAME, {}),
            "change": ("update_game", GAME, {}),
            "invite": ("create_invitation", GAME, {}),
            "join": ("join_game", GAME, {}),
            "start": ("start_game", GAME, {}),
        },
    ),
    "list_my_decisions": (
        "200",
        {"look": ("get_view", FIRST_GAME, {}), "what_may_be_answered": ("list_legal_moves", FIRST_GAME, {})},
    ),
    "list_legal_moves": ("200", {"answer": ("play_move", SAME_GAME, FIRST_MOVE)}),
    "play_move": (
        "201",
        {"what_may_be_answered": ("list_legal_moves", SAME_GAME, {}), "what_happened": ("list_events", SAME_GAME, {})},
    ),
    "create_bot": ("201", {"look": ("get_bot", BOT, {}), "make_a_token": ("create_bot_token", BOT, {})}),
    "create_webhook": (
        "201",
        {"look": ("get_webhook", WEBHOOK, {}), "what_was_sent": ("list_webhook_deliveries", WEBHOOK, {})},
    ),
}


def with_links(spec: dict[str, Any]) -> dict[str, Any]:
    for operation in _operations(spec):
        if operation["operationId"] in STEPS:
            status, steps = STEPS[operation["operationId"]]
            operation["responses"][status]["links"] = {name: _link(*step) for name, step in steps.items()}
    return spec


def _operations(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in spec["paths"].values():
        yield from (operation for operation in path.values() if isinstance(operation, dict))


def _link(operation: str, path: dict[str, str], body: dict[str, str]) -> dict[str, Any]:
    link: dict[str, Any] = {"operationId": operation}
    return link | ({"parameters": path} if path else {}) | ({"requestBody": body} if body else {})
