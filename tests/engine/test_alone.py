"""The engine alone: the project installed into a bare environment plays a game where the repository is not in sight."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from launch import ROOT

SOURCES = ("pyproject.toml", "README.md", "LICENSE", "engine", "server", "workers", "launch", "examples")

A_GAME = """
import engine, sys
from engine import apply, asked, dump, legal_moves, load, new_game, view
state = new_game(b"seed", seats=3)
moves = 0
while asked(state) is not None:
    apply(state, legal_moves(state)[moves % 2])
    state = load(dump(state))
    moves += 1
assert moves > 20
assert view(state, None)["winners"]
outside = sorted({name.partition(".")[0] for name in sys.modules} & {"flask", "sqlalchemy", "celery", "marshmallow"})
print(engine.__file__, outside)
"""

A_SCENARIO = """
[[scenario]]
id = "S1"
position = '''
turn 3 feeding; bank 3; deck 10; first A; go A
A1: grazing
A2:
B1:
'''
moves = ["graze A1"]
then = "bank 2"
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a fresh environment with nothing in it but this project."""
    folder = tmp_path_factory.mktemp("alone")
    for name in SOURCES:  # a copy, so that the build leaves nothing in the repository
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / "source" / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():
            (folder / "source").mkdir(exist_ok=True)
            shutil.copy(source, folder / "source" / name)
    venv.create(folder / "venv")
    python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    quiet = ("--quiet", "--disable-pip-version-check", "--no-input", "--no-index", "--no-deps")
    pip = (sys.executable, "-m", "pip")
    # Built with the setuptools of the tests, so that nothing is downloaded.
    run(*pip, "wheel", *quiet, "--no-build-isolation", "--wheel-dir", folder / "wheel", folder / "source")
    (wheel,) = (folder / "wheel").glob("galapost-*.whl")
    run(*pip, "--python", python, "install", *quiet, wheel)
    return python


def run(*command: object, cwd: Path | None = None) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PIP_"))}
    done = subprocess.run(list(map(str, command)), cwd=cwd, env=clean, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_plays_a_game_far_from_the_repository(python: Path, tmp_path: Path) -> None:
    file, _, outside = run(python, "-c", A_GAME, cwd=tmp_path).strip().partition(" ")
    assert Path(file).is_relative_to(python.parent.parent)
    assert outside == "[]"


def test_its_commands_are_there(python: Path, tmp_path: Path) -> None:
    (tmp_path / "scenarios.toml").write_text(A_SCENARIO, encoding="utf-8")
    assert run(python, "-m", "engine", "scenarios", "scenarios.toml", cwd=tmp_path) == "1 passed, 0 failed\n"


def test_nothing_else_was_needed(python: Path, tmp_path: Path) -> None:
    names = run(python, "-c", "from importlib.metadata import distributions as d; print(*[x.name for x in d()])")
    assert names.split() == ["galapost"]
