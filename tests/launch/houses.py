"""A Galapost that a test starts and ends as a person does: the launcher as a process of its own."""

import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from launch import ROOT
from launch.ports import LOOPBACK, free_port

PATIENCE = 60.0


def eventually(holds: Callable[[], object], patience: float = PATIENCE) -> bool:
    """Whether it comes true in time."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.1)
    return False


class House:
    """One launcher on a home; can be started again on the same one."""

    def __init__(self, home: Path, command: str = "run", **environ: str) -> None:
        self.home, self.command = home, command
        self.port = free_port()
        self.environ = {"GALAPOST_HOME": str(home), "GALAPOST_PORT": str(self.port), **environ}
        self.log = home.with_name(f"{home.name}.log")

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "launch", self.command],
                cwd=ROOT,
                env={**os.environ, **self.environ},
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def become_ready(self) -> "House":
        begun = len(self.said()) if self.log.exists() else 0
        self.start()
        assert eventually(lambda: "is ready" in self.said()[begun:] or self.process.poll() is not None), self.said()
        assert self.process.poll() is None, self.said()
        return self

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def get(self, path: str) -> int:
        connection = http.client.HTTPConnection(LOOPBACK, self.port, timeout=10)
        connection.request("GET", path)
        return connection.getresponse().status

    def processes(self) -> list[psutil.Process]:
        """Whatever lives on this home, whoever its parent is by now."""
        return [process for process in psutil.process_iter() if _home_of(process) == str(self.home)]

    def is_empty(self) -> bool:
        return not self.processes()

    def interrupt(self) -> int:
        """Ctrl-C; the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)

    def clear(self) -> None:
        """For the end of a test, however it went."""
        for process in self.processes():
            process.kill()
        self.process.wait(PATIENCE)


def _home_of(process: psutil.Process) -> str | None:
    try:
        return process.environ().get("GALAPOST_HOME")
    except psutil.Error:
        return None
