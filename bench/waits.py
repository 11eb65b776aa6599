"""How much a crowd of waiting requests costs everybody else: the latency of moves beside it, with the broker in each state.

Two servers, each as the Procfile has it: on one of them a crowd waits and the broker fails, the other one is left in
peace. Moves are made on both in turns, so that what else the machine does falls on both alike; each figure is a ratio."""

from __future__ import annotations

import json
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.crowd import Crowd
from bench.house import PATIENCE, House, Table, house, people, wait_for
from launch import leash
from tests import postgres

AT_A_TIME = 4  # waits of an account
WAIT = 25  # seconds, as in the loop of a bot

Latencies = tuple[list[float], list[float]]  # of moves, in milliseconds: on the server in that state, on the other one
Figures = dict[str, Latencies]


def main(waiting: int, moves: int) -> None:
    with tempfile.TemporaryDirectory(prefix="galapost-bench-") as scratch, postgres.running() as server:
        for name, urls in (
            ("sqlite", [f"sqlite:///{scratch}/{number}.db" for number in range(2)]),
            ("postgresql", [server.create(f"bench{number}") for number in range(2)]),
        ):
            folders = [Path(scratch) / f"{name}{number}" for number in range(2)]
            for folder in folders:
                folder.mkdir()
            with house(folders[0], urls[0]) as busy, house(folders[1], urls[1]) as quiet:
                figures = _measure(busy, quiet, waiting, moves)
                _report(name, waiting, figures, _end(busy, waiting))


def _measure(busy: House, quiet: House, waiting: int, moves: int) -> Figures:
    tables = [Table(opened, people(opened.environ, 2)) for opened in (busy, quiet)]
    crowd = people(busy.environ, waiting // AT_A_TIME) * AT_A_TIME
    figures: Figures = {}

    def note(state: str) -> None:
        figures[state] = [], []
        for _ in range(moves):
            for table, latencies in zip(tables, figures[state], strict=True):
                latencies.append(table.move())

    def note_all(state: str) -> None:
        note(state)
        with busy.broker_stopped():
            note(f"{state}, broker half open")
        with busy.broker_ended():
            note(f"{state}, broker refused")

    note("idle")  # what is made once is not measured
    note_all("idle")
    with _crowd(busy, crowd):
        note_all("waiting")
    return figures


@contextmanager
def _crowd(opened: House, tokens: list[str]) -> Iterator[None]:
    """All have come and wait."""
    file = opened.folder / "crowd"
    file.write_text("\n".join(tokens))
    command = [sys.executable, "-m", "bench.crowd", str(opened.port), str(WAIT), str(file)]
    crowd = leash.start(command, output=subprocess.PIPE)
    assert crowd.stdout is not None
    try:
        said = crowd.stdout.readline()
        if said != b"gathered\n":
            raise RuntimeError(f"the crowd says {said!r}")
        opened.settle()
        yield
    finally:
        crowd.kill()
        said = crowd.stdout.read()
        crowd.wait(PATIENCE)
        time.sleep(WAIT)  # nobody tells the server that they have gone
    if said:
        raise RuntimeError(f"the crowd says {said[:300]!r}")


def _end(opened: House, waiting: int) -> tuple[float, float]:
    """Seconds from SIGTERM until the last of them had his answer, and until the server had ended."""
    tokens = people(opened.environ, waiting // AT_A_TIME) * AT_A_TIME
    with Crowd(opened.port, tokens, "/v1/me/decisions?wait=60") as crowd:
        opened.settle()
        began = time.monotonic()
        opened.web.send_signal(signal.SIGTERM)
        answered: dict[int, float] = {}
        while len(answered) < waiting and time.monotonic() - began < PATIENCE:
            for answer in crowd.answers(0.05):
                if answer.client not in answered and answer.status != 204:
                    raise RuntimeError(f"the end of a wait was {answer.status}")
                answered.setdefault(answer.client, answer.at - began)
    wait_for(lambda: opened.web.poll() is not None)
    return max(answered.values()), time.monotonic() - began


def _report(name: str, waiting: int, figures: Figures, ended: tuple[float, float]) -> None:
    print(f"{name}, {waiting} waiting: median of a move, on a server left in peace, ratio")
    ratios = {}
    for state, latencies in figures.items():
        there, peace = map(statistics.median, latencies)
        ratios[state] = round(there / peace, 2)
        print(f"  {state:26}{there:8.1f} ms{peace:8.1f} ms{there / peace:8.2f}")
    print(f"  SIGTERM: the last wait ended after {ended[0]:.2f} s, the server after {ended[1]:.2f} s")
    line = {"bench": "waits", "database": name, "waiting": waiting, "ratios": ratios}
    print(json.dumps(line | {"last_wait_s": round(ended[0], 2), "ended_s": round(ended[1], 2)}), flush=True)
