"""`python -m bench.delivery`: how long a notice takes from the commit of a move until its receiver has it, under load.

Moves are made at a steady pace in many games at once, by processes of their own through the service that the API calls;
workers and beat run as the Procfile has them; the receivers append and sync before they answer, in a process of their own.
Beside it, to the same receivers, the same transports carry messages that no outbox has seen: the bare exchange."""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psutil
from cryptography.fernet import Fernet
from sqlalchemy import select

from bench.delivery_players import opened_games
from launch import ROOT, leash
from server import database
from server.config import Settings
from server.models import Delivery
from server.services.dispatching import Parcel
from tests import postgres
from tests.faults.databases import migrate
from tests.faults.processes import Broker
from tests.workers.rows import SECRET
from workers.transports.addresses import Policy
from workers.transports.email import Smtp
from workers.transports.webhook import Webhook

PROCFILE = {
    "worker": ("celery", "--quiet", "--app", "workers", "worker", "--loglevel", "WARNING"),
    "beat": ("celery", "--quiet", "--app", "workers", "beat", "--loglevel", "WARNING", "--pidfile="),
}
KINDS = ("sqlite", "postgresql")
PLAYERS = 2  # processes that move
PROBES_A_SECOND = 2
LINGER = 20.0  # seconds after the last move
WARM_UP = 8.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.delivery", description=__doc__)
    parser.add_argument("--rate", type=float, default=100.0, help="moves a second")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument(
        "--mail", type=int, default=5, help="of a hundred notices so many go by mail, the others by webhook"
    )
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--database", choices=KINDS, action="append")
    arguments = parser.parse_args()
    if arguments.database is None:  # each in a process of its own, which keeps nothing of the other
        return max(
            subprocess.call([sys.executable, "-m", "bench.delivery", *sys.argv[1:], "--database", kind])
            for kind in KINDS
        )
    for kind in arguments.database:
        with ExitStack() as stack:
            scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="galapost-bench-")))
            url = f"sqlite:///{scratch}/bench.db"
            if kind == "postgresql":
                url = stack.enter_context(postgres.running()).create("bench")
            _measure(kind, url, scratch, arguments, stack)
    return 0


def _measure(kind: str, url: str, scratch: Path, arguments: Any, stack: ExitStack) -> None:
    migrate(url, scratch)
    receivers = stack.enter_context(
        _process(scratch, "receivers", ["bench.delivery_receivers", str(scratch / "journal")])
    )
    assert receivers.stdout is not None
    smtp, http = receivers.stdout.readline().decode().split()
    broker = Broker(scratch)
    broker.start()
    stack.callback(broker.kill)
    environment = {
        "GALAPOST_HOME": str(scratch), "GALAPOST_DATABASE": url, "GALAPOST_BROKER": broker.url, "GALAPOST_SMTP": smtp,
        "GALAPOST_WEBHOOKS_TO_LOOPBACK": "1", "GALAPOST_SECRET_KEY": Fernet.generate_key().decode(),
    }  # fmt: skip
    os.environ.update(environment)
    database.connect(Settings.from_env().database)
    games = opened_games(arguments.games, arguments.mail, http, random.Random(7))
    database.disconnect()
    workers = [stack.enter_context(_process(scratch, name, list(module))) for name, module in PROCFILE.items()]
    time.sleep(WARM_UP)
    used = _cpu(workers)
    load = os.getloadavg()[0]
    bare = _Bare(smtp, http)
    moved = _play(scratch, games, arguments)
    bare.stop()
    time.sleep(LINGER)
    used = _cpu(workers) - used
    database.connect(Settings.from_env().database)
    _report(kind, arguments, moved, _received(scratch / "journal"), bare, load, used)
    database.disconnect()


@contextmanager
def _process(folder: Path, name: str, module: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    with (folder / f"{name}.log").open("ab") as log:
        output = subprocess.PIPE if name in ("receivers", "player") else log
        started = leash.start([sys.executable, "-m", *module], env=dict(os.environ), cwd=ROOT, output=output)
        try:
            yield started
        finally:
            started.terminate()
            try:
                started.wait(20)
            except subprocess.TimeoutExpired:
                started.kill()
                started.wait()


def _cpu(processes: list[subprocess.Popen[bytes]]) -> float:
    """Seconds that they and their children have used."""
    all_of_them = [psutil.Process(one.pid) for one in processes]
    all_of_them += [child for one in all_of_them for child in one.children(recursive=True)]
    return sum(sum(one.cpu_times()[:2]) for one in all_of_them)


def _play(scratch: Path, games: list[dict[str, Any]], arguments: Any) -> list[tuple[str, int, float, float]]:
    """Game, decision that was opened, when it was committed, and how late the move itself was."""
    with ExitStack() as stack:
        players = []
        begins = time.time() + 4
        for number in range(PLAYERS):
            file = scratch / f"games{number}"
            file.write_text(json.dumps(games[number::PLAYERS]))
            words = [str(file), str(arguments.rate / PLAYERS), str(arguments.seconds), str(begins)]
            players.append(stack.enter_context(_process(scratch, "player", ["bench.delivery_players", *words])))
        said = b"".join(player.communicate()[0] for player in players).decode().splitlines()
    rows = [line.split() for line in said if line.startswith("moved ")]
    return [(game, int(decision), float(at), float(late)) for _, game, decision, at, late in rows]


def _received(journal: Path) -> dict[tuple[str, int], tuple[str, float]]:
    """The first copy of the notice of each decision: channel and when it was accepted."""
    with database.reading() as session:
        turns = select(Delivery.message_id, Delivery.game_id, Delivery.decision).where(Delivery.kind == "your_turn")
        about = {id: (str(game), decision or 0) for id, game, decision in session.execute(turns)}
    first: dict[tuple[str, int], tuple[str, float]] = {}
    for line in journal.read_text().splitlines():
        channel, id, at = line.split()
        if id in about:
            first.setdefault(about[id], (channel, float(at)))
    return first


class _Bare:
    """The same exchange, without an outbox, beside everything else."""

    def __init__(self, smtp: str, http: str) -> None:
        self.ms: dict[str, list[float]] = {"email": [], "webhook": []}
        self._transports: dict[str, Any] = {
            "email": Smtp(smtp, "galapost@localhost"),
            "webhook": Webhook(Policy(loopback=True)),
        }
        body = (
            "Message-ID: <bare@localhost>\nTo: a@example.org\n\n" + ("x" * 70 + "\n") * 600
        )  # about as long as a letter
        self._parcels = {
            "email": Parcel("email", "<bare@localhost>", "a@example.org", body),
            "webhook": Parcel("webhook", "msg_bare", f"{http}/bare", '{"data": {}}' + " " * 600, (SECRET,)),
        }
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._probe)
        self._thread.start()

    def _probe(self) -> None:
        while not self._over.wait(1 / PROBES_A_SECOND):
            for channel, transport in self._transports.items():
                began = time.perf_counter()
                transport.send(self._parcels[channel])
                self.ms[channel].append((time.perf_counter() - began) * 1000)

    def stop(self) -> None:
        self._over.set()
        self._thread.join()


def _report(kind: str, arguments: Any, moved: Any, received: Any, bare: _Bare, load: float, used: float) -> None:
    took: dict[str, list[float]] = {"email": [], "webhook": []}
    for game, decision, at, _ in moved:
        if (game, decision) in received:
            channel, accepted = received[game, decision]
            took[channel].append((accepted - at) * 1000)
    span = max(at for *_, at, _ in moved) - min(at for *_, at, _ in moved)
    made = len(moved) / span
    late = _p99([late * 1000 for *_, late in moved])
    told = sum(map(len, took.values()))
    print(
        f"{kind}: {made:.0f} moves a second for {span:.0f} s (asked for {arguments.rate:.0f}; moves were up to {late:.0f} ms late,"
        f" p99), {arguments.mail} % by mail, load before {load:.1f}; {len(moved)} notices, {told} received, the others overtaken; the workers took {used / told * 1000:.0f} ms of a processor for each"
    )
    line: dict[str, Any] = {"bench": "delivery", "database": kind, "rate": round(made, 1), "load": round(load, 1)}
    for channel, ms in took.items():
        exchange = bare.ms[channel]
        if ms and exchange:
            figures = [statistics.median(ms), _p99(ms), statistics.median(exchange), _p99(exchange)]
            print(
                "  {:8} median {:7.0f} ms  p99 {:7.0f} ms    bare exchange: median {:5.0f} ms  p99 {:5.0f} ms".format(
                    channel, *figures
                )
            )
            line[channel] = dict(zip(("median", "p99", "bare_median", "bare_p99"), map(round, figures), strict=True))
    print(json.dumps(line), flush=True)


def _p99(values: list[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.99))] if values else 0.0


if __name__ == "__main__":
    sys.exit(main())
