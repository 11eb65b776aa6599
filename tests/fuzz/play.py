"""Random games, with everything that is checked of a few hundred of them in the suite."""

from __future__ import annotations

import random
import time

from tests.engine.test_random_play import play_through


def clean(seconds: int, with_seed: int) -> bool:
    """Plays until the time is over; says which game went wrong, as that one can be played again."""
    chance, ends, played = random.Random(with_seed), time.monotonic() + seconds, 0
    while time.monotonic() < ends:
        number = chance.randrange(2**48)
        try:
            play_through(number)
        except Exception as error:
            print(f"play: game {number}: {type(error).__name__}: {error}", flush=True)
            return False
        played += 1
    print(f"play: {played} games, every one ends, keeps its cards and survives storage", flush=True)
    return True
