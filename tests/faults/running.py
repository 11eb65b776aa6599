"""Cases on one database, one after the other."""

from __future__ import annotations

import importlib
import os
import pkgutil
import tempfile
import time
from pathlib import Path

from tests.faults import cases
from tests.faults.case import CASES
from tests.faults.counting import Count
from tests.faults.databases import opened
from tests.faults.stage import stage


def load() -> None:
    for module in pkgutil.iter_modules(cases.__path__):
        importlib.import_module(f"{cases.__name__}.{module.name}")


def run(names: list[str], database: str, seed: int) -> list[Count]:
    """One after the other on one stage, which is made anew after one that went wrong. Wants a process of its own: a stage
    changes its environment and connects its database."""
    load()
    counts: list[Count] = []
    waiting = [CASES[name] for name in names if database in CASES[name].databases]
    with tempfile.TemporaryDirectory(prefix="galapost-faults-") as scratch:
        databases = opened(database, Path(scratch))
        try:
            while waiting:
                with stage(databases) as made:
                    while waiting:
                        made.ready()
                        began = time.monotonic()
                        counts.append(waiting.pop(0).run(made, database, seed))
                        if os.environ.get("FAULTS_TIMES"):
                            print(f"    {time.monotonic() - began:.1f} s", flush=True)
                        if counts[-1].wrong:
                            break
        finally:
            databases.close()
    return counts
