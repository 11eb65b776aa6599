"""The examples as processes of their own, as somebody runs them who has copied them."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from launch import ROOT, leash

EXAMPLES = ROOT / "examples"
RANDOM = (sys.executable, "-S", "bots/random_bot.py")  # -S: the standard library alone
GREEDY = (sys.executable, "-S", "bots/greedy_bot.py")
LOOP = ("bash", "bots/loop.sh")


class Program:
    """Runs until it is killed, and can be started again."""

    def __init__(self, command: tuple[str, ...], url: str, token: str, log: Path) -> None:
        self.command, self.log, self.kills = command, log, 0
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        self.environment = {"PATH": path, "GALAPOST_URL": url, "BOT_TOKEN": token}

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = leash.start(self.command, env=self.environment, cwd=EXAMPLES, output=log)

    def kill(self) -> None:
        """-9."""
        os.killpg(self.process.pid, 9)
        self.process.wait()
        self.kills += 1

    def said(self) -> str:
        return self.log.read_text()


@contextmanager
def running(*programs: Program) -> Iterator[None]:
    for program in programs:
        program.start()
    try:
        yield
    finally:
        for program in programs:
            assert program.process.poll() is None, program.said()
            program.kill()


def load(file: str) -> ModuleType:
    """An example as a module, as its neighbours import it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str((EXAMPLES / file).parent))
        return importlib.import_module(Path(file).stem)
