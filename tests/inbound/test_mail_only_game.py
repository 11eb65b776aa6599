"""People who never touch the API play by mail: over SMTP in, over SMTP out, with the processes as the Procfile has them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from email.message import EmailMessage

import pytest
from sqlalchemy import select

from launch.ports import free_port
from server.config import Settings
from server.database import reading, transaction
from server.models import Account, Game, Letter, Message, Move
from server.services import invitations, leaving, lobby
from server.services.accounts import Caller
from tests.inbound.players import Player
from tests.inbound.post import DOMAIN, PLAY, Post, letters
from tests.workers import rows
from tests.workers.processes import WORKER, eventually, process
from tests.workers.receivers import Mailbox, mail_server

PATIENCE = 240.0  # seconds; alone on a machine it takes a fraction of it


def invited(host: str, seats: int, *addresses: str, language: str = "en") -> str:
    """A table of that account's, whose other seats are offered to these addresses."""
    game: str = lobby.create(
        Caller(host, PLAY), seats, {}, listed=False, join="invited", spectators="none", start="automatic", own_bots=False
    ).body["id"]  # fmt: skip
    for address in addresses:
        invitations.invite(Caller(host, PLAY), game, email=address, language=language)
    return game


def table_of(game: str) -> Game:
    with reading() as session:
        found = session.get_one(Game, game)
        list(found.players)
        return found


class Round:
    """Gives every mail that arrives to whoever it is for."""

    def __init__(self, mailbox: Mailbox, players: list[Player]) -> None:
        self._mailbox, self._players = mailbox, {player.address: player for player in players}
        self._seen = 0

    def until(self, happened: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not happened():
            assert time.monotonic() < deadline, f"{self._seen} mails, then none came that anybody had to answer"
            arrived = list(zip(self._mailbox.envelopes[self._seen :], self._mailbox.mails[self._seen :], strict=False))
            for envelope, mail in arrived:
                self._players[envelope.rcpt_tos[0]].get(mail)
            self._seen += len(arrived)
            time.sleep(0.01)


class Guest(Player):
    """Invited by mail, accepts by mail."""

    def get(self, mail: EmailMessage) -> None:
        if str(mail["Reply-To"]).startswith("i-"):
            self.read += 1
            self.write(mail, "принять")
        else:
            super().get(mail)


def test_two_people_play_a_whole_game_by_mail(
    environment: dict[str, str], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with transaction() as session:
        host = rows.account(session, "vera", "vera@example.org").id
    mailbox, port, began = Mailbox(), free_port(), time.monotonic()
    with mail_server(mailbox):
        processes = environment | {
            "GALAPOST_SMTP": mailbox.url, "GALAPOST_MAIL_IN": f"smtp://127.0.0.1:{port}", "GALAPOST_MAIL_FROM": f"g@{DOMAIN}",
        }  # fmt: skip
        vera = Player("vera@example.org", port, ["say Hello, Galapost!", "status", "help", "orders", "mute\nunmute"])
        gleb = Guest("gleb@example.net", port, ["скажи Привет!", "Добрый день!\n", "приказы"])
        with process(processes, *WORKER), process(processes, "workers.mail_in"):
            eventually(lambda: listens(port))
            game = invited(host, 2, gleb.address, language="ru")
            kick(environment)
            Round(mailbox, [vera, gleb]).until(lambda: vera.over and gleb.over)
    check_the_game(game, vera, gleb)
    found = letters()
    with reading() as session:
        answers = len(list(session.scalars(select(Move.number).where(Move.game_id == game))))
    print(
        f"\nmail-only game: {answers} moves in {len(found)} letters, {vera.read + gleb.read} mails sent,"
        f" {time.monotonic() - began:.0f} s; {dict(Counter(letter.outcome for letter in found))}"
    )


def listens(port: int) -> bool:
    import socket

    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def kick(environment: dict[str, str]) -> None:
    """The invitation was posted by this process, which kicks nobody."""
    from server.kicking import Kicker

    Kicker(environment["GALAPOST_BROKER"]).kick()


def check_the_game(game: str, vera: Player, gleb: Player) -> None:
    with reading() as session:
        table = session.get_one(Game, game)
        assert (table.status, table.ended_by) == ("over", "rules")
        assert {seat.account.email for seat in table.players} == {vera.address, gleb.address}
        by = Counter(session.scalars(select(Move.by).where(Move.game_id == game)))
        assert by["hand"] == by.total() - by["orders"] and by["hand"] > 20
        said = list(session.scalars(select(Message.text).where(Message.game_id == game).order_by(Message.number)))
        assert sorted(said) == ["Hello, Galapost!", "Привет!"]
        account = session.scalars(select(Account).where(Account.email == gleb.address)).one()
        assert (account.language, account.verified_at is None) == ("ru", False)
        outcomes = Counter(session.scalars(select(Letter.outcome)))
    assert outcomes["accepted"] == 1 and outcomes["played"] == vera.wrote + gleb.wrote - 1
    assert vera.forms == {"number", "notation", "several", "orders"}


def test_two_who_were_invited_accept_and_one_resigns_after_being_asked_twice(post: Post) -> None:
    with transaction() as session:
        host = rows.account(session, "host").id
    game = invited(host, 3, "anna@example.org", "boris@example.org")
    post.work()
    for address, word in (("anna@example.org", "accept"), ("boris@example.org", "Принимаю!")):
        accepted = post.answer(post.newest(address), word, sender=address)
        assert (accepted.outcome, accepted.account_id is not None) == ("accepted", True)
    assert table_of(game).status == "running"
    assert len({seat.account.name for seat in table_of(game).players}) == 3

    leaving.resign(Caller(host, PLAY), game)
    post.work()
    table_mail = post.newest("boris@example.org")
    asked = post.answer(table_mail, "сдаюсь", sender="boris@example.org")
    assert asked.outcome == "resigning" and table_of(game).status == "running"
    question = next(mail for mail in post.mails("boris@example.org") if str(mail["Reply-To"]).startswith("c-"))
    assert post.answer(question, "what is this?", sender="boris@example.org").outcome == "unclear"
    assert table_of(game).status == "running"
    assert post.answer(question, "Да.", sender="boris@example.org").outcome == "resigned"
    assert table_of(game).status == "over"
    assert "You have won" in post.newest("anna@example.org").get_body(("plain",)).get_content()  # type: ignore[union-attr]
    again = post.answer(question, "confirm", sender="boris@example.org")
    assert again.outcome == "stale"
