"""A small world in which everything exists that an operation can name: games in every state, private ones and public ones,
people to each of whom something else is theirs. It can be put back to how it was, so that a test may change it at will."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select, update

from server import clock, create_app, database, kicking, sealing, waking
from server.config import Settings
from server.database import reading, transaction
from server.models import Delivery, Token
from server.services import mail_tokens
from tests.playing import Person, code_sent_to, signed_in

STATES = ("open", "full", "running", "over")
PRIVATE = {"listed": False, "join": "invited", "spectators": "none"}
PUBLIC = {"spectators": "public"}
SECRET = "of-whoever-hands-in-mail"
ENTROPY = "test"
COMMITMENT = hashlib.sha256(ENTROPY.encode()).hexdigest()
SCOPES = ("account", "bots", "games:play", "games:read", "webhooks")


@dataclass
class World:
    """Ann hosts, Bob plays, Robot is Olga's bot and plays, too; Eve has nothing to do with any of it."""

    app: Flask
    file: Path  # the database, of SQLite
    people: dict[str, Person] = field(default_factory=dict)
    games: dict[tuple[str, bool], str] = field(default_factory=dict)  # by state, and whether it is private
    things: dict[str, str] = field(default_factory=dict)  # what else stands in paths and bodies, by its name there

    def keep(self) -> None:
        database.disconnect()  # whoever goes last puts everything into the one file
        shutil.copy(self.file, self.file.with_suffix(".kept"))
        database.connect(f"sqlite:///{self.file}")

    def put_back(self) -> None:
        database.disconnect()
        for rest in ("-wal", "-shm"):
            Path(f"{self.file}{rest}").unlink(missing_ok=True)
        shutil.copy(self.file.with_suffix(".kept"), self.file)
        database.connect(f"sqlite:///{self.file}")

    def path(self, template: str, state: str = "open", private: bool = True) -> str:
        return template.format(**self.things | {"game_id": self.games[state, private]})


@contextmanager
def world(file: Path) -> Iterator[World]:
    """Built in this database, which is empty."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GALAPOST_HOME", str(file.parent))
        patch.setenv("GALAPOST_DATABASE", f"sqlite:///{file}")
        patch.setenv("GALAPOST_BROKER", "redis://127.0.0.1:1")
        patch.setenv("GALAPOST_INBOUND_SECRET", SECRET)
        patch.setattr(kicking, "kick", lambda *task: None)
        sealing._key.cache_clear()
        made = World(create_app(Settings.from_env()), file)
        build(made)
        made.keep()
        yield made
        waking.end()
        database.disconnect()
        sealing._key.cache_clear()


def build(made: World) -> None:
    names = {"host": "Ann", "player": "Bob", "other": "Eve", "owner": "Olga"}
    made.people = {role: signed_in(made.app, name, f"{name.lower()}@example.org") for role, name in names.items()}
    made.people |= {"nobody": Person(made.app), "mail server": Person(made.app, SECRET), "bot": _bot(made)}
    for state in STATES:
        for private in (True, False):
            made.games[state, private] = _game(made, state, private)
    made.things |= _invitations(made) | _webhook(made) | _codes(made) | _subscription(made)
    made.things |= {"letter": "B", "name": "Bob", "rule_set": made.people["host"].seen("/rules")["items"][0]["id"]}
    made.things["token_id"] = made.people["host"].made("/me/tokens", {"name": "spare", "scopes": ["account"]})["id"]
    for kind in ("expired", "revoked"):
        made.people[kind] = _bad(made, kind)


def with_scopes(person: Person, *scopes: str) -> Person:
    made = person.made("/me/tokens", {"name": "a part", "scopes": list(scopes)})
    return Person(person.app, made["token"], person.name)


def _bot(made: World) -> Person:
    owner = made.people["owner"]
    made.things["bot_id"] = owner.made("/bots", {"name": "Robot", "accepts": {"games_at_once": 1000}})["id"]
    wish = {"name": "its own", "scopes": ["games:play", "games:read", "webhooks"]}
    token = owner.made(f"/bots/{made.things['bot_id']}/tokens", wish)
    made.things["bot_token_id"] = owner.made(f"/bots/{made.things['bot_id']}/tokens", wish)["id"]
    return Person(made.app, token["token"], "Robot")


def _game(made: World, state: str, private: bool) -> str:
    """With Ann, Bob and Robot in seats A, B and C; once it runs, Ann is asked."""
    host, player, bot = (made.people[role] for role in ("host", "player", "bot"))
    wishes = {"seats": 4 if state == "open" else 3, "start": "host", **(PRIVATE if private else PUBLIC)}
    seat = {"entropy_commitment": COMMITMENT} if state == "full" else {}
    while True:
        game: str = host.made("/games", {**wishes, **seat})["id"]
        for guest in (player, bot):
            host.made(f"/games/{game}/invitations", {"account": guest.name})
            guest.made(f"/games/{game}/seats", seat)
        if state in ("open", "full"):
            return game
        asked = host.made(f"/games/{game}/start")["waiting_for"]["seat"]
        if state == "over" or asked == "A":
            break
    if state == "over":
        for leaver in (player, bot):
            leaver.made(f"/games/{game}/resignation")
    return game


def _invitations(made: World) -> dict[str, str]:
    """To the private game: by mail, whose token is in a path, and by a link that can be withdrawn."""
    game, host = made.games["open", True], made.people["host"]
    host.made(f"/games/{game}/invitations", {"email": "dan@example.net"})
    link = host.made(f"/games/{game}/invitations", {"link": True})
    with reading() as session:
        mail = session.scalars(select(Delivery).where(Delivery.address == "dan@example.net")).one()
        return {"token": (mail.payload or {})["token"], "invitation_id": link["id"]}


def _webhook(made: World) -> dict[str, str]:
    host = made.people["host"]
    webhook = host.made("/webhooks", {"url": "https://bot.example.org/hook"})["id"]
    delivery = host.made(f"/webhooks/{webhook}/test")["id"]
    return {"webhook_id": webhook, "delivery_id": delivery}


def _codes(made: World) -> dict[str, str]:
    """For somebody who is new, and for a new address of Ann's."""
    new, moved = "fay@example.org", "anna@example.org"
    arriving = made.people["nobody"].made("/accounts", {"email": new})["verification"]
    moving = made.people["host"].made("/me/email", {"email": moved})["verification"]
    return {
        "arriving": arriving,
        "code_of_arriving": code_sent_to(new),
        "moving": moving,
        "code_of_moving": code_sent_to(moved),
    }


def _subscription(made: World) -> dict[str, str]:
    """What a mail to Ann about her turns has, for who wants no more of them."""
    account = made.people["host"].seen("/me")["id"]
    text, row = mail_tokens.mint("u", account_id=account, about="your_turn", now=clock.now())
    with transaction() as session:
        session.add(row)
    return {"subscription": text}


def _bad(made: World, kind: str) -> Person:
    """Ann with a token that was good once."""
    was_good = with_scopes(made.people["host"], *SCOPES)
    values: dict[str, Any] = {f"{kind}_at" if kind == "revoked" else "expires_at": clock.now()}
    with transaction() as session:
        session.execute(update(Token).where(Token.digest == sealing.digest(was_good.token or "")).values(**values))
    return was_good
