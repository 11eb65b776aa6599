"""How fast the engine is: random games, as lines of JSON that can be kept and compared.

A move is an answer chosen uniformly to a question with at least two answers; what plays by itself is not counted.
"""

from __future__ import annotations

import os
import platform
import random
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from engine import flow
from engine.chance import stream_key


def bench(seconds: float, seed: str, clock: Callable[[], float]) -> Iterator[dict[str, Any]]:
    """One result for 2 and one for 4 seats, each measured for about that long."""
    about = {"commit": _commit(), "machine": _machine(), "python": platform.python_version()}
    for seats in (2, 4):
        games, moves, took = _random_games(seats, seconds, random.Random(f"{seed} {seats}"), clock)
        yield {
            "bench": "random games",
            "seats": seats,
            "moves_per_second": round(moves / took),
            "games_per_second": round(games / took, 1),
            "games": games,
            "moves": moves,
            "seconds": round(took, 2),
            **about,
        }


def _random_games(
    seats: int, seconds: float, chooser: random.Random, clock: Callable[[], float]
) -> tuple[int, int, float]:
    games = moves = 0
    began = clock()
    while (took := clock() - began) < seconds or not games:
        moves += _random_game(seats, chooser)
        games += 1
    return games, moves, took


def _random_game(seats: int, chooser: random.Random) -> int:
    state = flow.deal(stream_key(chooser.randbytes(16)), seats)
    answers = flow.settle(state)
    chance = chooser.random
    moves = 0
    while answers:
        answers = flow.play(state, answers[int(chance() * len(answers))])
        moves += 1
    return moves


def _commit() -> str | None:
    """The commit of the source, marked when it has been changed since; None outside a repository."""
    here = Path(__file__).parent
    command = ["git", "-C", str(here), "describe", "--always", "--dirty"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip() or None


def _machine() -> str:
    return f"{_processor()}, {os.cpu_count()} cores, {platform.system()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
