"""Text, page and picture as one finished message, in ASCII and of bounded size."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage, Message
from email.policy import SMTP
from email.utils import format_datetime

from server.config import Settings
from server.models import Delivery
from server.services.letters.answering import Addresses

REPLIES = ("reply", "note", "confirm_letter", "confirm_resignation")  # to a letter that came in
LARGEST = 100_000  # bytes of a whole mail; some servers cut off what is longer

# Seven bits, so that the same bytes pass every server; lines end with LF here, as in a file, and with CRLF on the wire.
POLICY = SMTP.clone(linesep="\n", cte_type="7bit")
_UNFOLDED = POLICY.clone(max_line_length=998)  # so that an ASCII text with a long line stays as readable as it is


@dataclass(frozen=True)
class Page:
    """The letter in HTML: with the table as a picture, which is one of `pictures`, and without."""

    with_picture: str
    without: str
    pictures: Iterable[bytes]


@dataclass(frozen=True)
class Draft:
    """All that a mail is made of."""

    delivery: Delivery
    addresses: Addresses
    subject: str
    text: str
    page: Page | None
    written_at: datetime


def message(draft: Draft, settings: Settings) -> str:
    """The mail, with its `Return-Path` on top, which is the envelope's sender; as rich as there is room."""
    head = _head(draft, settings)
    if draft.page is not None:
        for html, picture in _from_rich_to_poor(draft.page):
            rich = head + _body(draft, settings, html, picture)
            if len(rich) <= LARGEST:
                return rich
    return head + _body(draft, settings)


def _from_rich_to_poor(page: Page) -> Iterable[tuple[str, bytes | None]]:
    for picture in page.pictures:
        yield page.with_picture, picture
    yield page.without, None


def content_id(delivery: Delivery) -> str:
    """Of the picture in the mail."""
    return "table." + delivery.message_id.strip("<>")


def _head(draft: Draft, settings: Settings) -> str:
    """What machines read: written as it is, since the library would break long addresses in two."""
    delivery, addresses = draft.delivery, draft.addresses
    lines = {
        "Return-Path": f"<{addresses.bounces}>",
        "Date": format_datetime(draft.written_at),
        "Message-ID": delivery.message_id,
        "Auto-Submitted": "auto-replied" if delivery.kind in REPLIES else "auto-generated",
    }
    if addresses.reply is not None:
        lines["Reply-To"] = addresses.reply
    if delivery.game_id is not None:
        lines["In-Reply-To"] = lines["References"] = _thread(delivery, addresses.to, settings.mail_domain)
    if addresses.unsubscribe is not None:
        lines["List-Id"] = f"Galapost <games.{settings.mail_domain}>"
        lines["List-Unsubscribe"] = "<mailto:{address}>,\n <{link}>".format(**addresses.unsubscribe)
        lines["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    return "".join(f"{name}: {_plain(value)}\n" for name, value in lines.items())


def _plain(value: str) -> str:
    """Nothing in these was typed by anybody; should that ever change, it starts no header of its own."""
    if not re.fullmatch(r"[ -~]+(\n [ -~]+)?", value):
        raise ValueError("no value for a header")
    return value


def _thread(delivery: Delivery, to: str, domain: str) -> str:
    """A mail that never was: all letters of a game to one recipient are answers to it, so mail readers keep them together."""
    digest = hashlib.sha256(f"{delivery.game_id} {delivery.account_id or to}".encode()).digest()[:16]
    return f"<{base64.b32encode(digest).decode().rstrip('=').lower()}@{domain}>"


def _body(draft: Draft, settings: Settings, html: str | None = None, picture: bytes | None = None) -> str:
    mail = EmailMessage(policy=_UNFOLDED if draft.text.isascii() else POLICY)
    mail["From"], mail["To"], mail["Subject"] = settings.mail_from, draft.addresses.to, draft.subject
    mail.set_content(draft.text)
    if html is not None:
        mail.add_alternative(html, subtype="html")
        mail.set_boundary(_boundary("alternative", draft.delivery))
    if picture is not None:
        _add_picture(list(mail.iter_parts())[1], picture, draft.delivery)
    return mail.as_bytes(policy=POLICY).decode("ascii")


def _add_picture(page: Message, picture: bytes, delivery: Delivery) -> None:
    assert isinstance(page, EmailMessage)
    page.add_related(picture, "image", "png", cid=f"<{content_id(delivery)}>", filename="table.png")  # type: ignore[arg-type]
    page.set_boundary(_boundary("related", delivery))


def _boundary(part: str, delivery: Delivery) -> str:
    """Random as the Message-ID is, so nobody can write one into a text of his, and the same on every retry."""
    return f"={part}_{delivery.message_id.strip('<>').partition('@')[0]}"
