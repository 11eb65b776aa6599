"""Receivers of webhooks of every kind: refusing, redirecting, greedy, silent, endless, badly certified."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from sqlalchemy import select

from server.database import reading, transaction
from server.models import Delivery, WebhookEndpoint
from tests.faults import hooks
from tests.faults.case import case
from tests.faults.hooks import Behaviour, Call, drip, hang, kept, reset, status
from tests.faults.stage import Stage
from tests.faults.tables import Ledger, opened, play_on
from tests.workers import rows

HANGING = 60  # notices for the one that hangs


def misbehaving(name: str, *behaviours: Behaviour, ambiguous: int = 0) -> None:
    """A case in which the endpoint does these things first."""

    @case(f"webhook-{name}", ambiguous=ambiguous)
    def _misbehaving(stage: Stage, ledger: Ledger) -> None:
        stage.hooks.spoil("bad", behaviours)
        play_on(opened(stage, ledger, 2, "WW", hook="bad"), 2)
        assert not stage.hooks.left(), "not all of it happened"


def gigabyte(call: Call) -> None:
    """An answer that nobody should read to its end."""
    call.keep()
    call.socket.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n")
    for taken in range(1024):
        try:
            call.socket.sendall(bytes(1 << 20))
        except OSError:
            return
        assert taken < 64, "it is read on and on"


def in_a_moment() -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)


misbehaving("3xx", *[status(code) for code in (300, 301, 302, 303, 304, 307, 308)])
misbehaving("4xx", *[status(code) for code in (400, 401, 403, 404, 409, 418, 422)])
misbehaving("5xx", *[status(code) for code in (500, 501, 502, 503, 504, 599, 999)])
misbehaving("2xx", *[kept(status(code)) for code in (200, 201, 202, 203, 204, 206, 299)])
misbehaving(
    "retry-after",
    *[status(429, Retry_After=after) for after in ("2", "2.5", in_a_moment(), "99999999999999999999", "-5")],
    *[status(503, Retry_After=after) for after in ("1", "nonsense", "Thu, 99 Foo 99999 99:99:99 GMT", "")],
)
misbehaving("accept-and-never-answer", *[hang(6)] * 3, ambiguous=3)
misbehaving("accept-keep-and-never-answer", *[kept(hang(6))] * 3, ambiguous=3)
misbehaving("drip", *[drip] * 2, ambiguous=2)
misbehaving("gigabyte", *[gigabyte] * 3)
misbehaving("reset", *[reset] * 3, ambiguous=3)
misbehaving("kept-and-reset", *[kept(reset)] * 3, ambiguous=3)
misbehaving("kept-and-cut-in-the-body", *[kept(lambda call: call.answer(200, {"Content-Length": "500"}, b"abc"))] * 3)


@case("webhook-redirects-to-loopback")
def _redirects(stage: Stage, ledger: Ledger) -> None:
    """They are followed nowhere, neither to this machine nor to another one."""
    elsewhere = [f"{stage.hooks.url}/elsewhere", "//127.0.0.1/elsewhere", "/hook/elsewhere"]
    stage.hooks.spoil("bad", [status(code, Location=to) for to in elsewhere for code in (302, 307, 308)])
    stage.hooks.always["elsewhere"] = kept(status(204))
    play_on(opened(stage, ledger, 3, "WW", hook="bad"), 2)
    assert not stage.hooks.left()
    assert stage.hooks.reached["elsewhere"] == 0, "a redirect was followed"


@case("webhook-gone", deaths=("endpoint-gone",))
def _gone(stage: Stage, ledger: Ledger) -> None:
    """410: dead and visible, the endpoint is off, and what comes after is promised to nobody."""
    stage.hooks.spoil("gone", [status(410)] * 2)
    tables = opened(stage, ledger, 1, "EW", hook="gone")
    stage.eventually(lambda: stage.unsettled() == 0)
    with reading() as session:
        endpoint = session.scalars(select(WebhookEndpoint).where(WebhookEndpoint.url.endswith("/gone"))).one()
        notices = session.scalars(select(Delivery).where(Delivery.endpoint_id == endpoint.id)).all()
        assert not endpoint.active and endpoint.disabled_reason == "gone"
    assert notices and tables


@case("webhook-bad-certificates")
def _certificates(stage: Stage, ledger: Ledger) -> None:
    """By itself, another name, expired, then nothing for a while, then a good one: nothing is said before that."""
    bad = [
        stage.authority.server("127.0.0.1", by_itself=True),
        stage.authority.server("other.example.org"),
        stage.authority.server("127.0.0.1", ends=-timedelta(days=1)),
    ]
    good, used = stage.authority.server("127.0.0.1"), []

    def context() -> ssl.SSLContext:
        used.append(1)
        return bad[len(used) - 1] if len(used) <= len(bad) else good

    with hooks.serving(stage.journal, context) as tls, transaction() as session:
        anna = rows.account(session, f"tls{stage.dice.random()}", None)
        rows.endpoint(session, anna, f"{tls.url}/tls", "turn.opened")
        boris = rows.account(session, f"tls{stage.dice.random()}", None)
        game = rows.game(session, boris, anna)
        rows.ask(session, game, "B")
        session.commit()
        stage.kick()
        stage.eventually(lambda: stage.unsettled() == 0)
        assert len(used) > len(bad)


@case("webhook-one-hanging-beside-fifty", ambiguous=HANGING + 2)
def _isolation(stage: Stage, ledger: Ledger) -> None:
    """It has more waiting than a worker sends at a time, all of it older than what is for the fifty: they have theirs before
    it has been tried with half of it."""
    stage.hooks.always["hanging"] = hang(4)
    with transaction() as session:
        slow = rows.account(session, f"slow{stage.dice.random()}", None)
        rows.endpoint(session, slow, f"{stage.hooks.url}/hanging", "turn.opened")
        others = [rows.account(session, f"quick{stage.dice.random()}", None) for _ in range(50)]
        for number, one in enumerate(others):
            rows.endpoint(session, one, f"{stage.hooks.url}/quick{number}", "turn.opened")
        for _ in range(HANGING):
            rows.ask(session, rows.game(session, others[0], slow), "B")
    stage.kick()
    stage.eventually(lambda: stage.hooks.reached["hanging"] >= 1)
    with transaction() as session:
        for one in others:
            rows.ask(session, rows.game(session, slow, session.merge(one)), "B")
    stage.kick()
    stage.eventually(lambda: all(stage.hooks.reached[f"quick{number}"] for number in range(50)))
    tried = stage.hooks.reached["hanging"]
    del stage.hooks.always["hanging"]
    assert tried < HANGING / 2, f"fifty good endpoints waited for {tried} attempts"
