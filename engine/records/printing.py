"""A record as text for people: the notation, and a sentence for each event. Nothing reads it back."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any, Final

from engine.events import event_from_json, project
from engine.rulebooks.options import OPTIONS

_WIDTH: Final = 100


def print_record(record: dict[str, Any]) -> str:
    """The whole game, every card open; each line ends with a line break."""
    lines = [*_heading(record), "", *_chance(record), "", *_play(record), "", *_end(record)]
    return "".join(f"{line}\n" for line in lines)


def _heading(record: dict[str, Any]) -> Iterator[str]:
    about = record["about"]
    yield f"Game {about['game']}, {record['format']} {record['schema']}, rules {record['rules']}"
    yield f"{about['started_at']} to {about['ended_at']}"
    for player in about["players"]:
        yield f"  {player['seat']}  {player['name']}"
    rules = [f"{name} {value}" for name, value in record["options"].items() if value != OPTIONS[name][0]]
    yield f"House rules: {', '.join(rules) or 'none'}"


def _chance(record: dict[str, Any]) -> Iterator[str]:
    yield f"Commitment: {record['commitment']}"
    yield f"Seed:       {record['seed']}"
    for addition in record["entropy"]:
        yield f"Entropy of {addition['seat']}, committed to as {addition['commitment']}:"
        yield (
            f"  {_legible(addition['revealed'])}"
            if addition["revealed"] is not None
            else "  not revealed, and left out"
        )
    yield "The deck as it was shuffled:"
    yield from _wrapped(record["deal"]["deck"])
    for seat, hand in record["deal"]["hands"].items():
        yield f"The hand of {seat}:"
        yield from _wrapped(hand)


def _legible(text: str) -> str:
    """What a stranger wrote, without what a terminal would obey."""
    return "".join(sign if sign.isprintable() else f"\\u{ord(sign):04x}" for sign in text)


def _wrapped(cards: list[str]) -> list[str]:
    return textwrap.wrap(", ".join(cards), _WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


def _play(record: dict[str, Any]) -> Iterator[str]:
    """The moves, each with what came of it."""
    events: dict[int, list[dict[str, Any]]] = {}
    for event in record["events"]:
        events.setdefault(event["decision"], []).append(event)
    yield from map(_told, events.get(0, []))
    for move in record["moves"]:
        yield f"{move['decision']:4}. {move['seat']}  {move['move']}"
        yield from map(_told, events.get(move["decision"], []))


def _told(stored: dict[str, Any]) -> str:
    """As whoever knows most of it may see it: in a finished game nothing is hidden."""
    event = event_from_json(stored)
    return f"         {project(event, next(iter(event.secrets), None))['text']}"


def _end(record: dict[str, Any]) -> Iterator[str]:
    scores = ", ".join(f"{seat} {points}" for seat, points in record["result"]["scores"].items())
    ended = record.get("ended", {}).get("by", "rules")
    if ended != "rules":
        yield f"Ended before its time, by {ended}."
    yield f"Winner: {' and '.join(record['result']['winners']) or 'nobody'} ({scores})"
    yield "The table at the end:"
    yield from (f"  {line}" for line in record["final"]["table"])
    yield f"SHA-256 of these lines: {record['final']['sha256']}"
