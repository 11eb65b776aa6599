"""Whole games with canary cards on real processes, and the search for canaries in everything that leaves them.

The server, the worker and beat run as the Procfile has them, but for their logs, which tell all that they can. The
people here are clients as any other; what each of them may know is read off the database after every move.
"""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
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

CANARY = re.compile(r"canary-[a-z]{2}")
CARDS = Path(__file__).parent / "canary"
NAMES = ("Ada", "Ben", "Cay", "Eve")  # Eve never sits down
DOORS = ("", "/view", "/legal-moves", "/events?limit=500", "/fairness", "/record")
LOOKS, TRIES, WAITS = 30, 25, 17  # moves between two looks round, two rounds of refused moves, two waits for the mail
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
        return {canary for canary, at in self.by_seat[seat or "all"].items() if at <= when}


@dataclass
class House:
    """The running server, and what came out of it."""

    url: str
    home: Path
    log: Path
    hook: Hook
    pool: urllib3.PoolManager = field(default_factory=lambda: urllib3.PoolManager(retries=False, timeout=30))
    tokens: dict[str, str] = field(default_factory=dict)
    games: dict[str, tuple[list[str], Known]] = field(default_factory=dict)  # players in the order of their seats
    leaks: list[Leak] = field(default_factory=list)
    count: Counter[str] = field(default_factory=Counter)

    def ask(self, who: str | None, verb: str, path: str, body: Any = None) -> urllib3.BaseHTTPResponse:
        headers = {"Authorization": f"Bearer {self.tokens[who]}"} if who else {}
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
        found = set(CANARY.findall(text.lower()))
        self.count["canaries seen by right"] += len(found & may_hold)
        if found - may_hold:
            self.leaks.append(Leak(where, reader, found - may_hold))


@contextmanager
def house(home: Path, broker: str, **settings: str) -> Iterator[House]:
    """Everything that `make run` starts, each at its most talkative, with canary cards."""
    port = free_port()
    ours = {
        "GALAPOST_HOME": str(home), "GALAPOST_PORT": str(port), "GALAPOST_BROKER": broker, "PYTHONPATH": str(CARDS),
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
        _eventually(lambda: is_ready(port))
        yield House(f"http://127.0.0.1:{port}", home, log, hook)


def _talkative(command: str) -> list[str]:
    words = shlex.split(command.removeprefix("exec "))
    words = ["DEBUG" if word == "WARNING" else word for word in words if word != "--quiet"]
    return words + (["--log-level", "debug", "--access-logfile", "-"] if "gunicorn" in words else [])


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait(PATIENCE)


def _eventually(happens: Any) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def sign_in(house: House) -> None:
    """By the code in the mail; with a webhook each. Ben reads Russian."""
    for name in NAMES:
        email = {"email": f"{name.lower()}@example.org", "language": "ru" if name == "Ben" else "en"}
        started = house.made(None, "/accounts", email)
        _eventually(lambda email=email: _code(house, email["email"]))
        proof = {"verification": started["verification"], "code": _code(house, email["email"]), "name": name}
        house.tokens[name] = house.made(None, "/accounts/verification", proof)["token"]
        wish = {"url": house.hook.url, "types": ["turn.opened", "game.started", "game.over"]}
        house.made(name, "/webhooks", wish)


def _code(house: House, address: str) -> str:
    letters = [text for _, mail, text in mails(house) if mail["To"] == address]
    found = re.search(r'"code": "(\w+)"', letters[0]) if letters else None
    return found[1] if found else ""


def mails(house: House) -> Iterator[tuple[str, EmailMessage, str]]:
    """Each mail raw, parsed, and its text."""
    for file in sorted((house.home / "mail" / "new").glob("*")):
        raw = file.read_bytes()
        mail: EmailMessage = message_from_bytes(raw, policy=policy.default)  # type: ignore[assignment]
        yield raw.decode(), mail, mail.get_content()


def play(house: House, chance: random.Random) -> None:
    """One game of two or three, to its end, with looks, refusals and waits between the moves."""
    players = list(NAMES[: chance.choice((2, 2, 3))])
    chance.shuffle(players)
    spectators = chance.choice(("public", "public", "none"))
    game = house.made(players[0], "/games", {"seats": len(players), "spectators": spectators})["id"]
    known = Known({seat: {} for seat in ["ABC"[number] for number in range(len(players))] + ["all"]})
    house.games[game] = players, known
    house.count["games"] += 1
    for player in players[1:]:
        house.made(player, f"/games/{game}/seats")
    _learn(house, game, 0)
    for number in range(1, 1000):
        row = house.row("SELECT asked_seat, decision FROM game WHERE id = ?", game)
        if row[1] is None:
            break
        assert row[1] == number
        _turn(house, game, row[0], number, chance)
    if len(house.games) % 4 == 1:
        _look_round(house, game, over=True)


def _turn(house: House, game: str, seat: str, number: int, chance: random.Random) -> None:
    players, known = house.games[game]
    player = players["ABC".index(seat)]
    if number % LOOKS == LOOKS // 2:
        _look_round(house, game)
    if number % TRIES == TRIES // 2:
        _try_in_vain(house, game, number, chance)
    if number % WAITS == WAITS // 2:
        _eventually(lambda: not house.row("SELECT count(*) FROM delivery WHERE state IN ('due', 'leased')")[0])
    offered = house.ask(player, "GET", f"/games/{game}/legal-moves")
    house.search("HTTP legal-moves", player, offered.data.decode(), known.of(seat))
    moves = [item["notation"] for item in offered.json()["items"]]
    move = chance.choice([move for move in moves if not move.startswith("play canary")])
    if move.startswith("play"):  # from now on it lies face up
        for reader in known.by_seat:
            known.learn(reader, set(CANARY.findall(move)), number)
    answer = house.ask(player, "POST", f"/games/{game}/moves", {"decision": number, "move": move})
    assert answer.status == 201, answer.data
    _learn(house, game, number)
    house.search("HTTP moves", player, _whole(answer), known.of(seat))
    house.count["moves"] += 1


def _learn(house: House, game: str, when: int) -> None:
    """Every seat knows what it has in its hand."""
    state = json.loads(house.row("SELECT state FROM game WHERE id = ?", game)[0])
    for seat, player in zip("ABC", state["players"], strict=False):
        house.games[game][1].learn(seat, set(CANARY.findall(" ".join(player["hand"]))), when)


def _whole(answer: urllib3.BaseHTTPResponse) -> str:
    return f"{answer.headers} {answer.data.decode()}"


def _look_round(house: House, game: str, over: bool = False) -> None:
    """Everybody through every door. When the game is over its record is open, by right."""
    players, known = house.games[game]
    for who in (*NAMES, None):
        seat = "ABC"[players.index(who)] if who in players else None
        for door in DOORS:
            if not (over and door == "/record"):
                answer = house.ask(who, "GET", f"/games/{game}{door}")
                house.search(f"HTTP {door}", who or "nobody", _whole(answer), known.of(seat))
        for lists in ("/me/decisions", "/games?mine=true", "/games", "/me", "/webhooks"):
            house.search(f"HTTP {lists}", who or "nobody", _whole(house.ask(who, "GET", lists)), set())


def _try_in_vain(house: House, game: str, number: int, chance: random.Random) -> None:
    """A card that the asked seat has not, any card of another seat, an answer to a decision of somebody else."""
    players, known = house.games[game]
    for who in (*NAMES, None):
        seat = "ABC"[players.index(who)] if who in players else None
        for move in ("animal running", "animal carnivorous", "play symbiosis A1>A2", "attack A1 B1", "yield A1"):
            open_now = chance.choice((number + 1, number, max(1, number - 1)))
            body = {"decision": open_now, "move": move + (" nonsense" if open_now == number else "")}
            answer = house.ask(who, "POST", f"/games/{game}/moves", body)
            assert answer.status != 201, answer.data
            house.search("HTTP refusal", who or "nobody", _whole(answer), known.of(seat))
        body = {"decision": number, "move": "animal swimming"}  # on no card here: only its player learns that
        answer = house.ask(who, "POST", f"/games/{game}/moves", body)
        house.search("HTTP refusal", who or "nobody", _whole(answer), known.of(seat))


def search_the_rest(house: House) -> None:
    """Mails by what their recipient knew when they were written; webhooks, logs and files hold no card at all."""
    _eventually(lambda: not house.row("SELECT count(*) FROM delivery WHERE state IN ('due', 'leased')")[0])
    for raw, mail, text in mails(house):
        reader = str(mail["To"]).partition("@")[0].title()
        house.search("mail", reader, raw + text, _known_to_reader(house, reader, text))
        house.search("headers of mails", reader, raw.partition("\n\n")[0] + str(mail.items()), set())
    for call in house.hook.calls:
        house.search("webhook", "a machine", f"{call.path} {call.headers} {call.body}", set())
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
    return known.of("ABC"[players.index(reader)], int(decision[1]) - 1 if decision else sys.maxsize)
