"""Players' own processes that die in the middle of a move: the notice exists exactly when the move does."""

from __future__ import annotations

import json

from tests.faults.case import case
from tests.faults.stage import Stage
from tests.faults.tables import Ledger, opened

MOVES = 12


def mover_killed(name: str, point: str) -> None:
    @case(f"mover-killed-{name}")
    def _killed(stage: Stage, ledger: Ledger) -> None:
        (table,) = opened(stage, ledger, 1, "EW")
        seats = json.dumps({letter: caller.account_id for letter, caller in table.callers.items()})
        stage.faults.arm(point, "kill", at=(2, 5, 6))
        for start in range(4):
            log = stage.folder / f"mover{start}.log"
            stage.crew.start(f"mover{start}", ("tests.faults.mover", table.game, seats, str(MOVES), str(start)))
            stage.eventually(lambda name=f"mover{start}": not stage.crew.runs(name))
            for line in log.read_text().splitlines():
                word, _, number = line.partition(" ")
                if word == "answered":
                    ledger.note(table.game, int(number))
        stage.reached(point, 3)
        assert len(ledger.answered) >= MOVES


mover_killed("before-the-commit", "move, before its commit")
mover_killed("after-the-commit", "move, after its commit")
