"""The page of examples/: what it says to paste is pasted."""

from __future__ import annotations

import re
import subprocess

from launch import ROOT
from tests.examples.programs import EXAMPLES
from tests.examples.servers import Server
from tests.playing import on_one_database

PAGE = (EXAMPLES / "README.md").read_text(encoding="utf-8")


def test_what_it_lists_is_there() -> None:
    listed = re.findall(r"^\| `([^`]+)` \|", PAGE, re.MULTILINE)
    assert len(listed) == 5
    assert {name for name in listed if not (EXAMPLES / name).exists()} == set()


@on_one_database
def test_a_bot_is_made_and_seated_as_it_says(server: Server) -> None:
    made, started, seated = re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)
    assert (ROOT / started.split()[-1]).exists()
    game = server.ask(host := server.sign_in("Ann"), "POST", "/games", {"seats": 3})["id"]
    told = {"TOKEN": server.sign_in("Bob"), "GAME": game, "GALAPOST_URL": server.url}
    done = subprocess.run(
        ["bash", "-c", made + seated], env={**server.environment, **told}, capture_output=True, timeout=60, cwd=ROOT
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert [player["name"] for player in server.ask(host, "GET", f"/games/{game}")["players"]] == ["Ann", "Darwinist"]
