"""The database goes away, forgets to answer, is locked, or is full; and comes back."""

from __future__ import annotations

import contextlib
import itertools
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from server import database
from tests.faults.case import case
from tests.faults.databases import POSTGRESQL, SQLITE, LossyProxy, emptied, locked
from tests.faults.stage import Stage
from tests.faults.tables import Ledger, Table, opened, play_on

FULL = 5.0  # seconds
LOCKED = 12.0  # seconds, longer than anybody's patience as shortened


def restarted_at(name: str, point: str, seats: str = "EW") -> None:
    @case(f"postgresql-restarted-{name}", POSTGRESQL, ambiguous=None)
    def _restarted(stage: Stage, ledger: Ledger) -> None:
        """Immediately, without goodbye, while a worker stands right there."""
        tables = opened(stage, ledger, 2, seats, rough=True)
        play_on(tables, 1)
        stage.faults.arm(point, "pause")
        play_on(tables, 1, told=False)
        stage.reached(point)
        stage.databases.restart_immediately()
        stage.faults.go()
        play_on(tables, 2)


restarted_at("before-the-claim-commits", "claim, before its commit")
restarted_at("after-the-claim", "claim, after its commit")
restarted_at("before-the-attempt-commits", "prepare, before its commit")
restarted_at("after-the-attempt", "prepare, after its commit")
restarted_at("in-the-middle-of-DATA", "in the middle of DATA", seats="EE")
restarted_at("after-acceptance", "accepted, before it is settled")
restarted_at("before-the-settlement-commits", "settle, before its commit")


def meanwhile(act: Callable[[], object], pause: Callable[[], float], times: int) -> threading.Thread:
    """So often, beside what goes on."""

    def repeat() -> None:
        for _ in range(times):
            time.sleep(pause())
            act()

    thread = threading.Thread(target=repeat)
    thread.start()
    return thread


@case("postgresql-restarted-while-they-play", POSTGRESQL, ambiguous=None)
def _restarted_in_play(stage: Stage, ledger: Ledger) -> None:
    tables = opened(stage, ledger, 4, "EW", rough=True)
    restarts = meanwhile(stage.databases.restart_immediately, lambda: stage.dice.uniform(1, 3), 3)
    while restarts.is_alive():
        play_on(tables, 1, told=False)
    play_on(tables, 2)


@case("postgresql-connections-terminated", POSTGRESQL, ambiguous=None)
def _terminated(stage: Stage, ledger: Ledger) -> None:
    tables = opened(stage, ledger, 4, "EW", rough=True)
    ended: list[int] = []
    terminations = meanwhile(
        lambda: ended.append(stage.databases.terminate_others()), lambda: stage.dice.uniform(0.2, 0.6), 12
    )
    while terminations.is_alive():
        play_on(tables, 1, told=False)
    assert sum(ended) > 20, ended
    play_on(tables, 2)


@case("postgresql-commit-unanswered", POSTGRESQL, ambiguous=None)
def _commit_unanswered(stage: Stage, ledger: Ledger) -> None:
    """It was done, and who asked for it never learns: of workers and of players."""
    dice = random.Random(stage.dice.random())
    proxy = LossyProxy(stage.databases.socket(), lambda: dice.random() < 0.05)
    url = proxy.url(stage.url.partition("?")[0].rpartition("/")[2])
    tables = opened(stage, ledger, 4, "EW", rough=True)
    stage.crew.kill("worker")
    stage.crew.worker(GALAPOST_DATABASE=url)
    database.connect(url.replace("postgresql://", "postgresql+psycopg://"))
    try:
        while proxy.lost < 12:
            play_on(tables, 1, told=False)
        play_on(tables, 2)
    finally:
        database.connect(stage.url)
        stage.crew.kill("worker")
        proxy.close()


@case("sqlite-locked-for-longer-than-patience", SQLITE, ambiguous=None)
def _locked(stage: Stage, ledger: Ledger) -> None:
    """Somebody else writes; a restore, a tool, a backup."""
    tables = opened(stage, ledger, 3, "EW", rough=True)
    for _ in range(2):
        play_on(tables, 1, told=False)
        time.sleep(stage.dice.uniform(0, 1))
        with locked(stage.url):
            time.sleep(LOCKED)
    play_on(tables, 2)


@case("sqlite-killed-during-a-checkpoint", SQLITE, ambiguous=None)
def _checkpoint(stage: Stage, ledger: Ledger) -> None:
    """The process that copies the log into the file dies in the middle of it, again and again, and workers beside it."""
    tables = opened(stage, ledger, 3, "EW", rough=True)
    cut = 0
    for _ in itertools.count():
        play_on(tables, 1, told=False)
        cut += _killed_in_checkpoint(stage)
        if cut >= 4:
            break
    stage.crew.murder("worker")
    play_on(tables, 2)


CHECKPOINT = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
while True:
    print("begins", flush=True)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    print("ends", flush=True)
"""


def _killed_in_checkpoint(stage: Stage) -> bool:
    """Whether it was cut: it had begun one that it did not end."""
    file = stage.url.removeprefix("sqlite:///")
    child = subprocess.Popen([sys.executable, "-c", CHECKPOINT, file], stdout=subprocess.PIPE)
    time.sleep(stage.dice.uniform(0.1, 0.4))
    child.send_signal(signal.SIGKILL)
    said = child.communicate()[0].split()
    return bool(said) and said[-1] == b"begins"


@case("sqlite-disk-full", SQLITE, ambiguous=None)
def _full(stage: Stage, ledger: Ledger) -> None:
    """For workers and players alike, for some seconds. Without the right to mount a disk only the workers' files are limited."""
    tables = opened(stage, ledger, 3, "EW", rough=True)
    play_on(tables, 1)
    disk = Path(stage.url.removeprefix("sqlite:///")).parent
    if not disk.is_mount():
        return _limited(stage, tables)
    filler = disk / "filler"
    emptied(stage.url)
    _fill(filler)
    relief = threading.Timer(FULL, filler.unlink)
    relief.start()
    play_on(tables, 4, told=False)
    relief.join()
    assert any("full" in trouble for trouble in ledger.troubles), f"nobody noticed: {ledger.troubles}"
    play_on(tables, 2)


def _fill(file: Path) -> None:
    """To the last byte."""
    with file.open("wb", buffering=0) as filler, contextlib.suppress(OSError):
        while True:
            filler.write(bytes(1 << 16))
    with file.open("ab", buffering=0) as filler, contextlib.suppress(OSError):
        while True:
            filler.write(b"x")


def _limited(stage: Stage, tables: list[Table]) -> None:
    for limit in (4096, resource.RLIM_INFINITY):
        for pid in stage.crew.pids("worker"):
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        if limit == 4096:
            play_on(tables, 2, told=False)
            time.sleep(FULL)
            assert stage.unsettled(), "nobody noticed"
    play_on(tables, 2)
