"""A record from what was stored of a game. What is in it and can be computed is compared again by ``verifying``."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from engine import flow
from engine.cards import ENDS, KINDS
from engine.chance import shuffled, stream_key
from engine.notation.names import print_pair
from engine.positions import ALL, position_of, print_position
from engine.records.form import FORMAT, LEFT_SCHEMA, RULES, SCHEMA
from engine.rulebooks.book import rulebook
from engine.rulebooks.options import full_options
from engine.scoring import score, winners
from engine.state import Animal, State
from engine.vocabulary import SEAT_LETTERS, Seat, animal_name, seat_name

BY_THE_RULES: Final = "rules"


def make_record(
    *,
    about: Mapping[str, Any],
    seed: bytes,
    seats: int,
    options: Mapping[str, str],
    entropy: Sequence[Mapping[str, Any]],
    moves: Sequence[Mapping[str, Any]],
    events: Sequence[Mapping[str, Any]],
    end: State,
    resignations: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """The record of a game that is over, JSON-ready, its keys in one order.

    ``about``: what nobody can recompute (which game, who, when). ``entropy``: by seat, ``{seat, commitment, revealed}``.
    ``moves``: ``{decision, seat, kind, move}``. ``events``: ``{decision, type, facts, secrets?}``. ``end``: the last state.
    ``resignations``: ``{seat, after}``, the number of moves that had been made.
    """
    left = bool(resignations or end.ended)
    record = {
        "format": FORMAT,
        "schema": LEFT_SCHEMA if left else SCHEMA,
        "about": dict(about),
        "rules": RULES,
        "seats": seats,
        "options": full_options(options),
        "commitment": hashlib.sha256(seed).hexdigest(),
        "seed": seed.hex(),
        "entropy": [dict(addition) for addition in entropy],
        "deal": deal_of(stream_key(seed, entropy_by_seat(entropy)), seats, options),
        "moves": [dict(move) for move in moves],
        "events": [dict(event) for event in events],
        "result": result_of(end),
        "final": final_of(end),
    }
    if left:
        record["resignations"] = [dict(resignation) for resignation in resignations]
        record["ended"] = {"by": end.ended or BY_THE_RULES, "after": len(moves)}
    return record


def entropy_by_seat(entropy: Iterable[Mapping[str, Any]]) -> dict[Seat, bytes]:
    """What the seats added to the seed; what was not revealed is left out."""
    revealed = (addition for addition in entropy if addition["revealed"] is not None)
    return {SEAT_LETTERS.index(addition["seat"]): addition["revealed"].encode() for addition in revealed}


def deal_of(key: bytes, seats: int, options: Mapping[str, str]) -> dict[str, Any]:
    """The whole deck as it was shuffled, and what came of it."""
    book = rulebook(options)
    deck = shuffled(State(book, seats, key), book.cards())
    state = flow.deal(key, seats, options)
    return {
        "deck": [KINDS[card] for card in deck],
        "hands": {seat_name(seat): [KINDS[card] for card in player.hand] for seat, player in enumerate(state.players)},
        "first": seat_name(state.first),
    }


def result_of(state: State) -> dict[str, Any]:
    """Who won, and the scores."""
    scores = {seat_name(seat): score(state, seat) for seat in range(len(state.players))}
    return {"winners": [seat_name(seat) for seat in winners(state)], "scores": scores}


def final_of(state: State) -> dict[str, Any]:
    """The table at the end with every card open, as lines of notation, and the hash of them."""
    table = final_table(state)
    return {"table": table, "sha256": hashlib.sha256("".join(f"{line}\n" for line in table).encode()).hexdigest()}


def final_table(state: State) -> list[str]:
    """The position, which card each animal and each pair is, and how many words of chance were read."""
    lines = print_position(position_of(state, ALL)).splitlines()
    lines += [f"{animal_name(animal.id)} is {_cards_of(animal)}" for animal in state.in_play()]
    links = [link for animal in state.in_play() for link in animal.links if link.first == animal.id]
    links.sort(key=lambda link: (link.first, link.second, link.trait))  # not as they were played: storage forgets that
    lines += [f"{print_pair(link.trait, link.first, link.second)} is {ENDS[link.end]}" for link in links]
    return [*lines, f"words {state.counter}"]


def _cards_of(animal: Animal) -> str:
    ends = ", ".join(ENDS[end] for end in animal.cards)
    return f"{KINDS[animal.card]} under {ends}" if ends else KINDS[animal.card]
