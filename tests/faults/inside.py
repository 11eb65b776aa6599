"""Runs a program of ours with faults planted in it: `python -m tests.faults.inside MODULE ARGUMENTS…`.

The server knows nothing of this: functions are replaced in this process alone, before the program begins. Whoever is armed
(`faults.py`) is hit when execution comes by a named point; that it was reached is written down and synced before anything
else happens. Times are those of the server, all divided alike, so that a lease that is too short stays too short."""

from __future__ import annotations

import functools
import os
import runpy
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.orm import Session

from server import database
from server.services import dispatching, outbox, play, settling
from server.services.inbound import receiving
from server.services.inbound import settling as letters
from tests.faults.faults import Faults
from workers import carrying, schedule
from workers.transports import email, webhook

SHORTER = 6  # times
SHORTEST_STEP, LONGEST_STEP = 0.3, 1.5  # seconds between attempts
TICK = 0.7  # seconds of beat
PAUSE_AT_MOST = 60.0  # seconds

TRANSACTIONS: dict[str, Any] = {
    "claim": outbox, "prepare": dispatching, "settle": settling, "move": play, "letter": letters, "door": receiving,
}  # fmt: skip

faults = Faults(Path(os.environ["FAULTS_FOLDER"]))


def reach(point: str) -> None:
    """Execution is here."""
    act = faults.hit(point)
    if act is None:
        return
    what, _, value = act.partition(":")
    if what == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif what == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif what == "sleep":
        time.sleep(float(value))
    elif what == "pause":
        faults.wait_for_go(PAUSE_AT_MOST)
    else:
        raise ValueError(f"no such fault: {act}")


def pointed(name: str, real: Callable[[], AbstractContextManager[Session]]) -> Callable[[], Any]:
    """A transaction with a point on either side of its commit."""

    @contextmanager
    def transaction() -> Iterator[Session]:
        with real() as session:
            event.listen(session, "after_commit", lambda _: reach(f"{name}, after its commit"))
            yield session
            session.flush()
            reach(f"{name}, before its commit")

    return transaction


def write_in_halves(client: Any, raw: bytes, real: Callable[[Any, bytes], None] = email._write) -> None:
    if not faults.armed("in the middle of DATA"):
        return real(client, raw)
    real(client, raw[: len(raw) // 2])
    reach("in the middle of DATA")
    return real(client, raw[len(raw) // 2 :])


def settle(claimed: Any, outcome: Any, now: Any, real: Callable[..., bool] = settling.settle) -> bool:
    if outcome.answer == "played":
        reach("played, before it is settled")
    if outcome.kind == "sent":
        reach("accepted, before it is settled")
    return real(claimed, outcome, now)


def plant() -> None:
    for name, module in TRANSACTIONS.items():
        vars(module)["transaction"] = pointed(name, module.transaction)
    settling.settle = settle
    email._write = write_in_halves


def shorten() -> None:
    outbox.LEASE /= SHORTER
    for channel, steps in list(outbox.RETRIES.items()):
        outbox.RETRIES[channel] = [min(max(SHORTEST_STEP, step / 200), LONGEST_STEP) for step in steps]
    vars(carrying)["Smtp"] = functools.partial(email.Smtp, seconds=email.SECONDS / SHORTER)
    vars(carrying)["Webhook"] = functools.partial(
        webhook.Webhook, seconds=webhook.SECONDS / SHORTER, connecting=webhook.CONNECTING / SHORTER
    )
    email.PATIENCE /= SHORTER / 2
    webhook.WAIT_AT_MOST = 2.0
    database.SQLITE_PATIENCE //= SHORTER // 2
    database.STANDSTILL //= SHORTER
    dispatching.RECORD_AGAIN = tuple(pause / SHORTER for pause in dispatching.RECORD_AGAIN)
    letters.LEASE /= SHORTER * 3
    for name in ("dispatch", "letters"):
        schedule.SCHEDULE[name]["schedule"] = TICK


def main() -> None:
    plant()
    shorten()
    _, module, *arguments = sys.argv
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
