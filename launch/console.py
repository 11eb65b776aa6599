"""Lines on the terminal, each under the name of the process that wrote it."""

import os
import sys
import threading
from typing import IO, TextIO

COLOURS = {"web": 36, "worker": 32, "beat": 33, "mail": 34, "broker": 35, "release": 34}
WIDTH = max(map(len, COLOURS))


class Console:
    """Takes whole lines from several threads. A reader that has gone away stops the printing, never the processes."""

    def __init__(self, stream: TextIO = sys.stdout) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self.is_heard = True
        self._coloured = stream.isatty() and "NO_COLOR" not in os.environ

    def say(self, text: str = "") -> None:
        """Something the launcher itself has to tell."""
        self._write(text)

    def line(self, name: str, text: str) -> None:
        self._write(f"{self._label(name)} {text}")

    def pump(self, name: str, source: IO[bytes]) -> None:
        """Prints what a process writes until it closes its end."""
        with source:
            for line in source:
                self.line(name, line.decode(errors="replace").rstrip())

    def _label(self, name: str) -> str:
        label = f"{name:<{WIDTH}} |"
        return f"\x1b[{COLOURS.get(name, 37)}m{label}\x1b[0m" if self._coloured else label

    def _write(self, text: str) -> None:
        with self._lock:
            if self.is_heard:
                try:
                    self._stream.write(text + "\n")
                    self._stream.flush()
                except OSError:
                    self.is_heard = False
                    # What is left in the buffer must have somewhere to go, or the interpreter ends with an error.
                    os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())
