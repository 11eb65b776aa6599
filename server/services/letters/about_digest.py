"""What a digest is filled with: the notices that waited for it (`Delivery.batch_id`), game by game."""

from __future__ import annotations

from collections import Counter
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from server import links
from server.models import Account, Delivery, Game, Invitation, Seat
from server.services.letters.content import Content
from server.services.letters.templates import one_line, words


def content(session: Session, delivery: Delivery) -> Content:
    account = session.get_one(Account, delivery.account_id)
    waited = select(Delivery).where(Delivery.batch_id == delivery.id).order_by(Delivery.created_at, Delivery.id)
    games: dict[str, list[Delivery]] = {}
    for notice in session.scalars(waited):
        games.setdefault(notice.game_id or "", []).append(notice)
    told = [_of_game(session, account, game_id, notices) for game_id, notices in games.items() if game_id]
    others = _sentences(account.language, games.get("", []))
    return Content(account.language, {"games": told, "elsewhere": others, "settings": links.to("/v1/me/notifications")})


def _of_game(session: Session, account: Account, game_id: str, notices: list[Delivery]) -> dict[str, Any]:
    game = session.get_one(Game, game_id)
    seats = list(session.scalars(select(Seat).where(Seat.game_id == game_id).order_by(Seat.letter)))
    mine = next((seat.letter for seat in seats if seat.account_id == account.id), None)
    return {
        "id": game_id,
        "others": [one_line(seat.account.name) for seat in seats if seat.account_id != account.id],
        "inviters": _inviters(session, game_id, account),
        "owed": mine is not None and game.asked_seat == mine,
        "told": _sentences(account.language, notices),
        "links": links.of_game(game_id),
    }


def _inviters(session: Session, game_id: str, account: Account) -> list[str]:
    wanted = select(Account.name).join(Invitation, Invitation.inviter_id == Account.id)
    open_ = wanted.where(Invitation.game_id == game_id, Invitation.account_id == account.id, Invitation.state == "open")
    return [one_line(name) for name in session.scalars(open_.distinct())]


def _sentences(language: str, notices: list[Delivery]) -> list[str]:
    """What each kind says in a digest, with how often it was to be said; whose turn it is is looked up instead."""
    said = words(language)["digest"]
    counted = Counter(notice.kind for notice in notices)
    return [said[kind].format(count=count) for kind, count in counted.items() if kind in said]
