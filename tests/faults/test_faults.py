"""The short form of `make faults`: a handful of its cases, each in a process of its own as on the command line."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from launch import ROOT
from tests.faults.sabotages import SABOTAGES, Sabotage

SHORT = {
    "sqlite": (
        "calm",
        "smtp-dropped-after-the-dot-and-kept",
        "webhook-kept-and-reset",
        "answered-between-two-attempts",
    ),
    "postgresql": ("broker-flushed", "hurried", "claimed-by-two", "postgresql-restarted-after-the-claim"),
}
LINE = re.compile(r"^\S+ \w+ seed=\d+ committed=\d+ received=\d+ distinct=\d+ lost=0 extra=\d+ ambiguous=\d+ stale=0 ")


@pytest.mark.parametrize("database", SHORT)
def test_nothing_is_lost_and_nothing_invented(database: str) -> None:
    cases = [word for case in SHORT[database] for word in ("--case", case)]
    command = [sys.executable, "-m", "tests.faults", "--database", database, *cases]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    lines = ran.stdout.splitlines()
    assert len([line for line in lines if LINE.match(line)]) == len(SHORT[database]), ran.stdout
    assert lines[-1].startswith(f"faults: {len(SHORT[database])} cases, 1 databases, lost 0, extra ")
    assert lines[-1].endswith(", stale 0")


@pytest.mark.parametrize("sabotage", SABOTAGES, ids=lambda sabotage: f"{sabotage.name}, {sabotage.database}")
def test_there_is_something_to_break(sabotage: Sabotage) -> None:
    """So that a change of the server is noticed here, and not first by `make sabotage`."""
    for one in sabotage.replacements:
        assert (ROOT / one.file).read_text().count(one.original) == 1, f"{one.file} no longer has: {one.original}"
