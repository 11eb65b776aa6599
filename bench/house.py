"""A server as the Procfile has it, on a database and with a broker of its own, which may be stopped; and people on it."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psutil
import urllib3

from launch import ROOT, broker, leash, procfile
from launch.ports import free_port
from launch.run import is_ready
from server import database
from server.config import Settings
from server.ids import new_id
from server.models import Account
from server.services import tokens

PATIENCE = 60.0  # seconds
RECOVERY = 5.0  # seconds after which everybody uses the broker again
UNLIMITED = "reading=1000000,writing=1000000"  # the limits are counted as ever, and reached by nobody


@dataclass
class House:
    port: int
    broker_port: int
    folder: Path
    environ: dict[str, str]
    web: subprocess.Popen[bytes]
    broker: subprocess.Popen[bytes]

    @contextmanager
    def broker_stopped(self) -> Iterator[None]:
        """Half open: it takes connections, and says nothing."""
        os.kill(self.broker.pid, signal.SIGSTOP)
        yield
        os.kill(self.broker.pid, signal.SIGCONT)
        time.sleep(RECOVERY)

    @contextmanager
    def broker_ended(self) -> Iterator[None]:
        """It refuses connections."""
        self.broker.kill()
        self.broker.wait(PATIENCE)
        yield
        self.broker = _broker(self.broker_port, self.folder)
        time.sleep(RECOVERY)

    def settle(self) -> None:
        """Until the web processes have nothing more to do than one in five of their time."""
        while self._used(0.5) > 0.2:
            pass

    def _used(self, seconds: float) -> float:
        began = self._cpu()
        time.sleep(seconds)
        return (self._cpu() - began) / seconds

    def _cpu(self) -> float:
        web = psutil.Process(self.web.pid)
        return sum(sum(process.cpu_times()[:2]) for process in web.children(recursive=True))


@contextmanager
def house(folder: Path, database_url: str, migrated: bool = False, **settings: str) -> Iterator[House]:
    """Migrated, started, ready; ended with the block."""
    port, broker_port = free_port(), free_port()
    environ = {
        **os.environ, "GALAPOST_HOME": str(folder), "GALAPOST_PORT": str(port), "GALAPOST_DATABASE": database_url,
        "GALAPOST_BROKER": broker.url(broker_port), "GALAPOST_RATE_LIMITS": UNLIMITED,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", **settings,
    }  # fmt: skip
    commands = procfile.read(ROOT / "Procfile")
    if not migrated:
        subprocess.run(commands["release"], cwd=ROOT, env=environ, check=True, timeout=PATIENCE)
    started = _broker(broker_port, folder)
    with (folder / "web.log").open("wb") as log:
        made = House(
            port, broker_port, folder, environ, leash.start(commands["web"], env=environ, cwd=ROOT, output=log), started
        )
        try:
            wait_for(lambda: is_ready(port))
            yield made
        finally:
            for process in (made.web, made.broker):
                process.kill()
                process.wait(PATIENCE)


def _broker(port: int, folder: Path) -> subprocess.Popen[bytes]:
    started = leash.start(broker.command(port, folder), cwd=folder)
    wait_for(lambda: broker.answers(port))
    return started


def wait_for(happens: Any) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happens():
        if time.monotonic() > deadline:
            raise TimeoutError("it did not happen")
        time.sleep(0.05)


def people(environ: dict[str, str], count: int) -> list[str]:
    """So many accounts, put into the database by hand; their tokens."""
    settings = Settings.from_env(environ)
    database.connect(settings.database)
    now = datetime.now(UTC)
    texts = []
    with database.transaction() as session:
        for _ in range(count):
            account = Account(id=new_id("u"), name=new_id("n"), language="en", kind="person", created_at=now)
            session.add(account)
            session.flush()
            texts.append(
                tokens.make(session, account.id, "bench", ["games:play", "account"], timedelta(days=1), now)[1]
            )
    database.disconnect()
    return texts


@dataclass
class Table:
    """Two players who play one game after the other, at random."""

    house: House
    tokens: list[str]
    chance: random.Random = field(default_factory=lambda: random.Random(7))
    game: str = ""
    next: dict[str, Any] | None = None
    pool: urllib3.PoolManager = field(default_factory=lambda: urllib3.PoolManager(retries=False, timeout=PATIENCE))

    def move(self) -> float:
        """The next one; how many milliseconds its answer took."""
        if self.next is None:
            self.game = self._ask(0, "POST", "/games", {"seats": 2})["id"]
            self.next = self._ask(1, "POST", f"/games/{self.game}/seats", {})["waiting_for"]
        assert self.next is not None
        seat = "AB".index(self.next["seat"])
        legal = self._ask(seat, "GET", f"/games/{self.game}/legal-moves")["items"]
        move = {"decision": self.next["decision"], "move": self.chance.choice(legal)["notation"]}
        began = time.perf_counter()
        self.next = self._ask(seat, "POST", f"/games/{self.game}/moves", move)["next"]
        return (time.perf_counter() - began) * 1000

    def _ask(self, player: int, verb: str, path: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {self.tokens[player]}"}
        content = {} if body is None else {"json": body}
        answer = self.pool.request(verb, f"http://127.0.0.1:{self.house.port}/v1{path}", headers=headers, **content)
        if answer.status >= 300:
            raise RuntimeError(f"{verb} {path}: {answer.status} {answer.data[:300]!r}")
        return answer.json()
