"""The addresses and links in a letter that answer: tokens, made with the text and stored with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from server import links
from server.kinds import DIGEST, EMAIL, channels_of
from server.models import Delivery, MailToken
from server.services import mail_tokens
from server.services.letters.content import Content

HELPED = {DIGEST: "d", "test": "d", "note": "d"}  # an answer to these gets help


@dataclass
class Addresses:
    """Of one letter. `reply` is where an answer goes, None where nobody reads one."""

    delivery: Delivery
    to: str
    now: datetime
    rows: list[MailToken] = field(default_factory=list)
    reply: str | None = None
    bounces: str = ""
    unsubscribe: dict[str, str] | None = None

    @classmethod
    def of(cls, delivery: Delivery, to: str, content: Content, now: datetime) -> Addresses:
        made = cls(delivery, to, now)
        made.bounces = made.address("b", address=to)
        made.reply = made._reply(content)
        if delivery.kind == DIGEST or EMAIL in channels_of(delivery.kind):
            text = made.mint("u", about=delivery.kind, address=to)
            made.unsubscribe = {
                "address": mail_tokens.address("u", text),
                "link": links.to(f"/v1/unsubscribe/{text}"),
            }
        return made

    def mint(self, kind: str, **about: Any) -> str:
        about = {"account_id": self.delivery.account_id, "delivery_id": self.delivery.id, **about}
        text, row = mail_tokens.mint(kind, now=self.now, **about)
        self.rows.append(row)
        return text

    def address(self, kind: str, **about: Any) -> str:
        return mail_tokens.address(kind, self.mint(kind, **about))

    def of_game(self, game_id: str) -> str:
        """Where one asks about that game, and says things there."""
        return self.address("m", game_id=game_id)

    def _reply(self, content: Content) -> str | None:
        if content.about is not None:
            return self.address("i", about=content.about, game_id=self.delivery.game_id, address=self.to)
        if content.confirms is not None:
            return self.address("c", about=content.confirms, game_id=self.delivery.game_id, address=self.to)
        if self.delivery.kind in HELPED:
            return self.address(HELPED[self.delivery.kind], address=self.to)
        if self.delivery.seat is None:
            return None
        return self.address("m", game_id=self.delivery.game_id, decision=content.decision, printed=content.printed)
