"""A server with canary cards, as real processes, and the search for canaries in everything that leaves it.

The processes run as the Procfile has them, but for their logs, which tell all that they can. What each reader may know is
read off the database after every move (`canary_games`).
"""

from __future__ import annotations

import html
import os
import re
import shlex
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import urllib3

from launch import ROOT, leash, procfile
from launch.ports import free_port
from launch.run import is_ready
from tests.workers.receivers import Hook, hook_server

CANARY = re.compile(
    r"canary[\s-]+([a-z]{2})(?![a-z])"
)  # drawings have spaces in names, and letters may break lines there
CARDS = Path(__file__).parent / "canary"
SEATS = "ABC"
ALL = "all"  # what was shown to everybody
RUSSIAN = "Ben"  # is spoken to in it
PATIENCE = 30.0  # seconds


@dataclass
class Leak:
    """A canary where its reader could not know it."""

    where: str
    reader: str
    canaries: set[str]


@dataclass
class Known:
    """What the seats of a game may know: canary → number of decisions that were answered when it became known."""

    by_seat: dict[str, dict[str, int]]

    def learn(self, seat: str, canaries: set[str], when: int) -> None:
        for canary in canaries:
            self.by_seat[seat].setdefault(canary, when)

    def of(self, seat: str | None, when: int = sys.maxsize) -> set[str]:
        """A seat's knowledge when so many decisions were answered; None: what was shown to all."""
        return {canary for canary, at in self.by_seat[seat or ALL].items() if at <= when}


@dataclass
class House:
    """The running server, and what came out of it."""

    url: str
    home: Path
    log: Path
    hook: Hook
    mail_port: int
    metrics: str
    pool: urllib3.PoolManager = field(default_factory=lambda: urllib3.PoolManager(retries=False, timeout=30))
    tokens: dict[str, str] = field(default_factory=dict)
    webhooks: dict[str, str] = field(default_factory=dict)
    games: dict[str, tuple[list[str], Known]] = field(default_factory=dict)  # players in the order of their seats
    leaks: list[Leak] = field(default_factory=list)
    count: Counter[str] = field(default_factory=Counter)

    def ask(self, who: str | None, verb: str, path: str, body: Any = None) -> urllib3.BaseHTTPResponse:
        headers = {"Authorization": f"Bearer {self.tokens[who]}"} if who else {}
        headers["Accept-Language"] = "ru" if who == RUSSIAN else "en"
        content = {} if body is None else {"json": body}
        return self.pool.request(verb, f"{self.url}/v1{path}", headers=headers, **content)

    def made(self, who: str | None, path: str, body: Any = None) -> Any:
        answer = self.ask(who, "POST", path, body)
        assert answer.status < 300, answer.data
        return answer.json()

    def row(self, query: str, *values: object) -> Any:
        database = sqlite3.connect(self.home / "galapost.db", timeout=30)
        try:
            return database.execute(query, values).fetchone()
        finally:
            database.close()

    def search(self, where: str, reader: str, text: str, may_hold: set[str]) -> None:
        self.count[where.partition(" ")[0]] += 1
        found = canaries(text)
        self.count["canaries seen by right"] += len(found & may_hold)
        if found - may_hold:
            self.leaks.append(Leak(where, reader, found - may_hold))

    def search_answer(self, door: str, who: str | None, answer: urllib3.BaseHTTPResponse, may_hold: set[str]) -> None:
        self.search(f"HTTP {door}", who or "nobody", f"{answer.headers} {answer.data.decode()}", may_hold)


def canaries(text: str) -> set[str]:
    """By their last two letters. Pages write some signs in another way."""
    return set(CANARY.findall(html.unescape(text).lower()))


@contextmanager
def house(home: Path, broker: str, **settings: str) -> Iterator[House]:
    """Everything that `make run` starts, each at its most talkative, with canary cards."""
    port, mail_port, metrics_port = free_port(), free_port(), free_port()
    ours = {
        "GALAPOST_HOME": str(home), "GALAPOST_PORT": str(port), "GALAPOST_BROKER": broker, "PYTHONPATH": str(CARDS),
        "GALAPOST_MAIL_IN": f"smtp://127.0.0.1:{mail_port}", "GALAPOST_METRICS_PORT": str(metrics_port),
        "GALAPOST_WEBHOOKS_TO_LOOPBACK": "1", "PYTHONUNBUFFERED": "1", **settings,
    }  # fmt: skip
    environ = {**os.environ, **ours, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    commands = {name: _talkative(command[-1]) for name, command in procfile.read(ROOT / "Procfile").items()}
    subprocess.run(commands.pop("release"), cwd=ROOT, env=environ, check=True, timeout=60)
    log = home / "processes.log"
    with ExitStack() as stack:
        output = stack.enter_context(log.open("wb"))
        for command in commands.values():
            process = leash.start(command, env=environ, cwd=ROOT, output=output)
            stack.callback(_end, process)
        hook = stack.enter_context(hook_server(Hook()))
        eventually(lambda: is_ready(port))
        metrics = f"http://127.0.0.1:{metrics_port}/metrics"
        yield House(f"http://127.0.0.1:{port}", home, log, hook, mail_port, metrics)


def _talkative(command: str) -> list[str]:
    words = shlex.split(command.removeprefix("exec "))
    words = ["DEBUG" if word == "WARNING" else word for word in words if word != "--quiet"]
    return words + (["--log-level", "debug", "--access-logfile", "-"] if "gunicorn" in words else [])


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait(PATIENCE)


def eventually(happens: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def all_is_sent(house: House) -> bool:
    """Nothing waits: no letter that came in, no notice that is to go out."""
    came = house.row("SELECT count(*) FROM letter WHERE state = 'received'")[0]
    return not came and not house.row("SELECT count(*) FROM delivery WHERE state IN ('due', 'leased')")[0]


def mails(house: House) -> Iterator[tuple[str, EmailMessage, str, str]]:
    """Each mail raw, parsed, and its text and its page. What its picture shows the twins compare."""
    for file in sorted((house.home / "mail" / "new").glob("*")):
        raw = file.read_bytes()
        mail: EmailMessage = message_from_bytes(raw, policy=policy.default)  # type: ignore[assignment]
        parts = {kind: mail.get_body((kind,)) for kind in ("plain", "html")}
        text, page = (part.get_content() if part is not None else "" for part in parts.values())
        yield raw.decode(), mail, text, page


def search_the_rest(house: House) -> None:
    """Mails by what their recipient knew when they were written; webhooks, logs, metrics and files hold no card at all."""
    eventually(lambda: all_is_sent(house))
    for raw, mail, text, page in mails(house):
        reader = str(mail["To"]).partition("@")[0].title()
        for where, part in (("mail", text), ("page", page)):
            house.search(where, reader, part, _known_to_reader(house, reader, text))
        house.search("headers of mails", reader, raw.partition("\n\n")[0] + str(mail.items()), set())
    for call in house.hook.calls:
        house.search("webhook", "a machine", f"{call.path} {call.headers} {call.body}", set())
    house.search("metrics", "the operator", house.pool.request("GET", house.metrics).data.decode(), set())
    for line in house.log.read_text().splitlines():
        house.search("log", "the operator", line, set())
    for file in house.home.rglob("*"):
        if file.is_file() and not file.name.startswith("galapost.db") and "mail" not in file.parts:
            house.search("file", "the operator", file.read_bytes().decode(errors="replace"), set())


def _known_to_reader(house: House, reader: str, text: str) -> set[str]:
    """A letter about a decision was written before that was answered; the others at any time."""
    game = re.search(r"/games/(g_\w+)", text)
    if game is None:
        return set()
    players, known = house.games[game[1]]
    decision = re.search(r'"decision": (\d+)', text)
    return known.of(SEATS[players.index(reader)], int(decision[1]) - 1 if decision else sys.maxsize)
