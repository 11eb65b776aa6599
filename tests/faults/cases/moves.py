"""Players' own processes, beside each other, or dying in the middle of a move: the notice exists exactly when the move does."""

from __future__ import annotations

import json

from tests.faults.case import case
from tests.faults.stage import Stage
from tests.faults.tables import Ledger, Table, opened

MOVES = 12


def start_mover(stage: Stage, name: str, table: Table, moves: int, seed: int) -> None:
    seats = json.dumps({letter: caller.account_id for letter, caller in table.callers.items()})
    stage.crew.start(name, ("tests.faults.mover", table.game, seats, str(moves), str(seed)))


def note_acknowledged(stage: Stage, ledger: Ledger, name: str, table: Table) -> None:
    """A game has its own logs, since names come again."""
    for line in (stage.folder / f"{name}.log").read_text().splitlines():
        word, _, number = line.partition(" ")
        if word == "answered":
            ledger.note(table.game, int(number))


@case("players-in-several-processes")
def _several(stage: Stage, ledger: Ledger) -> None:
    """They and the workers write at the same time, and nobody is refused for that."""
    tables = {f"player {table.game}": table for table in opened(stage, ledger, 4, "WW")}
    for name, table in tables.items():
        start_mover(stage, name, table, 3 * MOVES, seed=1)
    for name, table in tables.items():
        stage.eventually(lambda name=name: not stage.crew.runs(name))
        note_acknowledged(stage, ledger, name, table)
    assert len(ledger.answered) == len(tables) * 3 * MOVES, "somebody was refused"


def mover_killed(name: str, point: str) -> None:
    @case(f"mover-killed-{name}")
    def _killed(stage: Stage, ledger: Ledger) -> None:
        (table,) = opened(stage, ledger, 1, "EW")
        stage.faults.arm(point, "kill", at=(2, 5, 6))
        for start in range(4):
            name = f"mover {table.game} {start}"
            start_mover(stage, name, table, MOVES, start)
            stage.eventually(lambda name=name: not stage.crew.runs(name))  # type: ignore[misc]
            note_acknowledged(stage, ledger, name, table)
        stage.reached(point, 3)
        assert len(ledger.answered) >= MOVES


mover_killed("before-the-commit", "move, before its commit")
mover_killed("after-the-commit", "move, after its commit")
