"""A person with a row in every table that may point at an account or hold an address; and where such rows are found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from flask import Flask
from sqlalchemy import Column, func, select

from server import clock
from server.database import reading, transaction
from server.ids import new_id
from server.models import Account, Attempt, Base, Delivery, Letter, MailToken, Mute, Preference, StandingOrders
from server.services import addresses
from tests.playing import Person, code_sent_to, running_game, signed_in, whose_turn

OLD, NEW = "darwin@beagle.example", "charles@down.example"
WEBHOOK = "https://galapagos.example/hook"
SAID = "I think"

# Columns that hold an address, or stand for one, beside those that point at an account.
ADDRESSES = {"email", "address", "envelope_from"}
DIGESTS = {"email_digest"}


@dataclass
class Life:
    person: Person
    bot: Person
    host: Person
    running: str  # a game of three with him in seat B
    offered: str  # an open game of his
    joined: str  # another one's open game with him in it
    over: str  # a game of two with his bot in seat B, which has ended

    @property
    def accounts(self) -> set[str]:
        """His, and that of his bot."""
        return {self.person.seen("/me")["id"], self.person.seen("/bots?mine=true")["items"][0]["id"]}


def personal() -> Iterator[Column[Any]]:
    """Every column that tells whose a row is."""
    for table in Base.metadata.sorted_tables:
        for column in table.columns:
            points = any(key.target_fullname == "account.id" for key in column.foreign_keys)
            if points or column.name == "account_id" or column.name in ADDRESSES | DIGESTS:
                yield column


def holding(values: set[str]) -> set[str]:
    """The columns in which one of these stands."""
    with reading() as session:
        return {str(column) for column in personal() if session.scalar(select(func.count()).where(column.in_(values)))}


def everything() -> str:
    """All that is in the database, as text."""
    with reading() as session:
        rows = [row for table in Base.metadata.sorted_tables for row in session.execute(table.select())]
    return "\n".join(map(str, rows))


def lived(app: Flask) -> Life:
    darwin, hooker, huxley = signed_in(app, "Darwin", OLD), signed_in(app, "Hooker"), signed_in(app, "Huxley")
    verification = darwin.made("/me/email", {"email": NEW})["verification"]
    darwin.made("/me/email/verification", {"verification": verification, "code": code_sent_to(NEW)})
    darwin.made("/accounts", {"email": NEW})
    darwin.made("/webhooks", {"url": WEBHOOK})
    life = Life(
        darwin,
        _bot(darwin),
        hooker,
        running=running_game(hooker, darwin, huxley),
        offered=_offered(darwin),
        joined=hooker.made("/games", {"seats": 3})["id"],
        over="",
    )
    darwin.made(f"/games/{life.joined}/seats")
    hooker.made(f"/games/{life.joined}/invitations", {"email": NEW})
    hooker.made(f"/games/{hooker.made('/games', {'seats': 2})['id']}/invitations", {"account": "Darwin"})
    darwin.made(f"/games/{life.running}/messages", {"text": SAID})
    _play(life.running, hooker, darwin, huxley)
    life.over = running_game(huxley, life.bot)
    huxley.made(f"/games/{life.over}/resignation")
    with transaction() as session:
        session.add_all(_what_has_no_door_yet(life))
        addresses.never_again(session, addresses.digest(NEW), clock.now())
    return life


def _bot(owner: Person) -> Person:
    bot = owner.made("/bots", {"name": "Fitzroy"})["id"]
    wish = {"name": "t", "scopes": ["games:read", "games:play", "webhooks"]}
    return Person(owner.app, owner.made(f"/bots/{bot}/tokens", wish)["token"], "Fitzroy")


def _offered(host: Person) -> str:
    game: str = host.post("/games", {"seats": 4}, headers={"Idempotency-Key": "one"}).json["id"]
    host.made(f"/games/{game}/invitations", {"email": "lyell@example.org"})
    host.made(f"/games/{game}/invitations", {"account": "Huxley"})
    return game


def _play(game: str, *players: Person) -> None:
    for _ in range(6):
        player, number = whose_turn(game, *players)
        player.made(f"/games/{game}/moves", {"decision": number, "move": player.legal(game)[0]})


def _what_has_no_door_yet(life: Life) -> list[Base]:
    now, account = clock.now(), life.person.seen("/me")["id"]
    with reading() as session:
        mail = session.scalars(select(Delivery.id).where(Delivery.account_id == account).limit(1)).one()
    return [
        Preference(account_id=account, kinds={}, delay=0, reminders=[], version=1),
        Mute(account_id=account, game_id=life.running, created_at=now),
        MailToken(digest="d", kind="m", account_id=account, address=NEW, game_id=life.running, created_at=now),
        Letter(
            id=new_id("l"), recipient_digest="r", message_digest="m", envelope_from=NEW, raw=SAID.encode(), state="held",
            account_id=account, received_at=now, next_at=now,
        ),
        StandingOrders(
            game_id=life.running, seat="B", lines=["pass"], skipped=[], given_at=now, given_turn=1, given_event=1, version=1,
        ),
        Attempt(delivery_id=mail, n=99, fence=99, started_at=now, outcome="permanent", reply=f"550 {NEW} unknown"),
    ]  # fmt: skip


def of(account: str) -> Account:
    with reading() as session:
        return session.get_one(Account, account)
