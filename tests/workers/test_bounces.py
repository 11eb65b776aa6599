"""Mails that come back: what a report says, what it counts, and what follows when an address is dead."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest
from sqlalchemy import select

from server import clock
from server.config import Settings
from server.database import reading, transaction
from server.models import Account, Delivery, MailToken
from server.services import bounces, dispatching, mail_tokens, outbox, settling
from server.services.settling import Outcome
from tests.workers import rows


def report(*recipients: str, kind: str = "report", status: str = "message/delivery-status") -> bytes:
    """As RFC 3464 has it; each recipient as the lines of its block."""
    blocks = "\r\n\r\n".join(("Reporting-MTA: dns; mx.example.org", *recipients))
    return (
        "From: MAILER-DAEMON@mx.example.org\r\nTo: b-x@localhost\r\nSubject: failure notice\r\n"
        f'Content-Type: multipart/{kind}; report-type=delivery-status; boundary="b"\r\n\r\n'
        "--b\r\nContent-Type: text/plain\r\n\r\nIt did not work.\r\n"
        f"--b\r\nContent-Type: {status}\r\n\r\n{blocks}\r\n"
        "--b\r\nContent-Type: message/rfc822\r\n\r\nFrom: play@example.org\r\nStatus: 5.1.1\r\nAction: failed\r\n\r\nhi\r\n--b--\r\n"
    ).encode()


def failed(status: str, diagnosis: str = "", action: str = "failed") -> bytes:
    said = f"\r\nDiagnostic-Code: smtp; {diagnosis}" if diagnosis else ""
    return report(f"Final-Recipient: rfc822; anna@example.org\r\nAction: {action}\r\nStatus: {status}{said}")


CASES = [
    (failed("5.1.1", "550 5.1.1 no such user"), "hard"),
    (failed("5.1.10"), "hard"),
    (failed("5.1.2", "host unknown"), "hard"),
    (failed("5.2.1", "550 5.2.1 mailbox disabled"), "hard"),
    (failed("5.0.0", "550 5.1.1 user unknown"), "hard"),
    (failed("5.0.0", "550 no such user here"), "hard"),
    (failed("5.0.0", "552 quota exceeded"), "soft"),
    (failed("5.0.0", "550 mailbox is full"), "soft"),
    (failed("5.2.2", "552 5.2.2 over quota"), "soft"),
    (failed("5.7.1", "550 5.7.1 blocked by policy"), "soft"),
    (failed("5.0.0", "554 5.7.26 unauthenticated mail is not accepted"), "soft"),
    (failed("5.1.8", "bad sender's system address"), "soft"),
    (failed("5.4.7", "delivery time expired"), "soft"),
    (failed("5.3.4", "message too big"), "soft"),
    (failed("4.4.1", "connection timed out"), "soft"),
    (failed("4.2.2", "over quota", action="delayed"), "delayed"),
    (failed("2.1.5", action="delivered"), "none"),
    (failed("2.1.5", action="relayed"), "none"),
    (failed("nonsense"), "soft"),
    (failed("5.1.1").replace(b"Action: failed", b"Action:  FAILED "), "hard"),
    (report("Action: delayed\r\nStatus: 4.0.0", "Action: failed\r\nStatus: 5.1.1"), "hard"),
    (report("Status: 5.1.1"), "none"),
    (report("Action: failed\r\nStatus: 5.1.1", status="text/plain"), "none"),
    (b"From: anna@example.org\r\nSubject: I am away\r\n\r\n5.1.1 550 no such user\r\n", "none"),
    (b"", "none"),
    (b"\0\xff" * 5000, "none"),
    (b"Content-Type: multipart/report; boundary=\xff\xfe\r\n\r\n--\xff\xfe\r\n\r\n", "none"),
    (b"Content-Type: message/delivery-status\r\n\r\nAction: failed\r\nStatus: 5.1.1\r\n", "hard"),
    (b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" * 2000, "none"),
]


@pytest.mark.parametrize(("raw", "kind"), CASES)
def test_a_report_is_read_for_what_it_means(raw: bytes, kind: str) -> None:
    assert bounces.classified(raw)[0] == kind


def test_garbage_never_raises() -> None:
    chance = random.Random(7)
    for _ in range(300):
        raw = bytearray(failed("5.1.1", "550 5.1.1 no such user"))
        for _ in range(chance.randint(1, 40)):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
        assert bounces.classified(bytes(raw))[0] in bounces.POINTS


def test_a_report_is_bounded_before_it_is_parsed() -> None:
    assert bounces.classified(b"x" * 10_000_000 + failed("5.1.1"))[0] == "none"
    nested = b"".join(b"Content-Type: multipart/report; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(5000))
    assert bounces.classified(nested)[0] == "none"


# What it counts


def anna() -> Account:
    with reading() as session:
        found = session.scalars(select(Account).where(Account.name == "anna")).one()
        session.expunge(found)
    return found


def mailed(address: str = "anna@example.org") -> str:
    """Anna has been sent a mail; its bounce address, before the @."""
    with transaction() as session:
        known = session.scalars(select(Account).where(Account.name == "anna")).first() or rows.account(session, "anna")
        text, row = mail_tokens.mint("b", account_id=known.id, address=address, now=clock.now())
        session.add(row)
    return f"b-{text}"


def came_back(local_part: str, raw: bytes) -> str:
    with transaction() as session:
        token = mail_tokens.find(session, local_part)
        assert isinstance(token, MailToken)
        return bounces.take(session, token, raw, clock.now())


def test_a_hard_bounce_is_enough(settings: Settings) -> None:
    assert came_back(mailed(), failed("5.1.1", "550 5.1.1 no such user")) == "hard"
    assert anna().mail_dead_at is not None
    assert anna().mail_dead_reason == "5.1.1 smtp; 550 5.1.1 no such user"


def test_soft_ones_add_up_and_a_delay_is_nothing(settings: Settings) -> None:
    for _ in range(4):
        assert came_back(mailed(), failed("5.2.2", "over quota")) == "soft"
        assert came_back(mailed(), failed("4.2.2", "over quota", action="delayed")) == "delayed"
    assert anna().mail_dead_at is None and anna().mail_score == 8
    came_back(mailed(), failed("5.2.2", "over quota"))
    assert anna().mail_dead_at is not None


def test_a_bounce_of_another_address_counts_for_nothing(settings: Settings) -> None:
    came_back(mailed("old@example.org"), failed("5.1.1"))
    assert anna().mail_score == 0 and anna().mail_dead_at is None


def notice() -> Delivery:
    with transaction() as session:
        known = session.scalars(select(Account).where(Account.name == "anna")).first() or rows.account(session, "anna")
        made = outbox.post(
            session, kind="webhook_disabled", channel="email", dedupe_key=f"n{clock.now()}", now=clock.now(), account_id=known.id,
            payload={},
        )  # fmt: skip
        assert made is not None
        return made


def attempt(outcome: Outcome) -> None:
    notice()
    (claimed,) = outbox.claim("a worker", 1, clock.now())
    with transaction() as session:
        delivery = outbox.held(session, claimed)
        assert delivery is not None
        outbox.begin(session, delivery, clock.now())
    assert settling.settle(claimed, outcome, clock.now())


def test_a_refusal_at_once_counts_as_much(settings: Settings) -> None:
    attempt(Outcome("permanent", 550, "5.1.1 no such user"))
    assert anna().mail_dead_reason == "550 5.1.1 no such user"


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome("transient", 550, "relay not permitted"),
        Outcome("transient", 550, "5.7.1"),
        Outcome("ambiguous"),
        Outcome("permanent", None, "no such address"),
    ],
)
def test_other_failures_say_nothing_of_the_address(settings: Settings, outcome: Outcome) -> None:
    attempt(outcome)
    assert anna().mail_score == 0 and anna().mail_dead_at is None


def test_a_mail_that_is_accepted_takes_a_point_off(settings: Settings) -> None:
    came_back(mailed(), failed("5.2.2", "over quota"))
    for expected in (1, 0, 0):
        attempt(Outcome("sent", 250, "ok"))
        assert anna().mail_score == expected


# What follows


def test_nothing_is_sent_to_a_dead_address(settings: Settings) -> None:
    with transaction() as session:
        people = rows.account(session, "anna"), rows.account(session, "boris")
        game = rows.game(session, *people)
        rows.ask(session, game, "A")
    came_back(mailed(), failed("5.1.1"))
    (claimed,) = outbox.claim("a worker", 1, clock.now())
    assert dispatching.prepare(claimed, settings) is None
    (delivery,) = [row for row in rows.deliveries() if row.channel == "email"]
    assert (delivery.state, delivery.reason) in (("suppressed", "address-dead"), ("obsolete", "address-dead"))


def test_but_a_code_is(settings: Settings) -> None:
    came_back(mailed(), failed("5.1.1"))
    with transaction() as session:
        rows.code(session, "anna@example.org")
    (claimed,) = outbox.claim("a worker", 1, clock.now() + timedelta(seconds=1))
    assert dispatching.prepare(claimed, settings) is not None
