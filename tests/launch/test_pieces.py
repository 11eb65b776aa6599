"""The pieces of the launcher, each with real processes where it has to do with processes."""

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from launch import ROOT, procfile
from launch.child import DEATHS_IN_A_ROW, Child
from launch.console import Console
from launch.home import Home
from launch.trouble import Trouble
from tests.launch.houses import eventually

CLAIM = """
import subprocess, sys, time; from pathlib import Path; from launch.home import Home
home = Home(Path(sys.argv[1])); home.claim(print); print("mine", flush=True)
"""
LEASH = "import time; from launch import leash; print(leash.start(['sleep', '60']).pid, flush=True); time.sleep(60)"


def run_python(code: str, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, "-c", code, *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True)


def first_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def end(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.communicate()


def test_a_process_on_the_leash_ends_with_its_killed_parent() -> None:
    parent = run_python(LEASH)
    child = psutil.Process(int(first_line(parent)))
    assert child.is_running()
    end(parent)
    assert eventually(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE, 10)


def test_a_home_belongs_to_one_launcher_at_a_time(tmp_path: Path) -> None:
    other = run_python(CLAIM + "time.sleep(60)", str(tmp_path))
    assert first_line(other) == "mine"
    with pytest.raises(Trouble, match=f"process {other.pid}"):
        Home(tmp_path).claim(print)
    end(other)
    Home(tmp_path).claim(print)  # a killed holder holds nothing
    assert (tmp_path / "launcher.lock").read_text() == f"{os.getpid()}\n"


def test_a_start_waits_for_the_children_of_a_killed_one(tmp_path: Path) -> None:
    code = CLAIM + "subprocess.Popen(['sleep', '2'], pass_fds=[home.inherited])"
    killed = run_python(code, str(tmp_path))
    assert first_line(killed) == "mine"
    killed.wait(10)
    said: list[str] = []
    begun = time.monotonic()
    Home(tmp_path).claim(said.append)
    assert time.monotonic() - begun > 0.5 and "earlier start" in said[0]


def test_a_child_that_dies_again_and_again_ends_the_start(tmp_path: Path) -> None:
    output = io.StringIO()
    child = Child("web", ["sh", "-c", "echo reason; exit 3"], os.environ, Console(output), Home(tmp_path).inherited)
    child.start()
    with pytest.raises(Trouble, match=f"web ended {DEATHS_IN_A_ROW} times in a row, the last time with exit code 3"):
        eventually(child.tend, 30)
    assert output.getvalue().count("reason") == DEATHS_IN_A_ROW


def test_stopping_a_child_takes_along_what_it_started(tmp_path: Path) -> None:
    child = Child(
        "web",
        ["sh", "-c", "trap '' TERM; sleep 60 & echo $!; wait; sleep 60"],
        os.environ,
        Console(output := io.StringIO()),
        Home(tmp_path).inherited,
    )
    child.start()
    assert eventually(lambda: "|" in output.getvalue(), 10)
    grandchild = psutil.Process(int(output.getvalue().split("|")[1]))
    child.stop(0.5)
    assert eventually(lambda: not grandchild.is_running() or grandchild.status() == psutil.STATUS_ZOMBIE, 5)
    assert child.wait() == -signal.SIGKILL


def test_a_reader_that_goes_away_does_not_stop_the_processes() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        console = Console(stream)
        console.say("into nothing")
        console.pump("web", source := io.BytesIO(b"a line\nanother\n"))
    assert not console.is_heard and source.closed  # it was read to its end


def test_the_procfile_holds_what_the_launcher_knows_to_order() -> None:
    commands = procfile.read(ROOT / "Procfile")
    assert list(commands) == ["release", "web", "worker", "beat", "mail"]
    assert commands["release"] == ["/bin/sh", "-c", "exec python -m server.migrate"]


def test_the_screen_is_not_filled_by_celerys_advice() -> None:
    code = (
        "import warnings, workers; from celery.exceptions import SecurityWarning\n"
        "warnings.warn(SecurityWarning('you are root')); warnings.warn('something else')"
    )
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stderr
    assert "you are root" not in said and "something else" in said
