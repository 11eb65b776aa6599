"""The tags: chapters of the document, in the order in which one reads them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

CHAPTERS: dict[str, str] = {
    "first steps": "The way in, whether anybody is at home, and all that can go wrong.",
    "accounts": "Accounts without passwords: an address is proven by a code, and that is signing in, too.",
    "me": "My account, my tokens, what I owe, and what happened in my games.",
    "lobby": "Games before their first move: making one, finding one, taking a seat. What is public about any game.",
    "invitations": "Seats kept for somebody: by account, by e-mail, or by a link to hand on.",
    "play": "The table as I may see it, what I may answer, answering, what happened, and ways to end it early.",
    "orders": "Standing orders: what I leave to be played for me without asking me.",
    "talk": "Messages at the table, among its players.",
    "fairness": "What binds the server and the players before the deal; the proof, and the record, after the end.",
    "rules": "The rules as data: cards, traits, house rules, words.",
    "players": "What everybody may know about a player.",
    "bots": "Accounts for programs, each with an owner.",
    "notifications": "What I am told, how and when; and what became of every notice.",
    "mail": "Letters that come in, handed over by a mail provider.",
    "webhooks": "Being told by machine, signed as Standard Webhooks 1.0 want it.",
}
OF_RESOURCE = {  # where the name of the resource is not that of its chapter
    "entry": "first steps",
    "tokens": "me",
    "games": "lobby",
    "seats": "lobby",
    "leaving": "play",
    "messages": "talk",
    "users": "players",
    "unsubscribing": "notifications",
}


def in_chapters(spec: dict[str, Any]) -> dict[str, Any]:
    for operation in _operations(spec):
        operation["tags"] = [OF_RESOURCE.get(name, name) for name in operation["tags"]]
    used = {name for operation in _operations(spec) for name in operation["tags"]}
    tags = [{"name": name, "description": about} for name, about in CHAPTERS.items() if name in used]
    return spec | {"tags": tags}


def _operations(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in (*spec["paths"].values(), *spec["webhooks"].values()):
        yield from (operation for operation in path.values() if isinstance(operation, dict))
