"""Golden games as data: what a stored game says of itself, and how it is played again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from engine import BadNotation, Event, IllegalMove, State, apply, new_game, read_move, score, winners
from engine.positions import ALL, position_of, print_position
from engine.scoring import pile_size
from engine.vocabulary import OVER, seat_name

HERE = Path(__file__).parent
GAMES = HERE / "games"


@dataclass(frozen=True)
class GoldenGame:
    """A whole game that must play for ever as it did when it was stored.

    ``proof`` says what the game is here for: ``test_golden_games.py`` checks it. ``final`` is the fingerprint of the
    last position, ``course`` that of all positions from the deal on.
    """

    about: str
    proof: dict[str, Any]
    seed: str
    seats: int
    options: dict[str, str]
    scores: dict[str, int]
    piles: dict[str, int]
    winners: list[str]
    final: str
    course: str
    moves: list[str] = field(default_factory=list)


def stored_games() -> list[Path]:
    return sorted(GAMES.glob("*.json"))


def read_game(path: Path) -> GoldenGame:
    return GoldenGame(**json.loads(path.read_text(encoding="utf-8")))


def write_game(path: Path, game: GoldenGame) -> None:
    """A new file; a game that is there already is never touched."""
    with path.open("x", encoding="utf-8") as file:
        file.write(json.dumps(asdict(game), indent=1, ensure_ascii=False) + "\n")


@dataclass
class Step:
    """The state as an answer is about to be given, the answer, and what came of it: the state changes underneath."""

    number: int
    state: State
    move: str
    events: list[Event] = field(default_factory=list)


def begin(game: GoldenGame, changed: Mapping[str, str] | None = None) -> State:
    return new_game(bytes.fromhex(game.seed), game.seats, {**game.options, **(changed or {})})


def replay(game: GoldenGame) -> Iterator[Step]:
    """Each step before its move is made; its events are there when the next one is asked for."""
    state = begin(game)
    for number, text in enumerate(game.moves, start=1):
        step = Step(number, state, text)
        yield step
        step.events += play_exactly(state, text)


def position(state: State) -> str:
    """The whole table in notation, but for the header's house rules: what two games can be compared by."""
    lines = print_position(position_of(state, ALL)).splitlines()
    header = [part for part in lines[0].split("; ") if not part.startswith("rules ")]
    return "\n".join(["; ".join(header), *lines[1:]])


def fingerprint(texts: list[str]) -> str:
    return hashlib.sha256("\n\n".join(texts).encode()).hexdigest()


def result(state: State) -> dict[str, Any]:
    """How a game stands, in the words of a golden game."""
    seats = range(len(state.players))
    return {
        "scores": {seat_name(seat): score(state, seat) for seat in seats},
        "piles": {seat_name(seat): pile_size(state, seat) for seat in seats},
        "winners": [seat_name(seat) for seat in winners(state)],
    }


def play_exactly(state: State, text: str) -> list[Event]:
    """Make the move of that canonical notation; a short form that happens to fit is not it. Raises IllegalMove."""
    move = read_move(state, text)
    if str(move) != text:
        raise IllegalMove("not-legal-now", f"{text!r} was stored, {str(move)!r} is what is legal")
    return apply(state, move)


def parting(game: GoldenGame, option: str, value: str) -> str | None:
    """Where the same moves lead elsewhere under another house rule: the move that is refused, or the result."""
    state = begin(game, {option: value})
    for number, text in enumerate(game.moves, start=1):
        try:
            play_exactly(state, text)
        except (IllegalMove, BadNotation):
            return f"move {number}"
    stands = result(state)
    same = state.phase == OVER and stands["scores"] == game.scores and stands["winners"] == game.winners
    return None if same else "the result"
