"""Where a fault stands: the column of the item that is meant, not of the first one that looks like it."""

from __future__ import annotations

import pytest

from server.services.orders.grammar import BadOrders, Orders, read

PLACES = [
    ("feed A1, feed A", 10),
    ("feed A1, feed A1, fly A1", 19),
    ("feed A1; feed A", 10),
    ("feed A1,,", 9),
    ("feed A1,", 9),
    (", feed A1", 1),
    ("feed A1 ,  feed  A", 12),
    ("feed  A1,  fly  A1", 12),
    ("\tfeed A1, xx", 11),
    ("   frobnicate A1", 4),
    ("  stop  when  tired", 3),
    ("feed A1, run B1", 10),
    ("defend run, ru", 13),
    ("defend  run,   flee  away", 16),
    ("  defend run, ru", 15),
    ("defend A2 run, fly", 16),
    ("defend A2  drop  a", 18),
    ("defend A2: drop camouflage, drop c", 34),
    ("defend: run, ru", 14),
    ("defend mimic B1, mimic B", 24),
    ("defend drop camouflage, drop c", 30),
    ("defend run,", 12),
    ("scavenge A1, A", 14),
    ("scavenge: A1; A", 15),
    ("scavenge A", 10),
    ("share cooperation, co", 20),
    ("share  cooperation  A1>A2,  co  A1>A2", 29),
    ("share s", 7),
    ("share e", 7),
    ("defend d", 8),
    ("İİİ feed A1, zz", 1),
    ("feed A1, İİ, zz", 10),
]


@pytest.mark.parametrize(("line", "column"), PLACES)
def test_a_fault_has_its_column(line: str, column: int) -> None:
    with pytest.raises(BadOrders) as refused:
        read(["feed A1", line])
    assert (refused.value.line, refused.value.column) == (2, column), str(refused.value)


ENDS = {
    "pass , end": ("pass", "end"),
    "pass ,feed A1": ("pass", "feed A1"),
    "pass ;feed A1": ("pass", "feed A1"),
    "pass;feed A1": ("pass", "feed A1"),
    "feed A1 , end": ("feed A1", "end"),
    "пас": ("pass",),
    "Пасую.": ("pass",),
    "ПАС!": ("pass",),
    "pass!": ("pass",),
    "пас , конец": ("pass", "end"),
    "feed A1, конец": ("feed A1", "end"),
}


@pytest.mark.parametrize("line", ENDS)
def test_a_go_is_ended_in_many_ways(line: str) -> None:
    assert read([line]) == Orders(queue=ENDS[line])


def test_of_several_banks_the_highest_stops() -> None:
    """Or the lines that are left could be more than are read."""
    orders = read([f"stop when bank below {number}" for number in range(299)])
    assert orders.stop_when == ("bank below 298",)
    assert read(["stop when bank below 3", "stop when attacked"], orders).stop_when == ("bank below 298", "attacked")
