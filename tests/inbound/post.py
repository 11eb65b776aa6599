"""A listener, a table with two players who write letters, and what is sent to them."""

from __future__ import annotations

import asyncio
import smtplib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_string, policy
from email.message import EmailMessage

from sqlalchemy import delete, select
from sqlalchemy.orm import object_session

import engine
from server import clock, sealing
from server.config import Settings
from server.database import reading, transaction
from server.ids import base32
from server.models import Account, Delivery, Game, Letter, MailToken, Move
from server.services import dispatching, games, lobby, seating
from server.services.accounts import Caller
from server.services.dispatching import Parcel
from server.services.inbound import settling
from server.services.settling import Outcome
from tests.workers import rows
from workers import mail_in

DOMAIN = "galapost.test"
PLAY = frozenset({"games:play"})
# Addresses whose texts the letters in `cases/` know.
OPEN, OLD, BORIS, DIGEST, BOUNCE = ("a" * 26, "b" * 26, "c" * 26, "d" * 26, "e" * 26)


@contextmanager
def listening(url: str = "smtp://127.0.0.1:0") -> Iterator[int]:
    """The listener in a thread of this process; gives its port."""
    loop, stop, ports, up = asyncio.new_event_loop(), asyncio.Event(), list[int](), threading.Event()

    def started(port: int) -> None:
        ports.append(port)
        up.set()

    thread = threading.Thread(target=lambda: loop.run_until_complete(mail_in.serve(url, stop, started)), daemon=True)
    thread.start()
    assert up.wait(10)
    try:
        yield ports[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        loop.close()


@dataclass
class Post:
    """Carries letters in, has them settled, and keeps what is sent out instead of sending it."""

    settings: Settings
    port: int
    sent: list[Parcel] = field(default_factory=list)

    def hand_in(self, to: str | list[str], raw: bytes, sender: str = "anna@example.org") -> None:
        """Over SMTP; raises what smtplib raises when it is refused."""
        with smtplib.SMTP("127.0.0.1", self.port, timeout=20) as client:
            client.sendmail(sender, to, raw, mail_options=["SMTPUTF8"] if not raw.isascii() else [])

    def work(self) -> None:
        while settling.run():
            pass
        settling.run()  # what a confirmation has released
        self.send()

    def send(self) -> None:
        dispatcher = dispatching.Dispatcher(self._carry, self.settings)
        dispatcher.run()
        dispatcher.finish()

    def _carry(self, parcel: Parcel) -> Outcome:
        self.sent.append(parcel)
        return Outcome("sent", 250, "taken")

    def mails(self, to: str | None = None) -> list[EmailMessage]:
        """All that were sent, or those to this address, as their readers get them."""
        parcels = [parcel for parcel in self.sent if to in (None, parcel.to)]
        return [message_from_string(parcel.body, policy=policy.default) for parcel in parcels]  # type: ignore[misc, arg-type]

    def newest(self, to: str = "anna@example.org") -> EmailMessage:
        return self.mails(to)[-1]

    def write(self, to: str, text: str, sender: str = "anna@example.org", **headers: str) -> Letter:
        """A letter in plain text, handed in and settled."""
        mail = EmailMessage(policy=policy.SMTP)
        mail["From"], mail["To"], mail["Subject"] = sender, to, headers.pop("Subject", "Re: Galapost")
        mail["Message-ID"] = f"<{base32(8)}@client.example>"
        for name, value in headers.items():
            mail[name.replace("_", "-")] = value
        mail.set_content(text)
        self.hand_in(to, bytes(mail), sender)
        self.work()
        return letters()[-1]

    def answer(self, mail: EmailMessage, text: str, sender: str = "anna@example.org", **headers: str) -> Letter:
        return self.write(str(mail["Reply-To"]), text, sender, **headers)


def letters() -> list[Letter]:
    with reading() as session:
        found = list(session.scalars(select(Letter).order_by(Letter.received_at, Letter.id)))
        session.expunge_all()
        return found


def moves(game: str) -> list[str]:
    """What was played there, in order."""
    with reading() as session:
        wanted = select(Move.notation).where(Move.game_id == game).order_by(Move.number)
        return list(session.scalars(wanted))


def kinds() -> list[str]:
    """Of all mails that were ever promised, in order."""
    with reading() as session:
        return list(session.scalars(select(Delivery.kind).order_by(Delivery.created_at, Delivery.id)))


@dataclass
class Table:
    """A game of Anna, whose turn it is, and Boris."""

    game: str
    seat: str
    legal: list[str]
    anna: str  # id of her account
    boris: str

    def address(self, token: str = OPEN, kind: str = "m") -> str:
        return f"{kind}-{token}@{DOMAIN}"


def lay_table() -> Table:
    """With letters to Anna that she may answer: about the open decision, and an old one."""
    with transaction() as session:
        anna, boris = rows.account(session, "anna"), rows.account(session, "boris")
        ids = anna.id, boris.id
    game: str = lobby.create(
        Caller(ids[0], PLAY), 2, {}, listed=True, join="open", spectators="public", start="automatic", own_bots=False
    ).body["id"]
    seating.join(Caller(ids[1], PLAY), game)
    with transaction() as session:
        row = session.get_one(Game, game)
        if row.asked_seat == "B":  # the first player is drawn: whoever it is writes Anna's letters
            _swap(session.get_one(Account, ids[0]), session.get_one(Account, ids[1]))
            ids = ids[1], ids[0]
        session.execute(delete(Delivery))  # the notices of its beginning
        legal = [str(move) for move in engine.legal_moves(games.state_of(row))]
        for text, kind, account, decision in (
            (OPEN, "m", ids[0], row.decision), (OLD, "m", ids[0], None), (BORIS, "m", ids[1], row.decision),
            (DIGEST, "d", ids[0], None), (BOUNCE, "b", ids[0], None),
        ):  # fmt: skip
            session.add(
                MailToken(
                    digest=sealing.digest(text), kind=kind, account_id=account, game_id=game if kind == "m" else None,
                    decision=decision, printed=legal if decision else None, created_at=clock.now(),
                    address="anna@example.org" if kind == "b" else None,
                )
            )  # fmt: skip
        return Table(game, row.asked_seat or "", legal, *ids)


def _swap(one: Account, other: Account) -> None:
    """Their names and addresses."""
    name, email = one.name, one.email
    other_name, other_email = other.name, other.email
    one.name, one.name_key, one.email = "nobody", "nobody", "nobody@example.org"
    session = object_session(one)
    assert session is not None
    session.flush()
    other.name, other.name_key, other.email = name, name, email
    session.flush()
    one.name, one.name_key, one.email = other_name, other_name, other_email
    session.flush()
