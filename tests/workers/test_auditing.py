"""The night's work: beat knows when, a worker knows what, and its message says nothing."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping

from launch import ROOT
from server.config import Settings
from server.database import transaction
from server.models import Game
from tests.server.test_auditing import dealt, go_on
from workers.schedule import SCHEDULE


def in_a_process_of_workers(environment: Mapping[str, str], *lines: str) -> list[str]:
    """What the lines print, run where the workers' code is imported as a worker imports it."""
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return done.stdout.splitlines()


def test_whatever_is_scheduled_is_a_task_and_comes_without_arguments(environment: dict[str, str]) -> None:
    (names,) = in_a_process_of_workers(environment, "from workers.tasks import app", "print(*app.tasks)")
    assert {entry["task"] for entry in SCHEDULE.values()} <= set(names.split())
    assert not any(entry.get("args") or entry.get("kwargs") for entry in SCHEDULE.values())


def test_the_audit_is_due_once_a_night() -> None:
    when = SCHEDULE["audit"]["schedule"]
    assert (len(when.hour), len(when.minute), len(when.day_of_week)) == (1, 1, 7)


def test_the_task_audits_the_games_of_this_installation(environment: dict[str, str], settings: Settings) -> None:
    game, callers = dealt()
    go_on(game, callers, 10)
    fair, _ = dealt()
    with transaction() as session:
        session.get_one(Game, game).commitment = "0" * 64
    told = in_a_process_of_workers(
        environment,
        "from server import database, logs",
        "from workers.tasks import audit, settings",
        "logs.configure(); database.connect(settings.database); audit()",
    )
    alarm, summary = (json.loads(line) for line in told)
    assert (alarm["level"], alarm["game"], alarm["what"]) == ("error", game, "commitment") and game != fair
    assert (summary["games"], summary["different"]) == (2, 1)
