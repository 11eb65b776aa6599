"""`python -m tests.faults [--database sqlite|postgresql|both] [--case NAME …] [--seed N]`: runs cases, prints a line for each."""

from __future__ import annotations

import argparse
import random
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from tests.faults import running
from tests.faults.case import CASES
from tests.faults.counting import Count
from tests.faults.databases import POSTGRESQL, SQLITE


def main() -> int:
    running.load()
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
    with ProcessPoolExecutor(len(databases), mp_context=get_context("spawn")) as pool:  # most of a case is waiting
        runs = [pool.submit(running.run, [case.name for case in chosen], name, arguments.seed) for name in databases]
        counts = [count for ran in runs for count in ran.result()]
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
