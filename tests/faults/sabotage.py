"""`python -m tests.faults.sabotage [--only WORDS]` (`make sabotage`): proves the fault suite by breaking the server.

Each sabotage is done to a copy of the tree, in which its case is run: it has to turn red, and for want of a promise kept, not
for want of a server that starts."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from launch import ROOT
from tests.faults.sabotages import SABOTAGES, Sabotage

PATIENCE = 600.0
LEFT_BEHIND = (".git", ".venv", "var", "build", "__pycache__", ".*_cache", ".hypothesis", "node_modules")


def break_(tree: Path, sabotage: Sabotage) -> None:
    """Raises LookupError where there is nothing to break."""
    for one in sabotage.replacements:
        file = tree / one.file
        text = file.read_text()
        if text.count(one.original) != 1:
            raise LookupError(
                f"{one.file} has {text.count(one.original)} times: {one.original.strip().splitlines()[0]}"
            )
        file.write_text(text.replace(one.original, one.instead))


def red(sabotage: Sabotage) -> tuple[bool, str]:
    """Whether the case notices, and what it says."""
    with tempfile.TemporaryDirectory(prefix="galapost-sabotage-") as scratch:
        tree = Path(scratch) / "tree"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*LEFT_BEHIND), symlinks=True)
        break_(tree, sabotage)
        command = ("-m", "tests.faults", "--database", sabotage.database, "--case", sabotage.case, "--seed", "1")
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        ran = subprocess.run(
            [sys.executable, *command], cwd=tree, env=environment, capture_output=True, text=True, timeout=PATIENCE
        )
    found = re.search(rf"^{sabotage.case} .*RED\n(?:    (.*))?", ran.stdout, re.MULTILINE)
    if found is None:
        return False, (ran.stdout + ran.stderr).strip()[-600:]
    return ran.returncode == 1, found[1] or ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.sabotage", description=__doc__)
    parser.add_argument("--only", default="", help="those with these words in their name")
    arguments = parser.parse_args()
    chosen = [sabotage for sabotage in SABOTAGES if arguments.only in sabotage.name]
    noticed = 0
    for sabotage in chosen:
        try:
            is_red, why = red(sabotage)
        except (LookupError, subprocess.TimeoutExpired) as error:
            is_red, why = False, str(error)
        noticed += is_red
        print(f"{'red' if is_red else 'NOT RED'}: {sabotage.name} ({sabotage.case}, {sabotage.database})", flush=True)
        print(f"    {why[:300]}", flush=True)
    print(f"sabotage: {noticed} of {len(chosen)} red")
    return 0 if noticed == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
