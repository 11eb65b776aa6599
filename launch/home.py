"""GALAPOST_HOME: one start at a time, and none beside what a killed one left running."""

import fcntl
import os
import time
from collections.abc import Callable
from pathlib import Path

from launch.trouble import Trouble

LEFTOVERS_PATIENCE = 40.0  # longer than the 30 s that an orderly stop may take


class Home:
    """The folder, and two locks in it. The kernel lifts both with the processes that hold them, so none is ever stale.

    The launcher alone holds `launcher.lock`. Its children inherit `processes.lock`: that one is free again
    when the last of them has ended, also when the launcher was killed and they are still finishing.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._own = self._open("launcher.lock")
        self.inherited = self._open("processes.lock")

    def claim(self, say: Callable[[str], None]) -> None:
        """Takes both locks, or says who holds them."""
        if not _locked(self._own):
            running = f"Galapost already runs on {self.folder} (process {self._holder()})."
            raise Trouble(f"{running} Stop that one first, or set GALAPOST_HOME to another folder.")
        os.ftruncate(self._own, 0)
        os.pwrite(self._own, f"{os.getpid()}\n".encode(), 0)
        self._wait_for_leftovers(say)

    def _wait_for_leftovers(self, say: Callable[[str], None]) -> None:
        if _locked(self.inherited):
            return
        say("an earlier start was killed; waiting until its last processes have ended")
        deadline = time.monotonic() + LEFTOVERS_PATIENCE
        while not _locked(self.inherited):
            if time.monotonic() > deadline:
                lock = self.folder / "processes.lock"
                raise Trouble(f"processes of an earlier start still use {self.folder}; `fuser {lock}` names them.")
            time.sleep(0.1)

    def _holder(self) -> str:
        return os.pread(self._own, 32, 0).decode(errors="replace").strip() or "unknown"

    def _open(self, name: str) -> int:
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            return os.open(self.folder / name, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise Trouble(f"GALAPOST_HOME={self.folder} cannot be written: {error.strerror or error}.") from error


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
