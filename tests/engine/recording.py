"""Finished games for tests, with their records: what is played is a function of a number."""

from __future__ import annotations

import hashlib
import random
from typing import Any

from engine import State, apply, cancel, event_json, legal_moves, new_game, opening, question, resign
from engine.records import entropy_by_seat, make_record
from engine.vocabulary import SEAT_LETTERS
from tests.engine.fairness import addition

ABOUT = {"game": "g_test", "started_at": "2027-03-01T18:30:00.000Z", "ended_at": "2027-03-21T07:00:00.000Z"}
ADDITIONS = [addition("A", "что угодно"), addition("B", "0123456789abcdef")]


def recorded(
    number: int,
    seats: int = 2,
    options: dict[str, str] | None = None,
    entropy: list[dict[str, Any]] | None = None,
    left: dict[int, str | None] | None = None,
) -> dict[str, Any]:
    """The record of random game ``number``. ``left``: after how many moves which seat resigns; None: it is cancelled."""
    entropy = ADDITIONS if entropy is None else entropy
    seed = hashlib.sha256(str(number).encode()).digest()
    state = new_game(seed, seats, options, entropy_by_seat(entropy))
    moves, events = _played(state, random.Random(number), left or {})
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
        resignations=[{"seat": seat, "after": after} for after, seat in (left or {}).items() if seat],
    )


def _played(
    state: State, chance: random.Random, left: dict[int, str | None]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    moves: list[dict[str, Any]] = []
    events = [{"decision": 0, **event_json(event)} for event in opening(state)]
    events += _leave(state, left, 0)
    while (asked := question(state)) is not None:
        move = chance.choice(legal_moves(state))
        number = len(moves) + 1
        moves.append({"decision": number, "seat": SEAT_LETTERS[asked.seat], "kind": asked.kind, "move": str(move)})
        events += [{"decision": number, **event_json(event)} for event in apply(state, move)]
        events += _leave(state, left, number)
    return moves, events


def _leave(state: State, left: dict[int, str | None], number: int) -> list[dict[str, Any]]:
    if number not in left:
        return []
    seat = left[number]
    happened = cancel(state) if seat is None else resign(state, SEAT_LETTERS.index(seat))
    return [{"decision": number, **event_json(event)} for event in happened]
