"""docs/rl.md says how long the vectors are and where the blocks lie: it must say what the code does."""

from __future__ import annotations

import re
from typing import Any

from galapost_rl import Actions, Observations

from launch import ROOT

PAGE = (ROOT / "docs" / "rl.md").read_text(encoding="utf-8")


def rows(after: str) -> list[list[str]]:
    """The cells of the first table after that text, without its head."""
    lines = PAGE[PAGE.index(after) :].splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("|---"))
    found = []
    for line in lines[first + 1 :]:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def test_the_blocks_of_actions_are_as_written() -> None:
    written = [(name, shape, int(first)) for name, shape, first, _ in rows("| block |")]
    assert written == [(name, " × ".join(map(str, shape)), first) for name, shape, first in Actions(2).table()]


def test_the_sections_of_an_observation_are_as_written() -> None:
    def length(text: str) -> int:
        product = 1
        for number in re.findall("[0-9]+", text):
            product *= int(number)
        return product

    assert {name: length(text) for name, text, _ in rows("| section |")} == Observations(2).sections


def test_the_sizes_for_each_number_of_seats_are_as_written() -> None:
    head = next(line for line in PAGE.splitlines() if line.startswith("| seats | 2"))
    seats = [int(cell) for cell in head.strip("|").split("|")[1:]]
    assert seats == list(range(2, 9))
    actions, observations = rows("| seats | 2")
    assert [int(cell) for cell in actions[1:]] == [Actions(number).count for number in seats]
    assert [int(cell) for cell in observations[1:]] == [Observations(number).size for number in seats]


def test_the_example_plays_a_game() -> None:
    example = PAGE.partition("```python\n")[2].partition("```")[0]
    names: dict[str, Any] = {}
    exec(example, names)  # the page is ours
    assert names["game"].agents == []
