"""Half a minute of schemathesis. `make fuzz` takes more time, and another seed whenever it runs."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from tests.fuzz import api

SECONDS, SEED = 30, 7


def test_schemathesis_finds_nothing(sqlite_template: Path, tmp_path: Path) -> None:
    found = api.run(Path(shutil.copy(sqlite_template, tmp_path / "galapost.db")), SECONDS, SEED)
    print(found.stdout)
    assert found.returncode == 0, found.stdout
    assert f"Seed: {SEED}" in found.stdout and "✅ Examples" in found.stdout and "✅ Stateful" in found.stdout
    selected, tested = re.findall(r"(?:Selected|Tested): ([\d/]+)", found.stdout)[:2]
    assert int(tested) >= 80 and selected == f"{tested}/{tested}"
