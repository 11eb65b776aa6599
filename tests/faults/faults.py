"""Which points are armed, how often they were passed, and what was reached: files that all processes of a stage share."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path

ALWAYS = ()


class Faults:
    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._reached = folder / "reached"

    def arm(self, point: str, act: str, at: Sequence[int] = (1,)) -> None:
        """`act`: kill, stop, sleep:SECONDS, pause. `at`: when it is passed for these times, from now on; ALWAYS."""
        self._go.unlink(missing_ok=True)
        for passed in self._folder.glob(f"{point} passed *"):
            passed.unlink()
        draft = self._folder / "draft"
        draft.write_text(json.dumps({"act": act, "at": list(at)}))
        draft.rename(self._file(point))

    def disarm(self) -> None:
        """All of them; whoever pauses goes on."""
        for file in self._folder.glob("* armed"):
            file.unlink()
        self._go.touch()

    def armed(self, point: str) -> bool:
        return self._file(point).exists()

    def hit(self, point: str) -> str | None:
        """What is to happen here and now; it counts as reached."""
        try:
            armed = json.loads(self._file(point).read_text())
        except FileNotFoundError:
            return None
        if armed["at"] and self._pass(point, max(armed["at"])) not in armed["at"]:
            return None
        self._note(point)
        return str(armed["act"])

    def _pass(self, point: str, last: int) -> int:
        """The number of this pass, 0 for those after the last that counts. No lock: who held it might be stopped."""
        for number in range(1, last + 1):
            try:
                (self._folder / f"{point} passed {number}").touch(exist_ok=False)
            except FileExistsError:
                continue
            return number
        return 0

    def _note(self, point: str) -> None:
        with self._reached.open("a") as file:
            file.write(f"{os.getpid()} {point}\n")
            file.flush()
            os.fsync(file.fileno())

    def reached(self, point: str) -> list[int]:
        """The processes that were hit there, in order."""
        lines = self._reached.read_text().splitlines() if self._reached.exists() else []
        return [int(pid) for pid, _, where in (line.partition(" ") for line in lines) if where == point]

    def forget(self) -> None:
        self.disarm()
        self._reached.unlink(missing_ok=True)

    @property
    def _go(self) -> Path:
        return self._folder / "go"

    def go(self) -> None:
        self._go.touch()

    def wait_for_go(self, at_most: float) -> None:
        ends = time.monotonic() + at_most
        while not self._go.exists() and time.monotonic() < ends:
            time.sleep(0.02)

    def _file(self, point: str) -> Path:
        return self._folder / f"{point} armed"
