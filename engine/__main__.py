"""The engine at the command line: ``python -m engine scenarios|play|bench``."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import time
from pathlib import Path

from engine.bench import bench
from engine.errors import BadNotation
from engine.notation.names import read_seat
from engine.rulebooks.options import FEWEST_SEATS, MOST_SEATS, OPTIONS, BadOption, check_options
from engine.scenarios import run_file
from engine.terminal import play
from engine.vocabulary import Seat, seat_name


def main(arguments: list[str] | None = None) -> int:
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        status: int = given.run(parser, given)
    except KeyboardInterrupt:
        print()
        return 130
    except BrokenPipeError:  # whoever read the output has seen enough
        sys.stderr.close()
        return 0
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m engine", description="The rules of «Эволюция» (Evolution).")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    scenarios = commands.add_parser("scenarios", help="play scenario files and compare what must hold")
    scenarios.add_argument("files", nargs="+", type=Path, metavar="FILE")
    scenarios.add_argument("--seed", default="0", help="fixes what the dice lists do not")
    scenarios.set_defaults(run=_scenarios)
    game = commands.add_parser("play", help="play a game in the terminal against random bots")
    game.add_argument("--seats", type=int, default=2, metavar="N", help=f"{FEWEST_SEATS} to {MOST_SEATS}, default 2")
    game.add_argument("--me", type=_seat, default=0, metavar="SEAT", help="your seat, default A")
    game.add_argument("--seed", help="the same seed deals the same game")
    for option, values in OPTIONS.items():
        game.add_argument(f"--{option}", choices=values, default=values[0], help=f"house rule, default {values[0]}")
    game.set_defaults(run=_play)
    speed = commands.add_parser("bench", help="measure random games; prints lines of JSON")
    speed.add_argument("--seconds", type=float, default=5.0, metavar="S", help="for each number of seats, default 5")
    speed.add_argument("--seed", default="0")
    speed.set_defaults(run=_bench)
    return parser


def _seat(text: str) -> Seat:
    try:
        return read_seat(text)
    except BadNotation as fault:
        raise argparse.ArgumentTypeError(fault.detail) from fault


def _scenarios(parser: argparse.ArgumentParser, given: argparse.Namespace) -> int:
    passed = failed = 0
    for path in given.files:
        for outcome in run_file(path, given.seed.encode()):
            if outcome.failures:
                print(outcome)
            failed += bool(outcome.failures)
            passed += not outcome.failures
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def _play(parser: argparse.ArgumentParser, given: argparse.Namespace) -> int:
    options = {option: getattr(given, option.replace("-", "_")) for option in OPTIONS}
    try:
        check_options(options, given.seats)
    except BadOption as fault:
        parser.error(fault.detail)
    if given.me >= given.seats:
        parser.error(f"--me {seat_name(given.me)}: there are {given.seats} seats")
    play(given.seats, given.me, given.seed or secrets.token_hex(8), options)
    return 0


def _bench(parser: argparse.ArgumentParser, given: argparse.Namespace) -> int:
    if not 0 < given.seconds <= 3600:
        parser.error("--seconds: more than 0 and at most 3600")
    for result in bench(given.seconds, given.seed, time.perf_counter):
        print(json.dumps(result), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
