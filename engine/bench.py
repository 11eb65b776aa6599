"""How fast the engine is: random games, as lines of JSON that can be kept and compared.

A move is an answer chosen uniformly to a question with at least two answers; what plays by itself is not counted.
"""

from __future__ import annotations

import math
import os
import platform
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from engine import flow
from engine.chance import stream_key
from engine.codec import dump, load
from engine.game import apply
from engine.moves import Move
from engine.state import State
from engine.vocabulary import FEEDING


def bench(seconds: float, seed: str, clock: Callable[[], float]) -> Iterator[dict[str, Any]]:
    """One line for 2 and one for 4 seats, each measured for about that long, and one for what states cost."""
    about = {
        "compiled": _is_compiled(),
        "commit": _commit(),
        "machine": _machine(),
        "python": platform.python_version(),
    }
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
    yield {"bench": "states", **_costs_of_states(random.Random(f"{seed} states"), clock), **about}


def compiled_lines(seconds: float, seed: str) -> Iterator[str]:
    """The same lines from the compiled engine in build/compiled, if it was built and is not outdated."""
    folder = Path(__file__).parent.parent / "build" / "compiled"
    if _is_compiled() or not folder.exists():
        return
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1"}
    command = [sys.executable, "-m", "engine", "bench", "--seconds", str(seconds), "--seed", seed]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    yield from done.stdout.splitlines()


def _is_compiled() -> bool:
    return not flow.__file__.endswith(".py")


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


Game = tuple[bytes, list[Move]]

ANIMALS: Final = 8  # of the state that is copied and stored
COPIES: Final = 500
GAMES: Final = 40  # replayed in each round
ROUNDS: Final = 5  # of which the best counts: what else the machine does makes things only slower


def _costs_of_states(chooser: random.Random, clock: Callable[[], float]) -> dict[str, float]:
    """Multiples of the time of a random move, for two seats; what is compared is measured in turns."""
    state = _state_of_eight_animals(chooser)
    stored = dump(state)
    games = [_recorded_game(chooser) for _ in range(GAMES)]
    moves = sum(len(made) for _, made in games)
    tasks: dict[str, Callable[[], None]] = {
        "move": lambda: _each(games, _replay_unchecked),
        "copy": lambda: _repeat(COPIES, lambda: state.copy()),
        "dump_and_load": lambda: _repeat(COPIES, lambda: load(dump(state))),
        "replay": lambda: _each(games, _replay),
    }
    times = {"move": moves, "replay": moves, "copy": COPIES, "dump_and_load": COPIES}
    best = dict.fromkeys(tasks, math.inf)
    for _ in range(ROUNDS):
        for name, task in tasks.items():
            began = clock()
            task()
            best[name] = min(best[name], (clock() - began) / times[name])
    multiples = {name: round(best[name] / best["move"], 2) for name in tasks if name != "move"}
    return {"move_us": round(best["move"] * 1e6, 2), **multiples, "dump_bytes": len(stored)}


def _repeat(times: int, task: Callable[[], object]) -> None:
    for _ in range(times):
        task()


def _each(games: list[Game], replay: Callable[[Game], None]) -> None:
    for game in games:
        replay(game)


def _state_of_eight_animals(chooser: random.Random) -> State:
    """From the middle of a game: eight animals with more cards than that, in feeding."""
    while True:
        state = flow.deal(stream_key(chooser.randbytes(32)), 2)
        while answers := flow.legal_moves(state):
            animals = state.in_play()
            cards = sum(len(animal.cards) for animal in animals)
            if len(animals) == ANIMALS and cards > ANIMALS and state.phase == FEEDING:
                return state
            flow.play(state, chooser.choice(answers))


def _recorded_game(chooser: random.Random) -> Game:
    key, made = stream_key(chooser.randbytes(32)), []
    state = flow.deal(key, 2)
    while answers := flow.legal_moves(state):
        made.append(chooser.choice(answers))
        flow.play(state, made[-1])
    return key, made


def _replay_unchecked(game: Game) -> None:
    """A random game without its chooser: the floor that the rest is measured by."""
    key, made = game
    state = flow.deal(key, 2)
    flow.settle(state)
    for move in made:
        flow.play(state, move)


def _replay(game: Game) -> None:
    """Each move held against the legal ones, and all events told."""
    key, made = game
    state = flow.deal(key, 2)
    for move in made:
        apply(state, move)


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
