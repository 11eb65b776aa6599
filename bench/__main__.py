"""`engine` (the default) or `waits` (`bench/waits.py`).

Runs the contenders in turns, round after round, so that what else the machine does falls on all of them alike.

Prints a table of ratios and, last, one line of JSON. The compiled engine is built first, where there is a C compiler, in a
folder that is thrown away.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from launch import ROOT
from launch.compile import compile_engine
from launch.trouble import Trouble

SEATS = (2, 4)
PEERS = ("python_chess", "gin_rummy", "backgammon", "hearts")


class Contender:
    def __init__(self, name: str, engine: Path = ROOT) -> None:
        environment = {**os.environ, "PYTHONPATH": str(engine), "PYTHONSAFEPATH": "1"}
        command = [sys.executable, str(ROOT / "bench" / "contenders.py"), name]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True)
        self.moves: list[float] = []  # a second, in each round
        self.games: list[float] = []

    def run(self, seconds: float) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        moves, games = self.process.stdout.readline().split()
        self.moves.append(float(moves))
        self.games.append(float(games))

    def close(self) -> None:
        self.process.communicate()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("what", nargs="?", choices=("engine", "waits"), default="engine")
    parser.add_argument("--waiting", type=int, default=1000, help="waits: how many requests")
    parser.add_argument("--moves", type=int, default=200, help="waits: in each state of the server")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each contender in each round")
    arguments = parser.parse_args()
    if arguments.what == "waits":
        from bench import waits  # it needs a server, and what that needs

        waits.main(arguments.waiting, arguments.moves)
        return 0
    with tempfile.TemporaryDirectory(prefix="galapost-bench-") as scratch:
        compiled = _compiled(Path(scratch))
        contenders = _contenders(compiled)
        for _ in range(arguments.rounds):
            for contender in contenders.values():
                contender.run(arguments.seconds)
        for contender in contenders.values():
            contender.close()
    _report(contenders, compiled is not None)
    return 0


def _compiled(folder: Path) -> Path | None:
    try:
        return compile_engine(folder / "compiled")
    except Trouble as trouble:
        print(trouble, file=sys.stderr)
        return None


def _contenders(compiled: Path | None) -> dict[str, Contender]:
    found = {f"interpreted, {seats} seats": Contender(f"galapost-{seats}") for seats in SEATS}
    if compiled is not None:
        found |= {f"compiled, {seats} seats": Contender(f"galapost-{seats}", compiled) for seats in SEATS}
    return found | {peer: Contender(peer) for peer in PEERS}


def _report(contenders: dict[str, Contender], compiled: bool) -> None:
    moves = {name: statistics.median(contender.moves) for name, contender in contenders.items()}
    width = max(map(len, moves))
    print(f"{'random moves a second':{width}} {'':>9}" + "".join(f"{'× ' + peer:>16}" for peer in PEERS))
    for name, rate in moves.items():
        print(f"{name:{width}} {rate:>9,.0f}" + "".join(f"{rate / moves[peer]:>16.2f}" for peer in PEERS))
    interpreted = statistics.mean(moves[f"interpreted, {seats} seats"] for seats in SEATS)
    line: dict[str, object] = {"bench": "engine", "interpreted": round(interpreted), "compiled": None}
    if compiled:
        fast = statistics.mean(moves[f"compiled, {seats} seats"] for seats in SEATS)
        print(f"compiled / interpreted: {fast / interpreted:.2f}")
        line["compiled"] = round(fast)
    games = [statistics.median(contenders[f"interpreted, {seats} seats"].games) for seats in SEATS]
    line["games_per_s"] = round(statistics.mean(games))
    line |= {peer: round(moves[peer]) for peer in PEERS}
    print(json.dumps(line))


if __name__ == "__main__":
    sys.exit(main())
