"""That orders spare their players most of the coming and going: `make waits`, in short."""

from __future__ import annotations

import pytest

from bench.orders import waits

GAMES = 4


@pytest.mark.parametrize("seats", [2, 4])
def test_with_orders_a_game_waits_less_than_half_as_often(seats: int) -> None:
    without, given = (sum(waits(seed, seats, way) for seed in range(GAMES)) for way in (False, True))
    assert 0 < given < without / 2
