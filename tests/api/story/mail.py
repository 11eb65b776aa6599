"""A mail provider hands in Ann's answer to a letter about her turn."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import select

from server import clock
from server.config import Settings
from server.database import transaction
from server.models import Delivery
from server.services import letters
from tests.api.story.telling import Teller
from tests.playing import Person, running_game

SECRET = "a-secret-of-the-mail-provider"


def tell(teller: Teller) -> None:
    ann, bob = teller.people("Ann", "Bob")
    running_game(ann, bob)
    settings: Settings = teller.app.config["GALAPOST"]
    teller.app.config["GALAPOST"] = replace(settings, inbound_secret=SECRET)
    address, asked = _reply_address(settings)
    answer = (
        f"From: {asked}\nTo: {address}\nSubject: Re: Galapost\nMessage-ID: <1@client.example>\n"
        "Content-Type: text/plain; charset=utf-8\n\n1\nsay Good luck!\n"
    )
    provider = Person(teller.app, SECRET, "a mail provider")
    teller.play("hand_in_mail", provider, query={"recipient": address}, raw=("message/rfc822", answer))
    teller.app.config["GALAPOST"] = settings


def _reply_address(settings: Settings) -> tuple[str, str]:
    """Of the mail about the turn, which is written and stored as for sending; and who gets that."""
    with transaction() as session:
        waiting = select(Delivery).where(Delivery.kind == "your_turn", Delivery.channel == "email")
        notice = session.scalars(waiting).one()
        made = letters.write(session, notice, settings, clock.now())
        session.add_all(made.tokens)
    lines = made.mail.splitlines()
    return tuple(
        next(line for line in lines if line.startswith(name)).partition(": ")[2] for name in ("Reply-To", "To")
    )  # type: ignore[return-value]
