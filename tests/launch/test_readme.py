"""The front door: what the README says to paste is pasted, and does what it says."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from launch import ROOT
from tests.launch.houses import House


def block(readme: str) -> str:
    text = (ROOT / readme).read_text(encoding="utf-8")
    found = re.search(r"```bash\n(.*?)```", text, re.DOTALL)
    assert found, f"{readme} has a block of bash"
    return found.group(1)


def test_the_russian_readme_shows_the_same_game() -> None:
    assert block("README.ru.md") == block("README.md")


def test_the_game_of_the_readme_can_be_pasted(new_house: Callable[..., House], tmp_path: Path) -> None:
    house = new_house().become_ready()
    pasted = block("README.md").replace(":8000/", f":{house.port}/").replace("var/mail/new", '"$HOUSE"/mail/new')
    pasted = pasted.replace("$MAIL/*", '"$MAIL"/*').replace("curl -s", "curl -s -w '\\n'")
    said = subprocess.run(
        ["bash", "-c", pasted],
        env={"PATH": os.environ["PATH"], "HOUSE": str(house.home)},
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
    )
    assert said.returncode == 0, said.stderr
    owed, view, played, repeated, events = (json.loads(line) for line in said.stdout.splitlines() if line)
    assert [item["decision"] for item in owed["items"]] == [1]
    assert view["question"]["seat"] == view["you"]
    assert played["next"]["decision"] == 2
    assert repeated == played
    assert [event["type"] for event in events["items"]] == ["game_began", "animal_played"]
