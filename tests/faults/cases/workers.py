"""Workers that die or stand still at the worst moments."""

from __future__ import annotations

import os
import signal
import threading
import time

from sqlalchemy import select

from server.database import transaction
from server.models import WebhookEndpoint
from tests.faults import hooks, mail
from tests.faults.case import case
from tests.faults.databases import POSTGRESQL
from tests.faults.faults import ALWAYS
from tests.faults.mail import Spoil
from tests.faults.stage import Stage
from tests.faults.tables import Ledger, opened, play_on

IN_FLIGHT = 28  # sends of one process at the same time
LEASE = 15.0  # seconds, as shortened


@case("calm")
def _calm(stage: Stage, ledger: Ledger) -> None:
    """Nothing fails: what else there is to see is seen against this."""
    play_on(opened(stage, ledger, 6, "EWB"), 6)


@case("hurried")
def _hurried(stage: Stage, ledger: Ledger) -> None:
    """The players are quicker than the notices; what is overtaken is not sent."""
    play_on(opened(stage, ledger, 6, "EW"), 12, told=False)


def killed_at(name: str, point: str, ambiguous: int) -> None:
    @case(f"killed-{name}", ambiguous=ambiguous)
    def _killed(stage: Stage, ledger: Ledger) -> None:
        tables = opened(stage, ledger, 3, "EW")
        stage.faults.arm(point, "kill", at=(1, 4))
        play_on(tables, 4)
        stage.reached(point, 2)


killed_at("before-the-claim-commits", "claim, before its commit", ambiguous=2 * IN_FLIGHT)
killed_at("after-the-claim", "claim, after its commit", ambiguous=2 * IN_FLIGHT)
killed_at("before-the-attempt-commits", "prepare, before its commit", ambiguous=2 * IN_FLIGHT)
killed_at("after-the-attempt", "prepare, after its commit", ambiguous=2 * IN_FLIGHT)
killed_at("in-the-middle-of-DATA", "in the middle of DATA", ambiguous=2 * IN_FLIGHT)
killed_at("after-acceptance", "accepted, before it is settled", ambiguous=2 * IN_FLIGHT)
killed_at("before-the-settlement-commits", "settle, before its commit", ambiguous=2 * IN_FLIGHT)
killed_at("after-the-settlement", "settle, after its commit", ambiguous=2 * IN_FLIGHT)


@case("killed-alone-after-the-claim", ambiguous=0)
def _killed_alone(stage: Stage, ledger: Ledger) -> None:
    """With one row in flight nothing was begun, so nothing is ambiguous."""
    (table,) = opened(stage, ledger, 1, "WW")
    play_on([table], 1)
    stage.eventually(lambda: stage.unsettled() == 0)
    stage.faults.arm("claim, after its commit", "kill")
    play_on([table], 1)
    stage.reached("claim, after its commit")


@case("stopped-after-the-claim", ambiguous=0)
def _stopped_after_claim(stage: Stage, ledger: Ledger) -> None:
    """Longer than its lease; continued while another one is sending."""
    (table,) = opened(stage, ledger, 1, "EE")
    play_on([table], 2)
    stage.eventually(lambda: stage.unsettled() == 0)
    stage.faults.arm("claim, after its commit", "stop")
    stage.front.spoil([Spoil("dot", mail.late(3.0), behind=True)])
    table.move()
    (stopped,) = stage.reached("claim, after its commit")
    stage.eventually(lambda: stage.front.reached == 1, 2 * LEASE)
    os.kill(stopped, signal.SIGCONT)
    play_on([table], 1)


@case("stopped-in-the-claim", POSTGRESQL)
def _stopped_in_claim(stage: Stage, ledger: Ledger) -> None:
    """It holds the locks of the rows that it chose. On SQLite whoever stands still there stops everybody."""
    (table,) = opened(stage, ledger, 1, "EE")
    play_on([table], 2)
    stage.eventually(lambda: stage.unsettled() == 0)
    stage.faults.arm("claim, before its commit", "stop")
    play_on([table], 1)
    (stopped,) = stage.reached("claim, before its commit")
    stage.eventually(lambda: stage.unsettled() == 0, 2 * LEASE)
    os.kill(stopped, signal.SIGCONT)
    play_on([table], 1)


@case("stopped-in-the-send", ambiguous=1)
def _stopped_in_send(stage: Stage, ledger: Ledger) -> None:
    """In the middle of DATA, for longer than its lease; what it finds out afterwards is too late to count.

    It does nothing else at that moment: on SQLite a process that is stopped while it writes stops everybody."""
    (table,) = opened(stage, ledger, 1, "EE")
    play_on([table], 2)
    stage.eventually(lambda: stage.unsettled() == 0)
    stage.faults.arm("in the middle of DATA", "stop")
    table.move()
    (stopped,) = stage.reached("in the middle of DATA")
    stage.eventually(lambda: stage.unsettled() == 0, 3 * LEASE)
    os.kill(stopped, signal.SIGCONT)
    play_on([table], 2)


@case("claimed-by-two")
def _claimed_by_two(stage: Stage, ledger: Ledger) -> None:
    """Two workers look for what is due at the same time, and take their time between the look and the commit."""
    stage.crew.worker("second")
    stage.faults.arm("claim, before its commit", "sleep:0.3", at=ALWAYS)
    play_on(opened(stage, ledger, 8, "WW"), 6)
    stage.reached("claim, before its commit", 2)
    stage.crew.kill("second")


@case("two-beats")
def _two_beats(stage: Stage, ledger: Ledger) -> None:
    stage.crew.beat("second-beat")
    play_on(opened(stage, ledger, 5, "EW"), 5)
    assert stage.crew.runs("second-beat"), "the second beat has ended"
    stage.crew.kill("second-beat")


@case("no-beat")
def _no_beat(stage: Stage, ledger: Ledger) -> None:
    """Kicks alone wake the workers."""
    stage.crew.kill("beat")
    play_on(opened(stage, ledger, 5, "EW"), 5)


@case("too-slow-for-a-short-lease")
def _slow(stage: Stage, ledger: Ledger) -> None:
    """A receiver that takes most of the time it is given: nobody may think that its sender has died."""
    tables = opened(stage, ledger, 2, "EE")
    stage.front.spoil([Spoil("dot", mail.late(5.5), behind=True)] * 4)
    play_on(tables, 4)
    assert stage.front.reached == 4


@case("answered-between-two-attempts")
def _answered_meanwhile(stage: Stage, ledger: Ledger) -> None:
    """A notice that was refused for now, and whose decision is answered before the next attempt, is not sent any more."""
    tables = opened(stage, ledger, 4, "BB")
    play_on(tables, 2)
    stage.eventually(lambda: stage.unsettled() == 0)
    stage.front.spoil([Spoil("RCPT", mail.say("451 4.7.1 later"))] * 4)
    stage.hooks.spoil("good", [hooks.status(503, Retry_After="2")] * 4)
    for table in tables:
        table.move()
    stage.eventually(lambda: stage.front.reached == 4 and not stage.hooks.left())
    play_on(tables, 1, told=False)


@case("push-bot-killed-after-its-move", ambiguous=2 * IN_FLIGHT)
def _push_bot(stage: Stage, ledger: Ledger) -> None:
    """Its answer was played, and the worker died before it wrote that down: it is not played twice."""
    tables = opened(stage, ledger, 2, "EW", hook="bot")
    with transaction() as session:
        for endpoint in session.scalars(select(WebhookEndpoint).where(WebhookEndpoint.url.endswith("/bot"))):
            endpoint.answers = True
    for table in tables:
        del table.callers["B"]  # that one is the bot's
    stage.hooks.always["bot"] = _passes
    stage.faults.arm("played, before it is settled", "kill")
    try:
        play_on(tables, 3, patience=3 * LEASE)
    finally:
        del stage.hooks.always["bot"]
    stage.reached("played, before it is settled")


def _passes(call: hooks.Call) -> None:
    """Which is a move in the development phase."""
    call.keep()
    call.answer(200, {"Content-Type": "application/json"}, b'{"move": "pass"}')


def kill_at_random(stage: Stage, ledger: Ledger, notices: int, kills: int) -> None:
    """`notices`: turns that are told, a quarter of the players by mail. Receivers take their time, so that much is cut."""
    stage.hooks.always["good"] = dawdling
    tables = opened(stage, ledger, max(4, notices // 60), "WWWE")
    killed = threading.Event()
    played = threading.Event()

    def murder() -> None:
        for _ in range(kills):
            if played.wait(stage.dice.uniform(4, 9)):
                return
            stage.crew.murder("worker")
        killed.set()

    murderer = threading.Thread(target=murder, name="murderer")
    murderer.start()
    try:
        while not killed.is_set() or len(ledger.answered) < notices:
            before = len(ledger.answered)
            play_on(tables, max(1, min(10, notices // len(tables))))
            if len(ledger.answered) == before:
                tables = opened(stage, ledger, len(tables), "WWWE")  # those games are over
    finally:
        played.set()
        murderer.join()
        del stage.hooks.always["good"]


def dawdling(call: hooks.Call) -> None:
    time.sleep(0.3)
    hooks.take(call)


@case("killed-at-random-3-in-200", ambiguous=3 * 2 * IN_FLIGHT)
def _few_kills(stage: Stage, ledger: Ledger) -> None:
    kill_at_random(stage, ledger, 200, 3)


@case("killed-at-random-20-in-3000", ambiguous=20 * 2 * IN_FLIGHT)
def _many_kills(stage: Stage, ledger: Ledger) -> None:
    kill_at_random(stage, ledger, 3000, 20)
