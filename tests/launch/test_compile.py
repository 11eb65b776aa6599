"""The compiled engine: the same games to the byte, the same tests, and never an outdated one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from launch import ROOT
from launch.compile import compile_engine

GAMES = 1000

# One digest over every list of legal moves and every final state of that many random games.
CHECKSUM = f"""
import hashlib, random
from engine import dump, flow
from engine.chance import stream_key
print(flow.__file__)
digest = hashlib.sha256()
for number in range({GAMES}):
    chance = random.Random(number)
    seats = 2 + number % 7
    options = {{"deck": "classic" if number % 2 else "third-edition", "sets": "two" if seats > 4 else "one"}}
    state = flow.deal(stream_key(number.to_bytes(32, "big")), seats, options)
    while answers := flow.legal_moves(state):
        if number % 10 == 0:
            digest.update(" ".join(map(str, answers)).encode())
        flow.play(state, chance.choice(answers))
    digest.update(dump(state).encode())
print(digest.hexdigest())
"""

# The tests of the engine and the data they read.
ENGINE_TESTS = ("tests/__init__.py", "tests/engine", "tests/scenarios", "tests/golden", "docs")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("cc") and not shutil.which("gcc"):
        pytest.skip("there is no C compiler on this machine")
    return compile_engine(tmp_path_factory.mktemp("compiled"))


def python(*arguments: str, path: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(path), "PYTHONSAFEPATH": "1"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=280, check=False)


def test_a_thousand_games_come_to_the_same_compiled_and_interpreted(compiled: Path, tmp_path: Path) -> None:
    interpreted_file, interpreted = python("-c", CHECKSUM, path=ROOT, cwd=tmp_path).stdout.splitlines()
    compiled_file, as_compiled = python("-c", CHECKSUM, path=compiled, cwd=tmp_path).stdout.splitlines()
    assert interpreted_file.endswith("flow.py")
    assert compiled_file.endswith(".so")
    assert as_compiled == interpreted


def test_the_tests_of_the_engine_pass_on_the_compiled_one(compiled: Path) -> None:
    # Beside the compiled package, so that its tests import that one.
    for name in ENGINE_TESTS:
        source, target = ROOT / name, compiled / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
        elif source.exists():
            target.parent.mkdir(exist_ok=True)
            shutil.copy(source, target)
    # Without the two thousand games, and without the installation of the package, which is the interpreted one.
    left_out = ("-k", "not survives_storage", "--ignore", "tests/engine/test_alone.py")
    done = python("-m", "pytest", "-q", "-x", *left_out, "tests/engine", path=compiled, cwd=compiled)
    assert done.returncode == 0, done.stdout[-3000:]
    shutil.rmtree(compiled / "tests")


def test_nothing_of_mypy_is_needed_to_run_it(compiled: Path, tmp_path: Path) -> None:
    without = "import sys; sys.modules['mypy_extensions'] = sys.modules['mypy'] = None; import engine.flow as f; print(f.__file__)"
    assert python("-c", without, path=compiled, cwd=tmp_path).stdout.strip().endswith(".so")


def test_a_build_older_than_its_sources_refuses_to_load(tmp_path: Path) -> None:
    sources = tmp_path / "sources"
    shutil.copytree(ROOT / "engine", sources, ignore=shutil.ignore_patterns("__pycache__"))
    build = compile_engine(tmp_path / "build", sources, modules=["vocabulary"])
    assert python("-c", "import engine", path=build, cwd=tmp_path).returncode == 0
    changed = sources / "traits" / "running.py"
    changed.write_text(changed.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    refused = python("-c", "import engine", path=build, cwd=tmp_path)
    assert refused.returncode == 1
    assert "older than its source traits/running.py: run `make compile` again" in refused.stderr
