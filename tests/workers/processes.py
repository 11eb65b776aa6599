"""Real workers: started as the Procfile starts them, and killed without mercy."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from launch import ROOT

WORKER = ("celery", "--app", "workers", "worker", "--loglevel", "INFO")
BEAT = ("celery", "--app", "workers", "beat", "--loglevel", "INFO", "--pidfile=")
WITHOUT_CELERY = ("workers",)


@contextmanager
def process(environment: Mapping[str, str], *module: str) -> "Iterator[subprocess.Popen[bytes]]":
    """`python -m …` with its children in a group of its own, which is gone at the end of the block."""
    started = subprocess.Popen(
        [sys.executable, "-m", *module], cwd=ROOT, env={**os.environ, **environment}, start_new_session=True
    )
    try:
        yield started
    finally:
        kill(started)


def kill(started: "subprocess.Popen[bytes]") -> None:
    """-9, and its children with it."""
    if started.poll() is None:
        os.killpg(started.pid, signal.SIGKILL)
    started.wait(10)


def eventually(happens: Callable[[], bool], patience: float = 20) -> None:
    deadline = time.monotonic() + patience
    while not happens():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)
