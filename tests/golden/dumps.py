"""Golden dumps: states in all kinds of moments, as they were stored once, which must load for ever.

A file has three parts with an empty line between them: the dump; the position that it is, shown to the last card; the
legal moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engine import State, apply, dump, legal_moves, read_move
from engine.chance import stream_key
from engine.flow import deal
from engine.hunting import Defend
from engine.positions import ALL, position_of, print_position
from engine.state import Animal
from engine.vocabulary import DEVELOPMENT, FEEDING, HIBERNATED, HIBERNATING, POISONED
from tests.golden.book import HERE, begin, read_game, stored_games

FOLDER = HERE / "dumps"


@dataclass(frozen=True)
class StoredState:
    dump: str
    position: str
    moves: list[str]


def stored_states() -> list[Path]:
    return sorted(FOLDER.glob("*.txt"))


def read_state(path: Path) -> StoredState:
    dump, position, moves = path.read_text(encoding="utf-8").removesuffix("\n").split("\n\n")
    return StoredState(dump, position, [] if moves == NOBODY_IS_ASKED else moves.splitlines())


NOBODY_IS_ASKED = "nobody is asked"


def write_missing() -> Iterator[Path]:
    """The first state of the golden games that will do, for each kind of moment that has no file yet."""
    for name, will_do in MOMENTS.items():
        path = FOLDER / f"{name}.txt"
        if not path.exists():
            state = next(state for state in _states() if will_do(state))
            path.write_text(as_text(state), encoding="utf-8")
            yield path


def as_text(state: State) -> str:
    stored = dump(state)  # before the question, which settles a state that is not
    moves = "\n".join(map(str, legal_moves(state.copy()))) or NOBODY_IS_ASKED
    return f"{stored}\n\n{shown(state)}\n\n{moves}\n"


def shown(state: State) -> str:
    return print_position(position_of(state, ALL)).rstrip()


def _states() -> Iterator[State]:
    yield deal(stream_key(b"not settled"), 2)
    for path in stored_games():
        game = read_game(path)
        state = begin(game)
        yield state
        for text in game.moves:
            apply(state, read_move(state, text))
            yield state


def _asks(*kinds: str) -> Callable[[State], bool]:
    """Those questions are open, the last one is asked."""
    return lambda state: tuple(question.kind for question in state.stack) == kinds


def _has(*wanted: Callable[[Animal], object]) -> Callable[[State], bool]:
    """Animals on the table of which each of these holds for some."""
    return lambda state: all(any(one(animal) for animal in state.in_play()) for one in wanted)


MOMENTS: dict[str, Callable[[State], bool]] = {
    "dealt-and-not-settled": lambda state: not state.stack,
    "first-question": lambda state: state.turn == 1 and state.phase == DEVELOPMENT and bool(state.stack),
    "development-with-passes": lambda state: state.turn > 4 and any(player.passed for player in state.players),
    "feeding-go-with-a-main-action-made": lambda state: any(getattr(go, "main", False) for go in state.stack[-1:]),
    "go-with-spent-pairs": lambda state: any(getattr(go, "spent", ()) for go in state.stack[-1:]),
    "attack": _asks("feed", "defend"),
    "attack-after-a-die": lambda state: any(isinstance(top, Defend) and bool(top.ran) for top in state.stack),
    "share": _asks("feed", "share"),
    "scavenge": _asks("feed", "scavenge"),
    "scavenge-with-pairs-pending": _asks("feed", "share", "scavenge"),
    "fat-and-forfeits": _has(lambda animal: animal.fat, lambda animal: animal.forfeited),
    "hibernating-hibernated-poisoned": _has(
        lambda animal: animal.marks & HIBERNATING,
        lambda animal: animal.marks & HIBERNATED,
        lambda animal: animal.marks & POISONED,
    ),
    "idle-goes": lambda state: state.phase == FEEDING and state.idle > 0,
    "house-rules": lambda state: state.book.options["fat-conversion"] == "free" and state.turn > 5,
    "eight-seats": lambda state: len(state.players) == 8 and state.phase == FEEDING and bool(state.stack),
    "last-turn": lambda state: state.last_turn and state.phase == FEEDING and bool(state.stack),
    "over": lambda state: state.phase == "over",
}
