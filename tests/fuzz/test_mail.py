"""Some hundreds of letters. `make fuzz` makes ten thousand, and others whenever it runs."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.fuzz import mail

LETTERS, SEED = 300, 7


def test_no_letter_raises_plays_what_it_should_not_or_is_lost(sqlite_template: Path, tmp_path: Path) -> None:
    shutil.copy(sqlite_template, tmp_path / "galapost.db")
    made = mail.run(tmp_path, LETTERS, SEED)
    print(mail.told(made))
    assert made.counted["understood"] > 30 and made.counted["played"] > 20, "it made none that says anything"
