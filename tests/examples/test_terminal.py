"""The terminal client, as a person has it: in a terminal, in Russian, while the server is killed."""

from __future__ import annotations

import os
import pty
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from threading import Thread

import pytest

from tests.examples.programs import EXAMPLES, RANDOM, Program, load, running
from tests.examples.servers import Server, check_game
from tests.launch.houses import eventually
from tests.playing import on_one_database

# The number of the last move of a list, before the prompt; or the end.
ASKED = r"\n +(\d+)  [^\n]*\r\n\r*> |Игра окончена"


class Person:
    """Sits before the client, reads what it says, types."""

    def __init__(self, url: str, home: Path) -> None:
        self.config = home / "config"
        self.environment = {"PATH": os.environ["PATH"], "XDG_CONFIG_HOME": str(self.config), "LANG": "ru_RU.UTF-8"}
        self.url, self.screen, self.read = url, "", 0

    def begin(self) -> None:
        self.terminal, inside = pty.openpty()
        command = [sys.executable, "-S", "-X", "utf8", "terminal", self.url]
        ends = {"stdin": inside, "stdout": inside, "stderr": inside}
        self.client = subprocess.Popen(
            command, cwd=EXAMPLES, env=self.environment, start_new_session=True, preexec_fn=_hears, **ends
        )
        os.close(inside)
        Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        seen = b""
        while content := self._content():
            seen += content
            if content.endswith(b"\n") or not seen[-1] & 0x80:  # not within a letter
                self.screen, seen = self.screen + seen.decode(), b""

    def _content(self) -> bytes:
        try:
            return os.read(self.terminal, 10_000)
        except OSError:  # the other end is closed
            return b""

    def sees(self, pattern: str) -> re.Match[str]:
        """What matches, behind what was read before."""
        wanted = re.compile(pattern)
        eventually(lambda: wanted.search(self.screen, self.read))
        found = wanted.search(self.screen, self.read)
        assert found, f"{pattern} does not stand in {self.screen[self.read :]}"
        self.read = found.end()
        return found

    def types(self, line: str) -> None:
        os.write(self.terminal, f"{line}\n".encode())

    def end(self) -> None:
        self.types("quit")
        self.sees("Ваши игры продолжаются")
        assert self.client.wait(10) == 0


def _hears() -> None:
    """As in a terminal: whoever runs the tests in the background of a shell has told all his processes to overlook Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def ann(server: Server, tmp_path: Path) -> Iterator[Person]:
    person = Person(server.url, tmp_path)
    person.begin()
    yield person
    if person.client.poll() is None:
        person.client.kill()
        person.client.wait()


def sign_in(person: Person, server: Server) -> None:
    person.sees("адрес")
    person.types("anna@example.org")
    person.sees("код")
    person.types("WRONG111")
    person.sees("называть")
    person.types("")
    person.sees("Неверный код[^\n]*\n[^\n]*код")
    person.types(server.code_sent_to("anna@example.org"))
    person.sees("называть")
    person.types("Анна")
    person.sees("Вы Анна")


@on_one_database
def test_a_person_plays_a_game_in_the_terminal(server: Server, ann: Person, tmp_path: Path) -> None:
    sign_in(ann, server)
    ann.types("new 2")
    game = ann.sees("(g_[a-z0-9]+): ждём игроков")[1]
    token = server.new_bot(server.sign_in("Bob"), "Randy")
    bot = Program(RANDOM, server.url, token, tmp_path / "bot.log")
    with running(bot):
        server.ask(token, "POST", f"/games/{game}/seats")
        moves = _play(ann, server, random.Random("terminal"))
        assert check_game(server, token, game) > moves
    ann.sees("A: \\d+, B: \\d+")
    ann.end()
    print(f"terminal: 1 game finished, {moves} lines typed, {server.kills} kill -9 of the server")


def _play(person: Person, server: Server, chance: random.Random) -> int:
    """To the end of the game: how often it was asked for a move."""
    asked = 0
    while last := person.sees(ASKED)[1]:
        asked += 1
        if asked == 2:
            person.types("say Привет!")
            person.sees("\n   Анна: Привет!")
            person.types("feed Z9")
            person.sees("\n[^\n]*Z9")
        if asked == 10:
            server.kill()
            person.types("1")
            person.sees("нет ответа")
            server.start()
        else:
            person.types(
                f"{chance.randint(1, int(last))}; end" if asked % 3 == 0 else str(chance.randint(1, int(last)))
            )
    return asked


@on_one_database
def test_the_token_is_kept_where_nobody_else_reads_it_and_ctrl_c_leaves(server: Server, ann: Person) -> None:
    sign_in(ann, server)
    ann.sees("Игр нет")
    ann.end()
    (file,) = (ann.config / "galapost").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    ann.begin()
    ann.sees("Вы Анна")
    ann.types("join g_nothing")
    ann.sees("Неизвестная партия[^>]*> ")
    time.sleep(0.3)  # between its prompt and its read it may not hear a signal
    ann.client.send_signal(signal.SIGINT)
    ann.sees("Ваши игры продолжаются")
    assert ann.client.wait(10) == 0


def test_the_client_says_everything_in_both_languages() -> None:
    words = load("terminal/words.py").WORDS
    assert words["en"].keys() == words["ru"].keys()
    for key in words["en"]:
        assert _facts(words["en"][key]) == _facts(words["ru"][key]), key


def _facts(text: str) -> set[str | None]:
    return {name for _, name, _, _ in Formatter().parse(text)} - {None}
