"""Houses for the tests of the launcher."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.launch.houses import House


@pytest.fixture
def new_house(tmp_path: Path) -> Iterator[Callable[..., House]]:
    """Makes a house, in a folder with a space in its name; whatever is left of it is ended with the test."""
    houses: list[House] = []

    def make(home: Path = tmp_path / "my home", **environ: str) -> House:
        houses.append(House(home, **environ))
        return houses[-1]

    yield make
    for house in houses:
        if hasattr(house, "process"):
            house.clear()
