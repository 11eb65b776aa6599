"""A case: a function that plays, plants a fault and sees that it was reached; run, counted, and judged."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from tests.faults import counting
from tests.faults.counting import Count
from tests.faults.databases import POSTGRESQL, SQLITE
from tests.faults.stage import Stage
from tests.faults.tables import Ledger

Play = Callable[[Stage, Ledger], None]
SECONDS_TO_SETTLE = 90.0


@dataclass(frozen=True)
class Case:
    """`ambiguous`: how many attempts the fault can have made so; more of them, and somebody sent twice without a reason.
    `deaths`: reasons for which a notice may end dead."""

    name: str
    play: Play
    databases: tuple[str, ...] = (SQLITE, POSTGRESQL)
    ambiguous: int | None = 0
    deaths: frozenset[str] = frozenset()

    def run(self, stage: Stage, database: str, seed: int) -> Count:
        """Prints its line, and what is wrong."""
        ledger, before = Ledger(), counting.ids()
        stage.dice.seed(f"{self.name} {seed}")
        trouble = self._played(stage, ledger)
        count = counting.count(stage, ledger, before, self.deaths)
        count.wrong += trouble
        self._judge(count)
        red = "" if not count.wrong else "  RED"
        print(f"{self.name} {database} seed={seed} {count.line()}{red}", flush=True)
        for wrong in count.wrong:
            print(f"    {wrong}", flush=True)
        if count.wrong or os.environ.get("FAULTS_KEEP"):
            print(f"    attempts: {dict(count.attempts)}", flush=True)
        return count

    def _played(self, stage: Stage, ledger: Ledger) -> list[str]:
        trouble = []
        try:
            self.play(stage, ledger)
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            trouble.append(f"{type(error).__name__} in {where.name}, line {where.lineno}: {str(error)[:300]}")
        stage.ready()
        try:
            stage.eventually(lambda: stage.unsettled() == 0, SECONDS_TO_SETTLE)
        except TimeoutError:
            trouble.append(f"{stage.unsettled()} notices are not settled")
        return trouble

    def _judge(self, count: Count) -> None:
        if count.extra > count.ambiguous:
            count.wrong.append(f"{count.extra} extra copies, {count.ambiguous} ambiguous attempts")
        if self.ambiguous is not None and count.ambiguous > self.ambiguous:
            count.wrong.append(f"{count.ambiguous} ambiguous attempts; this fault explains {self.ambiguous}")


CASES: dict[str, Case] = {}


def case(
    name: str,
    *databases: str,
    ambiguous: int | None = 0,
    deaths: tuple[str, ...] = (),
) -> Callable[[Play], Play]:
    """Puts the function into the list of cases, for these databases or for both."""

    def keep(play: Play) -> Play:
        CASES[name] = Case(name, play, databases or (SQLITE, POSTGRESQL), ambiguous, frozenset(deaths))
        return play

    return keep
