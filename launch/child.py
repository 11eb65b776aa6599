"""One process of ours: started on the leash, started again when it dies, stopped with all that it started."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from launch import ROOT, leash
from launch.console import Console
from launch.trouble import Trouble

GROWN_UP = 30.0  # seconds after which a death counts as the first one again
DEATHS_IN_A_ROW = 5


class Child:
    """A name, a command, and the process that runs it at the moment."""

    def __init__(
        self, name: str, command: Sequence[str], environ: Mapping[str, str], console: Console, lock: int
    ) -> None:
        self.name = name
        self._command, self._environ, self._console, self._lock = command, environ, console, lock
        self._process: subprocess.Popen[bytes] | None = None
        self._pump: threading.Thread | None = None
        self._started_at = 0.0
        self._deaths = 0
        self._again_at: float | None = None

    def start(self) -> None:
        self._again_at = None
        self._started_at = time.monotonic()
        self._process = leash.start(
            self._command, env=self._environ, cwd=ROOT, output=subprocess.PIPE, keep=[self._lock]
        )
        assert self._process.stdout is not None
        self._pump = threading.Thread(target=self._console.pump, args=(self.name, self._process.stdout), daemon=True)
        self._pump.start()

    def tend(self) -> None:
        """Starts it again if it has died, each time a little later; gives up when it dies again and again."""
        if self._again_at is not None:
            if time.monotonic() >= self._again_at:
                self.start()
        elif self._process is not None and self._process.poll() is not None:
            self._mourn(self._process.returncode)

    def wait(self) -> int | None:
        """The exit code, when it has ended and all of its output is printed."""
        if self._process is None or self._process.poll() is None:
            return None
        self._reap()
        return self._process.returncode

    def stop(self, seconds: float) -> None:
        """Asks it to end, and after the time given makes it."""
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            self._process.terminate()  # it alone: it ends its own children in its own order
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        self.kill()
        self._reap()

    def kill(self) -> None:
        """Ends it and whatever it has started, at once."""
        if self._process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _mourn(self, code: int) -> None:
        self.kill()  # what it has started goes with it
        self._deaths = 1 if time.monotonic() - self._started_at > GROWN_UP else self._deaths + 1
        if self._deaths >= DEATHS_IN_A_ROW:
            last = f"the last time with exit code {code}; its reasons stand above"
            raise Trouble(f"{self.name} ended {self._deaths} times in a row, {last}.")
        delay = 2.0 ** (self._deaths - 1) / 2
        self._console.say(f"{self.name} ended with exit code {code}; starting it again in {delay:g} s")
        self._again_at = time.monotonic() + delay

    def _reap(self) -> None:
        if self._process is not None:
            self._process.wait()
        if self._pump is not None:
            self._pump.join(timeout=2)
