"""Golden playthroughs: every view after every move, as text that a person can compare."""

from __future__ import annotations

import pytest

from tests.golden.playthroughs import FOLDER, PLAYED, playthrough

LARGEST = 400_000  # bytes: who compares them must be able to open them


@pytest.mark.parametrize("name", PLAYED)
def test_every_viewer_sees_after_every_move_what_was_stored(name: str) -> None:
    stored = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    for line, (expected, came) in enumerate(zip(stored, playthrough(name).splitlines(), strict=True), start=1):
        assert came == expected, f"line {line}"


def test_they_are_of_two_three_and_four_seats_and_can_be_opened() -> None:
    assert [name.split("-")[1] for name in PLAYED] == ["2", "3", "4"]
    files = sorted(FOLDER.iterdir())
    assert [file.stem for file in files] == sorted(PLAYED)
    assert max(file.stat().st_size for file in files) < LARGEST
