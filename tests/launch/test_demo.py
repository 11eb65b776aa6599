"""The demo itself, from the outside: the very process that `make demo` starts."""

import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil

from launch import ROOT
from tests.launch.houses import eventually

LINE = re.compile(r"demo: ([1-9]\d*) moves, ([1-9]\d*) e-mails, ([1-9]\d*) webhooks, 0 lost, 0 stale")


def start(folder: Path) -> "subprocess.Popen[str]":
    environ = {
        **os.environ,
        "TMPDIR": str(folder),
        "GALAPOST_PORT": "1",
        "GALAPOST_HOME": "nowhere",
    }  # settings of the person's own server
    return subprocess.Popen(
        [sys.executable, "-m", "launch", "demo"], cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True
    )


def living_in(folder: Path) -> list[psutil.Process]:
    return [process for process in psutil.process_iter() if _temporary_folder(process) == str(folder)]


def _temporary_folder(process: psutil.Process) -> str | None:
    try:
        return process.environ().get("TMPDIR")
    except psutil.Error:
        return None


def test_the_demo_plays_a_game_and_loses_nothing() -> None:
    with tempfile.TemporaryDirectory() as folder:
        demo = start(Path(folder))
        said, _ = demo.communicate(timeout=300)
        assert demo.returncode == 0, said
        assert LINE.fullmatch(said.splitlines()[-1]), said
        assert not os.listdir(folder) and not living_in(Path(folder))


def test_ctrl_c_leaves_nothing_of_the_demo_behind() -> None:
    with tempfile.TemporaryDirectory() as folder:
        demo = start(Path(folder))
        assert demo.stdout is not None
        assert any("has an account" in line for line in demo.stdout)
        demo.send_signal(signal.SIGINT)
        demo.communicate(timeout=60)
        assert demo.returncode == 130
        assert eventually(lambda: not living_in(Path(folder)), 10)
        assert not os.listdir(folder)
