"""Mail that came in: its move is played once, and answered once, whoever is killed between the door and the verdict."""

from __future__ import annotations

import smtplib
import time
from collections.abc import Callable
from contextlib import suppress

from sqlalchemy import select

from launch.ports import free_port
from server.database import reading
from server.models import Account, Delivery, Letter
from server.services.inbound import receiving
from tests.faults.case import case
from tests.faults.stage import Stage
from tests.faults.tables import Ledger, Table, opened

ANSWERS = 3
Door = Callable[[str, str, bytes], object]


def play_by_mail(stage: Stage, ledger: Ledger, table: Table, door: Door) -> None:
    """Each turn is answered by a letter to the address that the notice of it names."""
    for _ in range(ANSWERS):
        stage.eventually(table.told)
        asked = table.question()
        assert asked is not None, "the game is over"
        number, seat, moves = asked
        sender, to = _addresses(stage, table, number, seat)
        raw = f"From: {sender}\nTo: {to}\nMessage-ID: <{to.partition('@')[0]}@{seat}>\nSubject: Re: a game\n\n{moves[0]}\n"
        door(sender, to, raw.replace("\n", "\r\n").encode())
        stage.eventually(lambda number=number: _has_gone_on(table, number))  # type: ignore[misc]
        ledger.note(table.game, number)
    stage.eventually(_all_settled)
    assert _answers(table) == ANSWERS, "not one answer for each letter"


def _addresses(stage: Stage, table: Table, number: int, seat: str) -> tuple[str, str]:
    wanted = select(Delivery.message_id).where(Delivery.game_id == table.game, Delivery.decision == number)
    with reading() as session:
        sender = session.get_one(Account, table.callers[seat].account_id).email
        return str(sender), stage.journal.answers_to[session.scalars(wanted).one()]


def _has_gone_on(table: Table, number: int) -> bool:
    asked = table.question()
    return asked is None or asked[0] != number


def _all_settled() -> bool:
    with reading() as session:
        return set(session.scalars(select(Letter.state))) == {"settled"}


def _answers(table: Table) -> int:
    """Mails that tell what became of a letter."""
    with reading() as session:
        replies = select(Delivery.id).where(Delivery.game_id == table.game, Delivery.kind == "reply")
        return len(session.scalars(replies).all())


def settler_killed(name: str, point: str, at: tuple[int, ...]) -> None:
    @case(f"letter-{name}", ambiguous=24)
    def _killed(stage: Stage, ledger: Ledger) -> None:
        (table,) = opened(stage, ledger, 1, "EE")
        stage.faults.arm(point, "kill", at)
        play_by_mail(stage, ledger, table, lambda sender, to, raw: receiving.receive(to, sender, raw))
        stage.reached(point, len(at))


settler_killed("taken-up-and-dropped", "letter, after its commit", at=(1,))
settler_killed("played-and-not-concluded", "letter, before its commit", at=(2,))
settler_killed("concluded-and-not-acknowledged", "letter, after its commit", at=(2,))


def listener_killed(name: str, point: str) -> None:
    @case(f"letter-at-the-door-{name}")
    def _killed(stage: Stage, ledger: Ledger) -> None:
        """Whoever brings it got no answer, and brings it again: it is one letter."""
        (table,) = opened(stage, ledger, 1, "EE")
        port = free_port()
        listens = {"GALAPOST_MAIL_IN": f"smtp://127.0.0.1:{port}"}
        stage.crew.start("mail", ("workers.mail_in",), listens, kept=True)
        stage.faults.arm(point, "kill", at=(1, 3))
        try:
            play_by_mail(stage, ledger, table, lambda sender, to, raw: _bring(port, sender, to, raw))
        finally:
            stage.crew.kill("mail")
        stage.reached(point, 2)


def _bring(port: int, sender: str, to: str, raw: bytes) -> None:
    """As a mail server does it: until it is told that the mail was taken."""
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        with suppress(OSError, smtplib.SMTPException), smtplib.SMTP("127.0.0.1", port, timeout=10) as client:
            client.sendmail(sender, [to], raw)
            return
        time.sleep(0.3)
    raise AssertionError("it was never taken")


listener_killed("not-stored", "door, before its commit")
listener_killed("stored-and-not-acknowledged", "door, after its commit")
