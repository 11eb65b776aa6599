"""What an invitation is filled with."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from server import links
from server.models import Account, Delivery, Game, Invitation
from server.services import notifying
from server.services.letters.about_account import local
from server.services.letters.about_game import house_rules
from server.services.letters.content import Content
from server.services.letters.templates import one_line


def content(session: Session, delivery: Delivery) -> Content:
    """Of the inviter nothing but his name; an address that has an account is written to as that account wishes."""
    payload = delivery.payload or {}
    offer = session.get_one(Invitation, payload["invitation"])
    game = session.get_one(Game, offer.game_id)
    address = notifying.recipient(session, delivery)
    known = session.scalar(select(Account).where(Account.email == address))
    values = {
        "inviter": one_line(session.get_one(Account, offer.inviter_id).name),
        "game": game,
        "house_rules": house_rules(game),
        "expires_at": local(offer.expires_at, known.time_zone if known else "UTC"),
        "has_account": known is not None,
        "links": links.of_invitation(payload["token"]),
        "sign_in": links.to("/v1/accounts"),
    }
    return Content(known.language if known else payload["language"], values, about=offer.id)
