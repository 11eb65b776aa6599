"""`python -m tests.faults [--database sqlite|postgresql|both] [--case NAME …] [--seed N]`: runs cases, prints a line for each."""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.faults import cases
from tests.faults.case import CASES, Case
from tests.faults.counting import Count
from tests.faults.databases import POSTGRESQL, SQLITE, opened
from tests.faults.stage import stage


def load() -> None:
    for module in pkgutil.iter_modules(cases.__path__):
        importlib.import_module(f"{cases.__name__}.{module.name}")


def run(chosen: list[Case], database: str, seed: int) -> list[Count]:
    """One after the other on one stage, which is made anew after one that went wrong."""
    counts: list[Count] = []
    waiting = [case for case in chosen if database in case.databases]
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


def main() -> int:
    load()
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--database", choices=(SQLITE, POSTGRESQL, "both"), default="both")
    parser.add_argument("--case", action="append", metavar="NAME", help="may be given several times; else all")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--list", action="store_true", help="the names of the cases")
    arguments = parser.parse_args()
    unknown = set(arguments.case or ()) - CASES.keys()
    if unknown:
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    chosen = [case for name, case in CASES.items() if not arguments.case or name in arguments.case]
    if arguments.list:
        print("\n".join(case.name for case in chosen))
        return 0
    databases = (SQLITE, POSTGRESQL) if arguments.database == "both" else (arguments.database,)
    counts = [count for database in databases for count in run(chosen, database, arguments.seed)]
    return _tell(len(chosen), len(databases), counts)


def _tell(cases: int, databases: int, counts: list[Count]) -> int:
    red = sum(bool(count.wrong) for count in counts)
    if red:
        print(f"{red} of {len(counts)} runs are red")
    totals = {name: sum(getattr(count, name) for count in counts) for name in ("lost", "extra", "ambiguous", "stale")}
    print(f"faults: {cases} cases, {databases} databases, " + ", ".join(f"{name} {n}" for name, n in totals.items()))
    return 1 if red or not counts else 0


if __name__ == "__main__":
    sys.exit(main())
