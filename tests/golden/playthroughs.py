"""Golden playthroughs: after each move of a golden game what is told, what is legal, and what each viewer sees.

The first view of each viewer is written in full, after that what has changed in it: ``+`` a line that is new or other
than before, ``-`` one that is gone. Lines that several viewers see alike are written once, under their names.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from engine import Event, State, asked, legal_moves, project, view
from engine.vocabulary import seat_name
from tests.golden.book import GAMES, HERE, begin, play_exactly, read_game

FOLDER = HERE / "playthroughs"
PLAYED = ("table-2-third-edition", "table-3-classic", "table-4-third-edition")

Lines = dict[str, str]  # what a line is about -> the line


def write_missing() -> Iterator[Path]:
    for name in PLAYED:
        path = FOLDER / f"{name}.txt"
        if not path.exists():
            path.write_text(playthrough(name), encoding="utf-8")
            yield path


def playthrough(name: str) -> str:
    return "".join(f"{line}\n" for line in _game(name))


def _game(name: str) -> Iterator[str]:
    game = read_game(GAMES / f"{name}.json")
    state = begin(game)
    viewers: list[int | None] = [*range(game.seats), None]
    seen = [_lines(state, viewer) for viewer in viewers]
    yield f"# {game.about}; seed {game.seed}"
    yield from _legal(state)
    yield from _changes([{} for _ in viewers], seen)
    for number, text in enumerate(game.moves, start=1):
        yield from ("", f"## {number} {seat_name(state.stack[-1].seat)}: {text}")
        events = play_exactly(state, text)
        before, seen = seen, [_lines(state, viewer) for viewer in viewers]
        yield from _told(events, viewers)
        yield from _legal(state)
        yield from _changes(before, seen)


def _told(events: list[Event], viewers: list[int | None]) -> Iterator[str]:
    for event in events:
        texts = [project(event, viewer)["text"] for viewer in viewers]
        for text in dict.fromkeys(texts):
            yield f"told {_names([text == heard for heard in texts])}: {text}"


def _legal(state: State) -> Iterator[str]:
    """The legal moves in their order, those of one word in a line."""
    seat = asked(state)
    if seat is None:
        yield "nobody is asked"
        return
    yield f"{seat_name(seat)} may answer"
    for _, moves in groupby(legal_moves(state), key=lambda move: move.word):
        yield f"  {'; '.join(map(str, moves))}"


def _changes(before: list[Lines], after: list[Lines]) -> Iterator[str]:
    keys = dict.fromkeys(key for lines in (*before, *after) for key in lines)
    changed: dict[str, list[str]] = {}
    for key in keys:
        for line in dict.fromkeys(lines[key] for lines in after if key in lines):
            new = [now.get(key) == line != then.get(key) for then, now in zip(before, after, strict=True)]
            changed.setdefault(_names(new), []).append(f"  + {line}")
        gone = [key in then and key not in now for then, now in zip(before, after, strict=True)]
        changed.setdefault(_names(gone), []).append(f"  - {key}")
    for names, lines in sorted(changed.items(), key=lambda item: (-len(item[0].split()), item[0])):
        if names:
            yield f"seen by {names}"
            yield from lines


def _names(chosen: list[bool]) -> str:
    """Some of the viewers: the seats in order, then the spectator."""
    *seats, spectator = chosen
    names = [seat_name(seat) for seat, is_chosen in enumerate(seats) if is_chosen]
    return " ".join([*names, "spectator"] if spectator else names)


def _lines(state: State, viewer: int | None) -> Lines:
    """A view as lines: one for each seat, animal and pair, one for each other key, and the position as it is."""
    seen = view(state, viewer)
    lines: Lines = {}
    for seat in seen.pop("seats"):
        for animal in seat.pop("animals"):
            _add(lines, f"animal {animal.pop('id')}", animal)
        _add(lines, f"seat {seat.pop('seat')}", seat)
    for pair in seen.pop("pairs"):
        _add(lines, f"pair {pair.pop('animal')} {pair.pop('partner')} {pair.pop('trait')}", pair)
    for line in seen.pop("position").splitlines():
        key = line.partition(":")[0] if ":" in line else "header"
        lines[f"position {key}"] = f"position {line}"
    for key, value in seen.items():
        _add(lines, key, value)
    return lines


def _add(lines: Lines, key: str, value: Any) -> None:
    lines[key] = f"{key} {json.dumps(value, ensure_ascii=False)}"
