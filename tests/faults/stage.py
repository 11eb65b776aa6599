"""Where a case plays: a fresh home, database, broker, receivers and workers, everything real and on private ports."""

from __future__ import annotations

import logging
import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import structlog
from cryptography.fernet import Fernet
from sqlalchemy import func, select, update
from sqlalchemy.exc import DBAPIError

from server import clock, database, kicking, links, sealing
from server.config import Settings
from server.database import reading, transaction
from server.models import Delivery
from server.services import outbox
from tests.faults import hooks, mail
from tests.faults.faults import Faults
from tests.faults.journal import Journal
from tests.faults.processes import Broker, Crew
from tests.workers.certificates import Authority

PATIENCE = 90.0


class Stage:
    """`dice`: all chance of a case, from its seed."""

    def __init__(self, folder: Path, databases: Any, stack: ExitStack) -> None:
        self.folder, self.databases = folder, databases
        self.home = folder / "home"
        self.home.mkdir()
        self.authority = Authority(folder)
        self.journal = Journal(folder / "journal")
        self.faults = Faults(folder / "faults")
        self.dice = random.Random()
        self.url = databases.fresh(self.home)
        stack.callback(databases.drop)
        self.broker = Broker(folder)
        self._receive(stack)
        self.crew = Crew(folder, self._environment())
        stack.callback(self.crew.close)
        stack.callback(self.broker.kill)

    def _receive(self, stack: ExitStack) -> None:
        behind = stack.enter_context(mail.server(self.journal, self.authority.server("127.0.0.1")))
        self.front = mail.Front(behind)
        stack.callback(lambda: self.front.close())
        self.hooks = stack.enter_context(hooks.serving(self.journal))

    def _environment(self) -> dict[str, str]:
        return {
            "GALAPOST_HOME": str(self.home),
            "GALAPOST_DATABASE": self.url,
            "GALAPOST_BROKER": self.broker.url,
            "GALAPOST_SMTP": f"smtp://127.0.0.1:{self.front.port}",
            "GALAPOST_SECRET_KEY": Fernet.generate_key().decode(),
            "GALAPOST_WEBHOOKS_TO_LOOPBACK": "1",
            "GALAPOST_METRICS_PORT": "off",
            "FAULTS_FOLDER": str(self.folder / "faults"),
            "SSL_CERT_FILE": str(self.folder / "authority.pem"),
        }

    def open(self) -> None:
        """This process plays the moves."""
        os.environ.update(self.crew.environment)
        logging.getLogger("psycopg").setLevel(logging.ERROR)  # that a connection broke is no news here
        structlog.configure(logger_factory=structlog.PrintLoggerFactory((self.folder / "players.log").open("a")))
        sealing._key.cache_clear()
        outbox._domain.cache_clear()
        kicking._kickers.clear()
        database.connect(self.url)
        links.configure(Settings.from_env().url)

    def ready(self) -> None:
        """Everything runs, and nothing is planned."""
        self.faults.forget()
        self.front.spoil(())
        self.hooks.plans.clear()
        self.broker.start()
        self.crew.worker()
        self.crew.beat()

    def kick(self) -> None:
        kicking.kick()

    def eventually(self, happens: Callable[[], object], patience: float = PATIENCE) -> None:
        deadline = time.monotonic() + patience
        while not _true(happens):
            if time.monotonic() > deadline:
                raise TimeoutError("it did not happen")
            time.sleep(0.05)

    def reached(self, point: str, times: int = 1, patience: float = PATIENCE) -> list[int]:
        """The processes that were hit there; waits for it."""
        try:
            self.eventually(lambda: len(self.faults.reached(point)) >= times, patience)
        except TimeoutError:
            raise AssertionError(f"the planned fault was not reached: {point}") from None
        return self.faults.reached(point)

    def unsettled(self) -> int:
        with reading() as session:
            waiting = select(func.count()).select_from(Delivery).where(Delivery.state.in_(("due", "leased")))
            return session.scalar(waiting) or 0

    def make_due(self) -> None:
        """As if the time until the next attempt had gone by."""
        with transaction() as session:
            session.execute(update(Delivery).where(Delivery.state == "due").values(next_at=clock.now()))


def _true(happens: Callable[[], object]) -> bool:
    """While the database is away nothing has happened yet."""
    try:
        return bool(happens())
    except DBAPIError:
        return False


@contextmanager
def stage(databases: Any) -> Iterator[Stage]:
    folder = Path(tempfile.mkdtemp(prefix="galapost-faults-"))
    before = dict(os.environ)
    try:
        with ExitStack() as stack:
            made = Stage(folder, databases, stack)
            made.open()
            stack.callback(database.disconnect)
            yield made
    finally:
        os.environ.clear()
        os.environ.update(before)
        if not os.environ.get("FAULTS_KEEP"):
            shutil.rmtree(folder, ignore_errors=True)
