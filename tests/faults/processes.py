"""The processes of a stage: workers, beat and the broker, started as the Procfile and the launcher start them."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psutil
import redis

from launch import ROOT, broker, leash
from launch.ports import free_port

WORKER = ("celery", "--app", "workers", "worker", "--loglevel", "INFO")
BEAT = ("celery", "--app", "workers", "beat", "--loglevel", "WARNING", "--pidfile=")
WITHOUT_CELERY = ("workers",)
PATIENCE = 20.0


class Crew:
    """Processes of ours by name. Each writes its log into the folder. Like the launcher, and whatever keeps services running,
    it starts again what has ended by itself or was murdered."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.environment = dict(environment)
        self._folder = folder
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._kept: dict[str, Callable[[], subprocess.Popen[bytes]]] = {}
        self._lock = threading.RLock()
        self._orders: queue.SimpleQueue[tuple[Callable[[], object] | None, threading.Event]] = queue.SimpleQueue()
        threading.Thread(target=self._tend, name="crew", daemon=True).start()

    def _tend(self) -> None:
        """All are started by this one thread, since what is on the leash ends with the thread that started it."""
        while True:
            try:
                order, done = self._orders.get(timeout=0.3)
            except queue.Empty:
                self._start_again()
                continue
            if order is None:
                return
            order()
            done.set()

    def _start_again(self) -> None:
        with self._lock:
            for name, begin in self._kept.items():
                if self._running[name].poll() is not None:
                    self._end(name)  # and what it has left behind
                    self._running[name] = begin()

    def start(
        self, name: str, module: tuple[str, ...], environment: Mapping[str, str] | None = None, kept: bool = False
    ) -> None:
        command = [sys.executable, "-m", "tests.faults.inside", *module]
        environ = {**os.environ, **self.environment, **(environment or {})}

        def begin() -> subprocess.Popen[bytes]:
            with (self._folder / f"{name}.log").open("ab") as log:
                return leash.start(command, env=environ, cwd=ROOT, output=log)

        def order() -> None:
            with self._lock:
                self._running[name] = begin()
                if kept:
                    self._kept[name] = begin

        done = threading.Event()
        self._orders.put((order, done))
        done.wait(PATIENCE)

    def worker(self, name: str = "worker", **environment: str) -> None:
        """Each on a machine of its own, as Celery sees it; started if it does not run."""
        if name not in self._kept:
            self.start(name, (*WORKER, "--hostname", f"{name}@here"), environment, kept=True)

    def beat(self, name: str = "beat", **environment: str) -> None:
        if name not in self._kept:
            schedule = str(self._folder / f"{name}-schedule")
            self.start(name, (*BEAT, "--schedule", schedule), environment, kept=True)

    def runs(self, name: str) -> bool:
        return name in self._running and self._running[name].poll() is None

    def murder(self, name: str) -> None:
        """-9, and its children with it; it will be started again."""
        with self._lock:
            self._end(name)

    def kill(self, name: str) -> None:
        """The same, for good."""
        with self._lock:
            self._kept.pop(name, None)
            self._end(name)
            self._running.pop(name, None)

    def _end(self, name: str) -> None:
        started = self._running.get(name)
        if started is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(started.pid, signal.SIGKILL)
            started.wait(PATIENCE)

    def pids(self, name: str) -> list[int]:
        """Its own, and those of its children."""
        own = self._running[name].pid
        return [own, *(child.pid for child in psutil.Process(own).children(recursive=True))]

    def close(self) -> None:
        for name in list(self._running):
            self.kill(name)
        self._orders.put((None, threading.Event()))


class Broker:
    """On a port of its own, that it keeps over restarts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = broker.url(self.port)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        if self._process is None:
            self._process = leash.start(broker.command(self.port, self.folder), cwd=self.folder)
            ends = time.monotonic() + PATIENCE
            while not broker.answers(self.port):
                if time.monotonic() > ends:
                    raise TimeoutError("the broker does not start")
                time.sleep(0.02)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(PATIENCE)
            self._process = None

    @contextmanager
    def half_open(self) -> Iterator[None]:
        """Takes connections, and says nothing."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self._process.pid, signal.SIGCONT)

    def client(self) -> redis.Redis:
        return redis.Redis.from_url(self.url)
