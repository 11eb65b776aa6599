"""The broker in every bad state. It only wakes: what it loses is time."""

from __future__ import annotations

import shutil
import time

from tests.faults.case import case
from tests.faults.processes import WITHOUT_CELERY
from tests.faults.stage import Stage
from tests.faults.tables import Ledger, opened, play_on


@case("broker-refused")
def _refused(stage: Stage, ledger: Ledger) -> None:
    """It is away while they play, and comes back."""
    tables = opened(stage, ledger, 3, "EW")
    play_on(tables, 2)
    stage.broker.kill()
    play_on(tables, 2, told=False)
    time.sleep(3)
    stage.broker.start()
    play_on(tables, 2)


@case("broker-restarted")
def _restarted(stage: Stage, ledger: Ledger) -> None:
    tables = opened(stage, ledger, 3, "EW")
    for _ in range(3):
        play_on(tables, 1)
        stage.broker.kill()
        stage.broker.start()
    play_on(tables, 2)


@case("broker-flushed")
def _flushed(stage: Stage, ledger: Ledger) -> None:
    tables = opened(stage, ledger, 3, "EW")
    with stage.broker.client() as client:
        for _ in range(4):
            play_on(tables, 1, told=False)
            client.flushall()
    play_on(tables, 2)


@case("broker-stopped-half-open")
def _half_open(stage: Stage, ledger: Ledger) -> None:
    """It takes connections and answers nothing; nobody waits for it."""
    tables = opened(stage, ledger, 3, "EW")
    play_on(tables, 1)
    with stage.broker.half_open():
        began = time.monotonic()
        play_on(tables, 2, told=False)
        assert time.monotonic() - began < 10, "the moves waited for the broker"
        time.sleep(12)
    play_on(tables, 2)


@case("broker-full")
def _full(stage: Stage, ledger: Ledger) -> None:
    """It takes nothing new for a while."""
    tables = opened(stage, ledger, 3, "EW")
    with stage.broker.client() as client:
        client.config_set("maxmemory-policy", "noeviction")
        client.config_set("maxmemory", "1kb")
        play_on(tables, 2, told=False)
        time.sleep(4)
        client.config_set("maxmemory", "0")
    play_on(tables, 2)


@case("broker-absent")
def _absent(stage: Stage, ledger: Ledger) -> None:
    """From the first move to the last; `python -m workers` needs none."""
    stage.broker.kill()
    stage.crew.start("without-celery", WITHOUT_CELERY)
    try:
        play_on(opened(stage, ledger, 3, "EW"), 4)
        stage.eventually(lambda: stage.unsettled() == 0)
    finally:
        stage.crew.kill("without-celery")


@case("broker-old-dump-restored")
def _old_dump(stage: Stage, ledger: Ledger) -> None:
    """What was kicked long ago is kicked again."""
    tables = opened(stage, ledger, 3, "EW")
    stage.crew.kill("worker")
    play_on(tables, 2, told=False)
    time.sleep(2)  # beat and kicks fill the queue
    with stage.broker.client() as client:
        assert client.llen("galapost"), "nobody kicked"
        client.save()
    dump = shutil.copy(stage.broker.folder / "dump.rdb", stage.folder / "old.rdb")
    stage.crew.worker()
    play_on(tables, 2)
    stage.broker.kill()
    shutil.copy(dump, stage.broker.folder / "dump.rdb")
    stage.broker.start()
    play_on(tables, 2)
