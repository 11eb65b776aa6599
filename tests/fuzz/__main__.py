"""`python -m tests.fuzz [SUBJECT …] [--seconds 600] [--seed 7]`: all subjects, or those that are named; exits 1 when one found something."""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable

from tests.fuzz import api, mail, play

# Each takes seconds and a seed, prints what it found, and returns whether that was nothing.
SUBJECTS: dict[str, Callable[[int, int], bool]] = {"api": api.clean, "mail": mail.clean, "play": play.clean}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m tests.fuzz", description=__doc__)
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=f"of {', '.join(SUBJECTS)}; all when left out")
    parser.add_argument("--seconds", type=int, default=600, help="for each subject")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32), help="the same makes the same input")
    asked = parser.parse_args(arguments)
    if unknown := set(asked.subjects) - set(SUBJECTS):
        parser.error(f"{', '.join(sorted(unknown))}: subjects are {', '.join(SUBJECTS)}")
    print(f"seed {asked.seed}", flush=True)
    clean = [SUBJECTS[subject](asked.seconds, asked.seed) for subject in asked.subjects or SUBJECTS]
    return 0 if all(clean) else 1


if __name__ == "__main__":
    sys.exit(main())
