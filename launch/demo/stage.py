"""A server for the demo alone: the very thing that `make run` starts, on a free port and in a temporary home."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from launch import ROOT, leash
from launch.ports import LOOPBACK, free_port
from launch.run import STOP_WITHIN, is_ready
from launch.trouble import Trouble

START_WITHIN = 60.0  # seconds


@dataclass(frozen=True)
class Server:
    port: int
    home: Path

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    @property
    def database(self) -> str:
        return f"sqlite:///{self.home / 'galapost.db'}"


@contextmanager
def server(say: Callable[[str], None]) -> Iterator[Server]:
    """Ready when the block begins; when the block fails its last words are told; nothing is left of it afterwards."""
    with tempfile.TemporaryDirectory(prefix="galapost-demo-", ignore_cleanup_errors=True) as home:
        made = Server(free_port(), Path(home))
        log = made.home / "launcher.log"
        process = _start(made, log)
        try:
            say(f"starting a server on port {made.port}")
            _wait_until_ready(made, process)
            yield made
        except Exception:
            say("\n".join(["the server's last words:", *log.read_text(errors="replace").splitlines()[-30:]]))
            raise
        finally:
            process.terminate()
            process.wait(timeout=STOP_WITHIN + 10)


def _start(made: Server, log: Path) -> "subprocess.Popen[bytes]":
    with log.open("wb") as output:
        return leash.start([sys.executable, "-m", "launch", "run"], env=_environ(made), cwd=ROOT, output=output)


def _environ(made: Server) -> dict[str, str]:
    """Nothing of the settings that the person has for his own server."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("GALAPOST_")}
    ours = {"GALAPOST_HOME": str(made.home), "GALAPOST_PORT": str(made.port), "GALAPOST_WEBHOOKS_TO_LOOPBACK": "1"}
    return others | ours | {"GALAPOST_MAIL_IN": f"smtp://{LOOPBACK}:{free_port()}"}


def _wait_until_ready(made: Server, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_WITHIN
    while not is_ready(made.port):
        if process.poll() is not None or time.monotonic() > deadline:
            raise Trouble("the server did not start")
        time.sleep(0.1)
