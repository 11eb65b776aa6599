"""Finished games for tests, with their records: what is played is a function of a number."""

from __future__ import annotations

import hashlib
import random
from typing import Any

from engine import State, apply, event_json, legal_moves, new_game, opening, question
from engine.records import entropy_by_seat, make_record
from engine.vocabulary import SEAT_LETTERS
from tests.engine.fairness import addition

ABOUT = {"game": "g_test", "started_at": "2027-03-01T18:30:00.000Z", "ended_at": "2027-03-21T07:00:00.000Z"}
ADDITIONS = [addition("A", "что угодно"), addition("B", "0123456789abcdef")]


def recorded(
    number: int, seats: int = 2, options: dict[str, str] | None = None, entropy: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    """The record of random game ``number``."""
    entropy = ADDITIONS if entropy is None else entropy
    seed = hashlib.sha256(str(number).encode()).digest()
    state = new_game(seed, seats, options, entropy_by_seat(entropy))
    moves, events = _played(state, random.Random(number))
    players = [{"seat": letter, "name": f"Player {letter}"} for letter in SEAT_LETTERS[:seats]]
    return make_record(
        about={**ABOUT, "players": players},
        seed=seed,
        seats=seats,
        options=options or {},
        entropy=entropy,
        moves=moves,
        events=events,
        end=state,
    )


def _played(state: State, chance: random.Random) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    moves: list[dict[str, Any]] = []
    events = [{"decision": 0, **event_json(event)} for event in opening(state)]
    while (asked := question(state)) is not None:
        move = chance.choice(legal_moves(state))
        number = len(moves) + 1
        moves.append({"decision": number, "seat": SEAT_LETTERS[asked.seat], "kind": asked.kind, "move": str(move)})
        events += [{"decision": number, **event_json(event)} for event in apply(state, move)]
    return moves, events
