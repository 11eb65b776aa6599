"""Names that mean the same wherever they stand. A field that says nothing of itself is described by this; so is what is in a path."""

from __future__ import annotations

from typing import Any

PATH = {
    "game_id": "The id of a game, `g_…`.",
    "letter": "The seat, by its letter.",
    "token_id": "The id of a token, `t_…`; not the token itself.",
    "bot_id": "The id of a bot's account, `u_…`.",
    "name": "What the account is called; case does not matter.",
    "rule_set": "Its name, as in a record.",
    "invitation_id": "The id of an invitation, `i_…`.",
    "token": "The token of an invitation out of a mail or a link; or its id, for whom it was made.",
    "webhook_id": "The id of a webhook, `wh_…`.",
    "delivery_id": "The id of a delivery out of the log, `dl_…`.",
}
PROPERTIES = {
    "id": "Opaque; for the paths that ask for it.",
    "name": "What it, or whoever it is, is called.",
    "game": "The id of the game.",
    "seat": "The letter of a seat, in table order from A.",
    "seats": "How many seats the table has.",
    "decision": "The number of a decision: it grows by one within a game.",
    "options": "House rules by name, with their values.",
    "winners": "Seats; several share a victory.",
    "scores": "Points by seat.",
    "commitment": "SHA-256, in hex, of the seed.",
    "scopes": "What it allows.",
    "at": "When it happened.",
    "created_at": "When it was made.",
    "started_at": "When the game began; null before.",
    "ended_at": "When the game ended; null before.",
    "opened_at": "Since when it has been waiting.",
    "expires_at": "Until when it is good.",
    "settled_at": "When it was done with; null until then.",
    "disabled_at": "Since when it has been switched off; null while it is on.",
    "items": "In the order that the operation names.",
    "link": "Where it is.",
    "links": "Addresses of what belongs to it.",
    "text": "In a sentence, in the language asked for.",
}


def describe_properties(schema: dict[str, Any]) -> None:
    for name, about in schema.get("properties", {}).items():
        if name in PROPERTIES and not about.get("description") and "$ref" not in about:
            about["description"] = PROPERTIES[name]


def describe_paths(spec: dict[str, Any]) -> dict[str, Any]:
    for path in spec["paths"].values():
        for parameter in path.get("parameters", []):
            if parameter["in"] == "path" and parameter["name"] in PATH:
                parameter["description"] = PATH[parameter["name"]]
    return spec
