"""A web server as the Procfile has it, that may be killed and started again; and what a test asks it by itself."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import urllib3

from launch import ROOT, leash, procfile
from launch.ports import LOOPBACK, free_port
from launch.run import is_ready
from server import database
from server.config import Settings
from tests.playing import code_sent_to
from tests.workers.processes import kill

PATIENCE = 60.0  # seconds, on a busy machine


class Server:
    def __init__(self, environment: Mapping[str, str], log: Path) -> None:
        self.port, self.log, self.kills = free_port(), log, 0
        self.url = f"http://{LOOPBACK}:{self.port}"
        ours = {"GALAPOST_PORT": str(self.port), "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
        self.environment = {"GALAPOST_RATE_LIMITS": "off", **environment, **ours}

    def start(self) -> None:
        with self.log.open("ab") as log:
            command = procfile.read(ROOT / "Procfile")["web"]
            self.process = leash.start(command, env=self.environment, cwd=ROOT, output=log)
        wait_for(lambda: is_ready(self.port))

    def kill(self) -> None:
        """-9, whatever it is doing, all its processes at once."""
        kill(self.process)
        self.kills += 1

    def ask(self, token: str | None, verb: str, path: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        content = {} if body is None else {"json": body}
        answer = urllib3.request(verb, f"{self.url}/v1{path}", headers=headers, timeout=PATIENCE, **content)
        assert answer.status < 300, answer.data
        return answer.json()

    def code_sent_to(self, email: str) -> str:
        database.connect(Settings.from_env(self.environment).database)
        try:
            return code_sent_to(email)
        finally:
            database.disconnect()

    def sign_in(self, name: str) -> str:
        """As a newcomer does it; the token."""
        email = f"{name.lower()}@example.org"
        verification = self.ask(None, "POST", "/accounts", {"email": email})["verification"]
        proof = {"verification": verification, "code": self.code_sent_to(email), "name": name}
        token: str = self.ask(None, "POST", "/accounts/verification", proof)["token"]
        return token

    def new_bot(self, owner: str, name: str) -> str:
        """A bot of the account with this token; its own token, with which it plays."""
        bot = self.ask(owner, "POST", "/bots", {"name": name})["id"]
        wanted = {"name": "test", "scopes": ["games:play"]}
        token: str = self.ask(owner, "POST", f"/bots/{bot}/tokens", wanted)["token"]
        return token

    def new_game(self, *tokens: str) -> str:
        """Of these players; the last who sits down starts it."""
        host, *guests = tokens
        wishes = {"seats": len(tokens), "spectators": "public", "own_bots": True}
        game: str = self.ask(host, "POST", "/games", wishes)["id"]
        for guest in guests:
            self.ask(guest, "POST", f"/games/{game}/seats")
        return game

    def moves(self, token: str, game: str) -> list[dict[str, Any]]:
        """The whole log."""
        answers: list[dict[str, Any]] = []
        more = True
        while more:
            page = self.ask(token, "GET", f"/games/{game}/moves?limit=500&after={len(answers)}")
            answers += page["items"]
            more = page["more"]
        return answers

    def is_over(self, token: str, game: str) -> bool:
        return bool(self.ask(token, "GET", f"/games/{game}")["status"] == "over")


@contextmanager
def running(environment: Mapping[str, str], folder: Path) -> Iterator[Server]:
    server = Server(environment, folder / "web.log")
    server.start()
    try:
        yield server
    finally:
        server.kill()


def wait_for(happens: Callable[[], object], patience: float = PATIENCE) -> None:
    deadline = time.monotonic() + patience
    while not happens():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def check_game(server: Server, token: str, game: str) -> int:
    """Every decision was answered once, and the record proves itself; how many decisions there were."""
    numbers = [answer["decision"] for answer in server.moves(token, game)]
    assert numbers == list(range(1, len(numbers) + 1))
    record = json.dumps(server.ask(token, "GET", f"/games/{game}/record"))
    command = [sys.executable, "-m", "engine", "verify", "-"]
    said = subprocess.run(command, input=record, capture_output=True, text=True, timeout=PATIENCE, cwd=ROOT)
    assert said.returncode == 0 and "verified" in said.stdout, said.stdout + said.stderr
    return len(numbers)
