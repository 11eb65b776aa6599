"""All that a seat, or a spectator, can get out of the engine at one moment, as one text."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from engine import (
    BadNotation,
    IllegalMove,
    State,
    asked,
    draw_table,
    legal_moves,
    move_json,
    question,
    read_move,
    sentence,
    view,
)
from engine.cards import ENDS, KINDS
from engine.notation import RUSSIAN_NAMES
from engine.vocabulary import TRAITS, animal_name
from tests.hidden.twins import Viewer

TRIES = 25  # moves that may be refused, a look


def look(state: State, viewer: Viewer, chance: random.Random) -> str:
    """Equal texts: nothing that this viewer can ask tells the states apart."""
    seen = view(state, viewer)
    open_question = question(state)
    parts: dict[str, Any] = {"view": seen, "drawing": draw_table(seen)}
    if open_question is not None:
        parts["asked"] = [open_question.seat, open_question.kind]
    if asked(state) == viewer and viewer is not None:
        parts["legal"] = [[str(move), move_json(move), sentence(move)] for move in legal_moves(state)]
        parts["answers"] = {str(given): answer(state, given) for given in chance.sample([*tries(state)], TRIES)}
    return json.dumps(parts, ensure_ascii=False)


def answer(state: State, given: Any) -> list[Any]:
    """What the engine says to that move: what it reads, or why it doesn't take it. The state stays as it is."""
    try:
        return ["read", str(read_move(state, given))]
    except BadNotation as error:
        return ["bad notation", str(error), error.detail, error.candidates]
    except IllegalMove as error:
        return ["illegal", str(error), error.detail, error.reason]


def tries(state: State) -> Iterator[Any]:
    """Moves, legal and not, short and whole, that anybody at the table could think of."""
    table = [animal_name(animal.id) for animal in state.in_play()] + ["A9", "B77"]
    yield from ("pass", "end", "?", "", "feed", "animal ?", "play ? A1", {"type": "animal", "card": None}, 7)
    yield from (f"animal {card}" for card in (*KINDS, *ENDS, *TRAITS, *RUSSIAN_NAMES.values()))
    yield from ({"type": "animal", "card": card} for card in KINDS)
    for animal in table:
        yield from (f"play {card} {animal}" for card in (*ENDS, *TRAITS))
        yield from (f"drop {animal} {trait}" for trait in TRAITS)
        yield from (f"{word} {animal}" for word in ("feed", "graze", "hibernate", "run", "yield", "scavenge"))
        yield from (f"convert {animal} {count}" for count in (1, 2, 9))
        yield {"type": "play", "trait": "running", "animal": animal}
        for other in table:
            yield from (f"{word} {animal} {other}" for word in ("attack", "steal", "mimic"))
            yield from (f"share {trait} {animal}>{other}" for trait in ("communication", "cooperation"))
            yield from (f"play {trait} {animal}+{other}" for trait in ("communication", "cooperation"))
            yield f"play symbiosis {animal}>{other}"
            yield f"drop {animal} symbiosis {animal}>{other}"
