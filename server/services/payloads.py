"""What a webhook says, as the exact text that is signed: thin JSON for programs, a line of text for a chat.

Never a card: whoever reads it asks the API with a token of his own."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any

from server import kinds, links
from server.language import translated
from server.models import Account, Decision, Game, Invitation, Seat, WebhookEndpoint
from server.said import Said, said

PING = "ping"
TYPES = kinds.TYPES | {PING: PING}  # outbox kind → type, as `server/schemas/notices.py` publishes it

LONGEST_NAME = 40
NOT_SEEN = "\u200b"  # a space without width: what it parts is no mention and no link any more
SLACK_SIGNS = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}  # these three are to be escaped, and no others
NO_EMBEDS = 1 << 2  # of Discord's flags: it shows no preview of a link


def about_game(
    kind: str, endpoint: WebhookEndpoint, game: Game, seat: Seat, decision: Decision | None, now: datetime, **more: Any
) -> str:
    """`more` goes into the data."""
    data: dict[str, Any] = {"game": game.id, "seat": seat.letter}
    if decision is not None:
        data |= {"decision": decision.number, "kind": decision.kind, "deadline": None}
    data |= {**more, "links": links.of_game(game.id)}
    return _body(endpoint, kind, data, _sentence(kind, game, seat, decision, endpoint.format), seat.account, now)


def about_invitation(
    endpoint: WebhookEndpoint, invitation: Invitation, invited: Account, inviter: Account, now: datetime
) -> str:
    """Without its token: the account that is invited needs none."""
    data: dict[str, Any] = {"game": invitation.game_id, "invitation": invitation.id, "inviter": inviter.name}
    data["links"] = links.of_invitation(invitation.id)
    sentence = said(
        "{inviter} invites you to a game, {name}. {link}",
        inviter=_shown(inviter.name, endpoint.format),
        name=_shown(invited.name, endpoint.format),
        link=links.to(f"/v1/invitations/{invitation.id}"),
    )
    return _body(endpoint, "invitation", data, sentence, invited, now)


def about_webhook(endpoint: WebhookEndpoint, account: Account, now: datetime) -> str:
    data = {"webhook": endpoint.id, "links": links.of_webhook(endpoint.id)}
    sentence = said("Galapost can reach this channel, {name}.", name=_shown(account.name, endpoint.format))
    return _body(endpoint, PING, data, sentence, account, now)


def _sentence(kind: str, game: Game, seat: Seat, decision: Decision | None, form: str) -> Said:
    name, link = _shown(seat.account.name, form), links.to(f"/v1/games/{game.id}")
    others = [_shown(player.account.name, form) for player in game.players if player.letter != seat.letter]
    if kind == "your_turn" and decision is not None:
        return said(
            "It is your turn, {name}: decision {decision} of the game with {others}. {link}",
            name=name,
            decision=decision.number,
            others=others,
            link=link,
        )
    if kind == "reminder" and decision is not None:
        return said(
            "It still is your turn, {name}: decision {decision} of the game with {others}. {link}",
            name=name,
            decision=decision.number,
            others=others,
            link=link,
        )
    if kind == "attacked":
        return said("You were attacked in the game with {others}, {name}. {link}", others=others, name=name, link=link)
    if kind == "game_started":
        return said(
            "The game with {others} has started, {name}: you have seat {seat}. {link}",
            others=others,
            name=name,
            seat=seat.letter,
            link=link,
        )
    if kind == "game_over":
        return said("The game with {others} is over, {name}. {link}", others=others, name=name, link=link)
    if kind == "message":
        return said(
            "There is a new message at the table with {others}, {name}. {link}", others=others, name=name, link=link
        )
    if kind == "player_resigned":
        return said("Somebody resigned in the game with {others}, {name}. {link}", others=others, name=name, link=link)
    if kind == "game_cancelled":
        return said("The game with {others} was cancelled, {name}. {link}", others=others, name=name, link=link)
    return said("There is news of the game with {others}, {name}. {link}", others=others, name=name, link=link)


def _body(
    endpoint: WebhookEndpoint, kind: str, data: dict[str, Any], sentence: Said, account: Account, now: datetime
) -> str:
    if endpoint.format == "discord":
        text = translated(sentence, account.language)
        return _json({"content": text, "allowed_mentions": {"parse": []}, "flags": NO_EMBEDS})
    if endpoint.format == "slack":
        text = "".join(SLACK_SIGNS.get(sign, sign) for sign in translated(sentence, account.language))
        return _json({"text": text, "mrkdwn": False, "unfurl_links": False, "unfurl_media": False})
    at = now.isoformat(timespec="seconds").replace("+00:00", "Z")
    return _json({"type": TYPES[kind], "timestamp": at, "data": data})


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _shown(name: str, form: str) -> str:
    """A name that somebody chose, on one line; in a chat it mentions nobody, links nowhere and formats nothing."""
    line = "".join(sign if sign.isprintable() else " " for sign in name)[:LONGEST_NAME]
    if form == "standard":
        return line
    line = re.sub(r"([@:/#])|(?<=\w)\.(?=\w)", lambda found: f"{found[0]}{NOT_SEEN}", line)
    return re.sub(r"([\\*_~|`<>\[\]()#-])", r"\\\1", line) if form == "discord" else line
