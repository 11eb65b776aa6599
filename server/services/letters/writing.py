"""The story of one letter: what it is about, which addresses in it answer, its text, its page, its signature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from server.config import Settings
from server.models import Delivery, MailToken
from server.services import notifying
from server.services.letters import (
    about_account,
    about_digest,
    about_game,
    about_invitation,
    about_mail,
    mime,
    signing,
    templates,
)
from server.services.letters.answering import Addresses
from server.services.letters.content import Content
from server.services.letters.picture import pictures
from server.services.letters.templates import Text

ABOUT: dict[str, Callable[[Session, Delivery], Content]] = {  # all others are about a game
    "verification": about_account.code,
    "email_change": about_account.code,
    "email_changed": about_account.email_changed,
    "webhook_disabled": about_account.webhook_disabled,
    "unsubscribed": about_account.unsubscribed,
    "test": about_account.test,
    "invitation": about_invitation.content,
    "digest": about_digest.content,
    "note": about_mail.note,
    "confirm_letter": about_mail.confirm_letter,
    "confirm_resignation": about_mail.confirm_resignation,
}


@dataclass(frozen=True)
class Written:
    """A finished mail in ASCII, and the rows of the addresses in it that answer: to be stored together."""

    mail: str
    tokens: tuple[MailToken, ...]


def write(session: Session, delivery: Delivery, settings: Settings, now: datetime) -> Written:
    content = ABOUT.get(delivery.kind, about_game.content)(session, delivery)
    addresses = Addresses.of(delivery, notifying.recipient(session, delivery), content, now)
    values = {**content.values, "notice": delivery.kind, "unsubscribe": addresses.unsubscribe, "reply": addresses.reply}
    values["address_of"] = addresses.of_game
    text = Text(content.language, delivery.kind, values)
    page = _page(delivery, content, values, text) if "view" in content.values else None
    draft = mime.Draft(delivery, addresses, text.subject, text.body, page, now)
    return Written(signing.signed(mime.message(draft, settings), settings), tuple(addresses.rows))


def _page(delivery: Delivery, content: Content, values: dict[str, Any], text: Text) -> mime.Page:
    values = {**values, "subject": text.subject, "opening": text.block("opening"), "answer": text.block("by_mail")}
    # Kinds of letters differ in what they have.
    values |= {"happened": None, "moves": None, "by_orders": None, "said": None, **values}
    language = content.language
    return mime.Page(
        with_picture=templates.page(language, {**values, "picture": mime.content_id(delivery)}),
        without=templates.page(language, {**values, "picture": None}),
        pictures=pictures(content.values["view"], content.names or {}, language),
    )
