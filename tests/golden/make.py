"""Finds the golden games that are wanted and not there yet, and writes them: ``python -m tests.golden.make``.

Random games are played from seeds made of the game's name, so the same program finds the same game. Nothing that is
there is ever written anew: a stored game holds the rules as they were played. README.md tells how to add one.
"""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from engine import OPTIONS, Event, Move, State, apply, legal_moves
from tests.golden import dumps, playthroughs
from tests.golden.book import GAMES, GoldenGame, Step, begin, fingerprint, parting, position, result, write_game
from tests.golden.endings import endings
from tests.golden.proofs import TRAITS_ACT, Finder, Proof

MOST_GAMES = 20_000  # before the search is given up
CANDIDATES = 6  # so many are found, and the shortest is kept


@dataclass
class Played:
    """A random game to its end, with what the finder saw on the way."""

    state: State
    game: GoldenGame
    events: list[Event]
    seen: Proof | None


@dataclass(frozen=True)
class Wanted:
    """A game that is wanted: ``find`` looks at each step of it, ``judge`` at the whole; what they say is its proof.

    ``manner`` weighs the moves of the random players by how they begin, for what hardly ever happens else.
    """

    name: str
    about: str
    seats: int
    judge: Callable[[Played], Proof | None]
    find: Finder = lambda step: None
    options: Mapping[str, str] = field(default_factory=dict)
    manner: Mapping[str, float] = field(default_factory=dict)


def main() -> int:
    for wanted in all_wanted():
        path = GAMES / f"{wanted.name}.json"
        if not path.exists():
            game = search(wanted)
            if game is None:
                print(f"{wanted.name}: none of {MOST_GAMES} games will do", file=sys.stderr)
                return 1
            write_game(path, game)
            print(f"{path.relative_to(Path.cwd())}: {len(game.moves)} moves")
    for written in (*playthroughs.write_missing(), *dumps.write_missing()):
        print(written.relative_to(Path.cwd()))
    return 0


def search(wanted: Wanted) -> GoldenGame | None:
    """The shortest of the first games that will do."""
    found: list[GoldenGame] = []
    for number in range(MOST_GAMES):
        played = play(wanted, number)
        proof = wanted.judge(played)
        if proof is not None:
            found.append(replace(played.game, proof=proof))
        if len(found) == CANDIDATES:
            break
    return min(found, key=lambda game: len(game.moves), default=None)


def play(wanted: Wanted, number: int) -> Played:
    name = f"{wanted.name} {number}"
    seed = hashlib.sha256(name.encode()).hexdigest()
    game = GoldenGame(wanted.about, {}, seed, wanted.seats, dict(wanted.options), {}, {}, [], "", "")
    state, chance = begin(game), random.Random(name)
    positions, events, seen = [position(state)], [], None
    while moves := legal_moves(state):
        step = Step(len(game.moves) + 1, state.copy(), str(move := choose(chance, moves, wanted.manner)))
        step.events = apply(state, move)
        game.moves.append(step.move)
        seen = seen or wanted.find(step)
        events += step.events
        positions.append(position(state))
    final, course = fingerprint(positions[-1:]), fingerprint(positions)
    return Played(state, replace(game, **result(state), final=final, course=course), events, seen)


def choose(chance: random.Random, moves: list[Move], manner: Mapping[str, float]) -> Move:
    return chance.choices(moves, [weight(str(move), manner) for move in moves])[0]


def weight(text: str, manner: Mapping[str, float]) -> float:
    return next((heavy for beginning, heavy in manner.items() if text.startswith(beginning)), 1.0)


# What is wanted


def all_wanted() -> Iterator[Wanted]:
    yield from _for_traits()
    yield from _for_endings()
    yield from _for_tables()
    yield from _for_options()


HUNTERS = {"attack": 6.0}
# Players who let each other starve: few animals, parasites on all, nothing taken that need not be.
IDLERS = {"pass": 8.0, "animal": 0.3, "graze": 4.0}
# Attacks that are sent to and fro.
MIMICS = {
    "attack": 8.0,
    "play mimicry": 20.0,
    "play running": 20.0,
    "play carnivorous": 4.0,
    "animal": 2.0,
    "mimic": 4.0,
}


def _for_traits() -> Iterator[Wanted]:
    for number, (trait, finder) in enumerate(TRAITS_ACT.items()):
        about = f"{trait} acts"
        yield Wanted(f"trait-{trait}", about, 2 + number % 3, lambda played: played.seen, finder, manner=HUNTERS)


def _for_endings() -> Iterator[Wanted]:
    def ends(ending: str) -> Callable[[Played], Proof | None]:
        return lambda played: {"ending": ending} if ending in endings(played.state, played.events) else None

    yield Wanted("end-clear-win", "one seat has the best score", 3, ends("clear win"))
    yield Wanted("end-tie-broken", "equal scores, the larger pile wins", 2, ends("tie broken by the pile"))
    yield Wanted("end-shared", "equal scores, equal piles: the victory is shared", 2, ends("shared victory"))
    yield Wanted(
        "end-all-dead", "nobody has an animal left, the piles decide", 2, ends("everybody dead"), manner=IDLERS
    )
    yield Wanted("end-deck-exact", "the last draw empties the deck exactly", 4, ends("deck emptied exactly"))
    yield Wanted("end-deck-short", "the last draw falls short", 4, ends("deck emptied short"))


def _for_tables() -> Iterator[Wanted]:
    """Each number of seats with each deck, and with each bank table."""

    def sits(played: Played) -> Proof:
        game = played.game
        return {"seats": game.seats, "deck": game.options.get("deck", "third-edition")}

    for deck in OPTIONS["deck"]:
        for seats in (2, 3, 4, 6):
            options = {"deck": deck} | ({"sets": "two"} if seats > 4 else {})
            yield Wanted(f"table-{seats}-{deck}", f"{seats} seats, the deck {deck}", seats, sits, options=options)
    for seats in (5, 7, 8):
        yield Wanted(f"table-{seats}", f"{seats} seats, two sets", seats, sits, options={"sets": "two"})
    for seats in (2, 3, 4, 5, 6):
        options = {"bank-table": "gift"} | ({"sets": "two"} if seats > 4 else {})
        yield Wanted(f"table-{seats}-gift", f"{seats} seats, the bank table gift", seats, sits, options=options)


def _for_options() -> Iterator[Wanted]:
    for option, (default, other) in OPTIONS.items():
        yield _for_option(option, default, other)
        yield _for_option(option, other, default)


def _for_option(option: str, value: str, under: str) -> Wanted:
    """A game under one value in which the other would have made a difference."""

    def makes_a_difference(played: Played) -> Proof | None:
        parts_at = parting(played.game, option, under)
        found = {"option": option, "value": value, "under": under, "parts_at": parts_at}
        return found if parts_at else None

    about = f"{option} {value}: under {under} the same moves lead elsewhere"
    options: dict[str, Any] = {} if value == OPTIONS[option][0] else {option: value}
    seats = 3 if option in ("bank-table", "sets") else 2
    manner = MIMICS if option in ("mimicry", "running") else HUNTERS
    return Wanted(f"rule-{option}-{value}", about, seats, makes_a_difference, options=options, manner=manner)


if __name__ == "__main__":
    sys.exit(main())
