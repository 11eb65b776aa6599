"""Mail servers that refuse, are silent, slow, broken, or lose and keep mail without saying so."""

from __future__ import annotations

import time

from sqlalchemy import func, select

from server.database import reading
from server.models import Account
from tests.faults import mail
from tests.faults.case import case
from tests.faults.mail import Spoil, cut_off, drip, drop, late, reset, say, silence
from tests.faults.stage import Stage
from tests.faults.tables import Ledger, opened, play_on

STEPS = ("greeting", "EHLO", "MAIL", "RCPT", "DATA", "dot")


def spoilt(name: str, *spoils: Spoil, ambiguous: int = 0) -> None:
    """A case in which the first conversations are spoilt so."""

    @case(f"smtp-{name}", ambiguous=ambiguous)
    def _spoilt(stage: Stage, ledger: Ledger) -> None:
        stage.front.spoil(spoils)
        tables = opened(stage, ledger, 2, "EE")
        play_on(tables, 2)
        stage.eventually(lambda: stage.front.reached == len(spoils))


def _at_each_step(line: str) -> list[Spoil]:
    return [Spoil(step, say(line)) for step in STEPS]


spoilt("421-at-each-step", *_at_each_step("421 4.3.2 going down"))
spoilt("4xx-at-each-step", *_at_each_step("451 4.3.0 later"))
spoilt("5xx-before-the-recipient-is-named", *[Spoil(step, say("554 5.5.1 not you")) for step in STEPS[:3]])
spoilt(
    "5xx-that-says-nothing-of-the-address",
    *[Spoil(step, say("554 5.5.0 no")) for step in STEPS[3:]],
    Spoil("RCPT", say("550 relay not permitted, authentication required")),
    Spoil("dot", say("550 5.6.0 Message contains invalid header")),
)
spoilt(
    "quota-and-policy", *[Spoil("RCPT", say(line)) for line in ("552 5.2.2 over quota", "550 5.7.1 policy", "452 full")]
)
spoilt("greylisting", *[Spoil("RCPT", say("450 4.7.1 greylisted, try again"))] * 5)
spoilt("silence-after-connect", *[Spoil("greeting", silence)] * 2)
spoilt("silence-after-DATA", *[Spoil("DATA", silence)] * 2)
spoilt(
    "silence-in-the-text", *[Spoil("text", silence)] * 2, ambiguous=2
)  # all of it is under way by then, with its dot
spoilt("silence-after-the-dot", *[Spoil("dot", silence)] * 2, ambiguous=2)
spoilt("silence-after-the-dot-and-kept", *[Spoil("dot", silence, behind=True)] * 2, ambiguous=2)
spoilt("dropped-after-the-dot-and-lost", *[Spoil("dot", drop)] * 3, ambiguous=3)
spoilt("dropped-after-the-dot-and-kept", *[Spoil("dot", drop, behind=True)] * 3, ambiguous=3)
spoilt("reset-after-the-dot-and-kept", *[Spoil("dot", reset, behind=True)] * 3, ambiguous=3)
spoilt(
    "cut-in-the-answer-and-kept",
    *[Spoil("dot", cut_off(text), behind=True) for text in (b"2", b"25", b"25x")],
    ambiguous=3,
)
spoilt("reset-at-each-step", *[Spoil(step, reset) for step in (*STEPS[:-1], "text")], ambiguous=1)
spoilt("a-scan-after-the-dot", *[Spoil("dot", late(4.0), behind=True)] * 2)  # longer than for any other answer
spoilt("250-after-a-minute", *[Spoil("dot", late(10.0), behind=True)] * 2, ambiguous=2)  # a sixth of it, as all times
spoilt("one-byte-a-second", *[Spoil(step, drip, behind=True) for step in STEPS[:-1]])
spoilt("one-byte-a-second-after-the-dot", Spoil("dot", drip, behind=True), ambiguous=1)
spoilt("no-smtp-at-all", Spoil("greeting", say("HTTP/1.1 400 Bad Request")), Spoil("EHLO", say("\x15\x03\x01")))


@case("smtp-5xx-from-the-recipient-on", deaths=("refused", "address-dead"))
def _nobody_there(stage: Stage, ledger: Ledger) -> None:
    """Where the recipient is named it is the address that is refused, and given up at once; later it is the mail."""
    before = dead_addresses()
    spoils = [Spoil(step, say("550 5.1.1 no such user")) for step in STEPS[3:]]
    stage.front.spoil(spoils)
    tables = opened(stage, ledger, 2, "EE")
    play_on(tables, 2, told=False)
    stage.eventually(lambda: stage.front.reached == len(spoils) and stage.unsettled() == 0)
    assert dead_addresses() == before + 1


def dead_addresses() -> int:
    with reading() as session:
        return session.scalar(select(func.count()).where(Account.mail_dead_at.is_not(None))) or 0


@case("smtp-refused")
def _refused(stage: Stage, ledger: Ledger) -> None:
    """Nobody listens."""
    tables = opened(stage, ledger, 2, "EE")
    with stage.front.refusing():
        time.sleep(4)
    play_on(tables, 2)


@case("smtp-broken-STARTTLS")
def _starttls(stage: Stage, ledger: Ledger) -> None:
    """Not offered, refused, answered with nonsense; nothing is sent in the clear meanwhile."""
    stage.crew.kill("worker")
    stage.crew.worker(GALAPOST_SMTP=f"smtp+starttls://127.0.0.1:{stage.front.port}")
    spoils = [
        Spoil("EHLO", mail.then_goes_on("250 no such thing here")),
        Spoil("STARTTLS", say("454 4.7.0 not now")),
        Spoil("STARTTLS", say("220 go on\r\nthis is no handshake")),
        Spoil("STARTTLS", drop),
    ]
    stage.front.spoil(spoils)
    tables = opened(stage, ledger, 2, "EE")
    play_on(tables, 2)
    assert stage.front.reached == len(spoils)
    assert not stage.front.in_the_clear, "a mail went out unencrypted"
    stage.eventually(lambda: stage.unsettled() == 0)  # what has come may not be written down yet
    stage.crew.kill("worker")
