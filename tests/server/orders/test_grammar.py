"""Orders as text: what is read, what is refused and where, and that all of it is text again."""

from __future__ import annotations

import pytest

from server.services.orders.grammar import MOST_MOVES, BadOrders, Orders, is_order, read

GOOD = {
    "a queue": (["play camouflage A1", "feed A1, end"], Orders(queue=("play camouflage A1", "feed A1", "end"))),
    "russian names": (["play Жировой запас A1"], Orders(queue=("play Жировой запас A1",))),
    "a pass of the queue": (["pass"], Orders(queue=("pass",))),
    "the close of a phase is that of its moves": (
        ["play camouflage A1, END", "feed A1, Pass", "graze A1", "pass, pass"],
        Orders(queue=("play camouflage A1", "pass", "feed A1", "end", "graze A1", "end", "end")),
    ),
    "a pass of the next phase": (["animal large, pass, pass"], Orders(queue=("animal large", "pass", "pass"))),
    "the same defence twice": (["defend run", "defend yield, run"], Orders(defend=("run", "yield"))),
    "defences": (["defend run, drop tail-loss; mimic B3, yield"], Orders(defend=("run", "drop tail-loss", "mimic B3", "yield"))),
    "defences with a colon": (["Defend: run"], Orders(defend=("run",))),
    "defences of one animal": (["defend a2 drop хищник, run"], Orders(defend=("A2 drop carnivorous", "A2 run"))),
    "a full fat card": (["defend drop fat-tissue*"], Orders(defend=("drop fat-tissue*",))),
    "scavengers": (["scavenge A3, a1"], Orders(scavenge=("A3", "A1"))),
    "pairs": (["share cooperation A1>A2, communication"], Orders(share=("cooperation A1>A2", "communication"))),
    "passing": (
        ["pass development after 2 cards", "pass development when hand empty", "pass feeding when nothing to receive"],
        Orders(pass_after=2, pass_empty=True, pass_fed=True),
    ),
    "conditions": (
        ["stop when attacked", "STOP when  bank below 3.", "stop when turn changed", "stop when attacked"],
        Orders(stop_when=("attacked", "bank below 3", "turn changed")),
    ),
    "skipping": (["if illegal skip"], Orders(skip_illegal=True)),
    "the words of a mail in Russian": (["animal large, пас", "feed A1 , КОНЕЦ"], Orders(queue=("animal large", "pass", "feed A1", "end"))),
    "a comma after a space": (["pass , pass ,feed A1"], Orders(queue=("pass", "pass", "feed A1"))),
    "blank lines": (["", "  ", "end"], Orders(queue=("end",))),
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_orders_are_read(name: str) -> None:
    lines, expected = GOOD[name]
    assert read(lines) == expected


@pytest.mark.parametrize("name", GOOD)
def test_orders_are_text_again(name: str) -> None:
    orders = read(GOOD[name][0])
    assert read(orders.lines()) == orders
    assert all(map(is_order, orders.lines()))


def test_as_many_as_there_can_be_are_text_again() -> None:
    everybody = ",".join(f"A{number}" for number in range(101, 151))
    pairs = ",".join(f"communication A{number}>A199" for number in range(101, 151))
    defences = [f"defend {animal} drop communication" for animal in everybody.split(",")]
    orders = read([*(["feed A1"] * MOST_MOVES), *defences, f"scavenge {everybody}", f"share {pairs}"])
    assert read(orders.lines()) == orders


def test_more_orders_are_added_to_those_there_are() -> None:
    known = read(["feed A1", "defend run"])
    assert read(["end", "defend yield"], known) == Orders(queue=("feed A1", "end"), defend=("run", "yield"))


BAD = [
    (["feed A1", "dance A1"], 2, 1),
    (["feed A1, dance A2"], 1, 10),
    (["run B1"], 1, 1),
    (["defend"], 1, 7),
    (["defend run, hide"], 1, 13),
    (["defend drop nothing"], 1, 13),
    (["defend A2"], 1, 7),
    (["scavenge Z9"], 1, 10),
    (["share friendship"], 1, 7),
    (["feed A1, feed A"], 1, 10),
    (["feed A1,,"], 1, 9),
    (["feed  A1 ,  feed   A"], 1, 13),
    (["defend run, ru"], 1, 13),
    (["defend d"], 1, 8),
    (["  defend:  run;  drop  nothing"], 1, 24),
    (["scavenge A1, A"], 1, 14),
    (["share cooperation, co"], 1, 20),
    (["stop when tired"], 1, 1),
    (["stop when bank below many"], 1, 1),
    (["pass development"], 1, 1),
    (["pass development after -1"], 1, 1),
    (["if illegal explode"], 1, 1),
    (["x" * 2001], 1, 2001),
    ([""] * 501, 501, 1),
    (["end," * 99 + "end"] * 3, 3, 1),
    (["scavenge " + ",".join(f"A{number}" for number in range(1, 52))], 1, 1),
    ([f"defend A{number} run" for number in range(1, 52)], 51, 1),
]


@pytest.mark.parametrize(("lines", "line", "column"), BAD)
def test_what_is_no_order_is_refused_with_its_place(lines: list[str], line: int, column: int) -> None:
    with pytest.raises(BadOrders) as refused:
        read(lines)
    assert (refused.value.line, refused.value.column) == (line, column), str(refused.value)
    assert str(refused.value)


def test_the_queue_is_bounded() -> None:
    full = read(["end"] * 100, read(["end"] * 100))
    assert len(full.queue) == MOST_MOVES
    with pytest.raises(BadOrders):
        read(["end"], full)


@pytest.mark.parametrize("line", ["", "thanks", "3", "I attack", "end of story"])
def test_prose_is_no_order(line: str) -> None:
    assert not is_order(line)
