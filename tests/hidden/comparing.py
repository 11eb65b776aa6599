"""Twins compared: as they stand, and after the same move. `python -m tests.hidden.comparing 500` does it for 500 games
and prints how many states and pairs that were.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator

from engine import Move, State, apply, project
from tests.engine.play import random_play
from tests.hidden.looks import look
from tests.hidden.twins import Viewer, hands_differ, twin, twin_for_a_move, viewers

MOMENTS = 10  # of a game, about


def moments(number: int) -> Iterator[tuple[State, Move]]:
    """Some states of game `number`, and the moves that were made in them; whoever takes them leaves them as they are."""
    chance = random.Random(f"moments {number}")
    game = [(state.copy(), move) for state, move in random_play(number)]
    yield from chance.sample(game, min(MOMENTS, len(game)))


def seen_alike(state: State, other: State, viewer: Viewer, tries: object) -> bool:
    """Whether the viewer sees the same in both, and is told the same when he tries the same moves."""
    return look(state, viewer, random.Random(f"{tries}")) == look(other, viewer, random.Random(f"{tries}"))


def played_twins(state: State, move: Move, viewer: Viewer, chance: random.Random) -> tuple[list[str], list[str]]:
    """What the viewer sees of a move and after it, in the state and in a twin of it.

    The dice fall alike, the card that a move shows is in the same hand, the viewer draws the same cards: that much
    he may know afterwards.
    """
    one = state.copy()
    one.dice = tuple(chance.randint(1, 6) for _ in range(64))
    other, its_move = twin_for_a_move(one, move, viewer, chance)
    tries = chance.random()
    return _story(one, move, viewer, tries), _story(other, its_move, viewer, tries)


def _story(state: State, move: Move, viewer: Viewer, tries: object) -> list[str]:
    told = [json.dumps(project(event, viewer)) for event in apply(state, move)]
    return [*told, look(state, viewer, random.Random(f"{tries}")), f"dice left: {len(state.dice)}"]


def compare(numbers: range) -> Counter[str]:
    """Both comparisons over whole games; what was looked at. Raises AssertionError at the first difference."""
    count: Counter[str] = Counter(games=len(numbers))
    for number in numbers:
        chance = random.Random(f"twins {number}")
        for state, move in moments(number):
            count["states"] += 1
            for viewer in viewers(state):
                other = twin(state, viewer, chance)
                assert seen_alike(state, other, viewer, chance.random()), f"game {number}, viewer {viewer}: {state}"
                seen, its = played_twins(state, move, viewer, chance)
                assert seen == its, f"game {number}, viewer {viewer}, {move}: {seen} {its}"
                count["pairs"] += 1
                count["pairs with other hands"] += hands_differ(state, other)
    return count


if __name__ == "__main__":
    began = time.monotonic()
    counted = compare(range(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
    print(json.dumps({**counted, "seconds": round(time.monotonic() - began, 1)}))
