"""Every link that we write, made from GALAPOST_URL: the Host header is what a stranger typed."""

from __future__ import annotations

from urllib.parse import urlencode

_base = ""
OF_A_GAME = {  # the same for whoever asks: a link gives nobody a right
    "seats": "seats",
    "invitations": "invitations",
    "start": "start",
    "view": "view",
    "view_text": "view.txt",
    "view_svg": "view.svg",
    "view_png": "view.png",
    "legal_moves": "legal-moves",
    "moves": "moves",
    "events": "events",
    "orders": "orders",
    "messages": "messages",
    "notifications": "notifications",
    "resignation": "resignation",
    "cancellation": "cancellation",
    "rematch": "rematch",
    "fairness": "fairness",
    "record": "record",
    "record_text": "record.txt",
}


def configure(url: str) -> None:
    """Once a process, with Settings.url."""
    global _base
    _base = url


def to(path: str, **query: str | int) -> str:
    """`to("/v1/games", limit=50)`"""
    return _base + path + (f"?{urlencode(query)}" if query else "")


def of_invitation(key: str) -> dict[str, str]:
    """`key`: its token; for the account that it is for its id."""
    invitation = to(f"/v1/invitations/{key}")
    return {
        "invitation": invitation,
        "acceptance": f"{invitation}/acceptance",
        "refusal": f"{invitation}/refusal",
        "never_again": f"{invitation}/never-again",
    }


def of_game(game_id: str) -> dict[str, str]:
    game = to(f"/v1/games/{game_id}")
    return {"game": game, **{name: f"{game}/{below}" for name, below in OF_A_GAME.items()}}


def of_webhook(webhook_id: str) -> dict[str, str]:
    webhook = to(f"/v1/webhooks/{webhook_id}")
    return {"webhook": webhook, "deliveries": f"{webhook}/deliveries"}
