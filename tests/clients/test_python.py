"""openapi-python-client makes a client of the committed document; with it two people play a game. Nothing is mended by hand."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from server.document import FILE
from tests.clients.playing import check, played
from tests.clients.servers import Server

PROGRAM = Path(__file__).parent / "python" / "play.py"
PACKAGE = "galapost_client"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the package was generated into."""
    folder = tmp_path_factory.mktemp("python")
    generate = [sys.executable, "-m", "openapi_python_client", "generate", "--path", str(FILE)]
    how = ["--meta", "none", "--output-path", str(folder / PACKAGE)]
    said = subprocess.run([*generate, *how], capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr
    assert "WARNING" not in said.stdout, said.stdout
    return folder


def test_it_is_typed_and_so_is_what_uses_it(client: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file",
        os.devnull,
        "--cache-dir",
        str(client / "types"),
    ]
    checked = subprocess.run(
        [*command, client / PACKAGE, PROGRAM], cwd=client, capture_output=True, text=True, timeout=120
    )
    assert checked.returncode == 0, checked.stdout


def test_two_people_play_a_game_with_it(client: Path, server: Server) -> None:
    environment = {**os.environ, "PYTHONPATH": str(client)}
    check(played(server, sys.executable, str(PROGRAM), environment=environment), later=server.is_later)
