"""The front door: what the README says to paste is pasted, and does what it says."""

import json
import os
import re
import subprocess
from collections.abc import Callable

from launch import ROOT
from tests.launch.houses import House


def block(readme: str) -> str:
    text = (ROOT / readme).read_text(encoding="utf-8")
    found = re.search(r"```bash\n(.*?)```", text, re.DOTALL)
    assert found, f"{readme} has a block of bash"
    return found.group(1)


def test_the_russian_readme_shows_the_same_game() -> None:
    assert block("README.ru.md") == block("README.md")


def paste(house: House) -> "subprocess.CompletedProcess[str]":
    """As a person does, in the project's folder; only the settings are those of the house."""
    return subprocess.run(
        ["bash", "-c", block("README.md")],
        env={"PATH": os.environ["PATH"], **house.environ},
        capture_output=True,
        text=True,
        timeout=60,
        cwd=ROOT,
    )


def test_the_game_of_the_readme_can_be_pasted_again_and_again(new_house: Callable[..., House]) -> None:
    house = new_house().become_ready()
    for _ in range(4):  # an address gets three codes an hour: the fourth time would wait for a mail in vain
        said = paste(house)
        assert said.returncode == 0 and not said.stderr, said.stderr
        owed, view, played, repeated, events = (json.loads(line) for line in said.stdout.splitlines())
        assert [item["decision"] for item in owed["items"]] == [1]
        assert view["question"]["seat"] == view["you"]
        assert played["next"]["decision"] == 2
        assert repeated == played
        assert [event["type"] for event in events["items"]] == ["game_began", "animal_played"]


def test_it_has_ten_curls() -> None:
    assert block("README.md").count("curl ") == 10 and "A game in ten curls" in (ROOT / "README.md").read_text("utf-8")
