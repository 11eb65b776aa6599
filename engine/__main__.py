"""The engine at the command line: ``python -m engine scenarios|play|verify|bench``."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO, Final

from engine.bench import bench, compiled_lines
from engine.errors import BadNotation
from engine.notation.names import read_seat
from engine.records import BadRecord, Difference, read_record, verify
from engine.rulebooks.options import FEWEST_SEATS, MOST_SEATS, OPTIONS, BadOption, check_options
from engine.scenarios import run_file
from engine.terminal import play
from engine.vocabulary import Seat, seat_name

LARGEST_RECORD: Final = 1 << 26  # bytes; the longest game makes less than a hundredth of it


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
    proof = commands.add_parser("verify", help="replay the record of a finished game and check everything in it")
    proof.add_argument("record", type=Path, metavar="RECORD.json", help="a file, or - for standard input")
    proof.set_defaults(run=_verify)
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


def _verify(parser: argparse.ArgumentParser, given: argparse.Namespace) -> int:
    """Prints what was checked; 1 at the first difference."""
    record: dict[str, Any] = {}
    try:
        record = read_record(_text(given.record))
        for line in verify(record):
            _say(f"ok    {line}")
    except BadRecord as fault:
        _say(f"FAILED {fault}")
        return 1
    except Difference as fault:
        _say(f"FAILED {_place(record, fault.decision)}{fault.detail}")
        return 1
    print("verified; what 'about' says (which game, who, when) cannot be checked")
    return 0


def _opened(path: Path) -> AbstractContextManager[BinaryIO]:
    """The file, or standard input, which is nobody's to close."""
    return nullcontext(sys.stdin.buffer) if str(path) == "-" else path.open("rb")


def _text(path: Path) -> str:
    try:
        with _opened(path) as file:
            content = file.read(LARGEST_RECORD + 1)
    except OSError as fault:
        raise BadRecord(f"this cannot be read: {fault.strerror}") from fault
    if len(content) > LARGEST_RECORD:
        raise BadRecord(f"this is no record: it has more than {LARGEST_RECORD} bytes")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise BadRecord("this is no record: it is no text in UTF-8") from fault


def _place(record: dict[str, Any], decision: int) -> str:
    """The move at fault, in words; what it is called comes from a stranger."""
    if not decision:
        return ""
    moves = record["moves"]
    move = moves[decision - 1] if decision <= len(moves) else None
    told = f" ({move.get('seat')}: {move.get('move')})" if isinstance(move, dict) else ""
    return f"at move {decision}{told[:100]}: "


def _say(line: str) -> None:
    """What a stranger wrote may hold anything; a terminal is shown ASCII without control characters."""
    print("".join(sign if sign.isprintable() else " " for sign in line).encode("ascii", "backslashreplace").decode())


def _bench(parser: argparse.ArgumentParser, given: argparse.Namespace) -> int:
    if not 0 < given.seconds <= 3600:
        parser.error("--seconds: more than 0 and at most 3600")
    for result in bench(given.seconds, given.seed, time.perf_counter):
        print(json.dumps(result), flush=True)
    for line in compiled_lines(given.seconds, given.seed):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
