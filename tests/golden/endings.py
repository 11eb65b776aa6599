"""The ways a game can end, as its last answers show them."""

from __future__ import annotations

from collections.abc import Iterator

from engine import Event, State, score, winners
from engine.extinction import NEW_HAND


def endings(state: State, events: list[Event]) -> set[str]:
    """What can be said of the end of this game; ``events`` are all events of it."""
    return {*_by_score(state), *(_by_draw(events))}


def _by_score(state: State) -> Iterator[str]:
    scores = [score(state, seat) for seat in range(len(state.players))]
    if scores.count(max(scores)) == 1:
        yield "clear win"
    elif len(winners(state)) == 1:
        yield "tie broken by the pile"
    else:
        yield "shared victory"
    if not state.in_play():
        yield "everybody dead"


def _by_draw(events: list[Event]) -> Iterator[str]:
    """Whether the last draw gave each seat its due, which emptied the deck exactly, or fell short of it."""
    at = next(at for at, event in enumerate(events) if event.type == "last_turn_began")
    drawn = {event.facts["seat"]: event.facts["count"] for event in events[:at][-len(_seats(events)) :]}
    due = _due(events[:at], _seats(events))
    yield "deck emptied exactly" if drawn == due else "deck emptied short"


def _seats(events: list[Event]) -> list[str]:
    return sorted({event.facts["seat"] for event in events if event.type == "cards_drawn"})


def _due(events: list[Event], seats: list[str]) -> dict[str, int]:
    """What each seat was to get in the draw that these events end with, told from the events alone."""
    animals = dict.fromkeys(seats, 0)
    hands = dict.fromkeys(seats, 6)
    for event in events[: -len(seats)]:
        facts = event.facts
        if event.type in ("animal_played", "trait_played", "pair_played"):
            hands[facts["seat"]] -= 1
            animals[facts["seat"]] += event.type == "animal_played"
        elif event.type == "cards_drawn":
            hands[facts["seat"]] += facts["count"]
        for dead in _dead(event):
            animals[dead[0]] -= 1
    return {seat: animals[seat] + 1 if animals[seat] or hands[seat] else NEW_HAND for seat in seats}


def _dead(event: Event) -> list[str]:
    if event.type == "killed":
        return [event.facts["target"]]
    return list(event.facts["animals"]) if event.type == "died" else []
