"""Letters in which it is not clear where their writer begins, or that were cut: nothing of them is guessed."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from server.database import reading
from server.models import StandingOrders
from server.services.inbound.text import LONGEST_LINE, LONGEST_TEXT
from tests.inbound.post import Post, Table, letters, moves

QUOTED = "> " + "quoted words " * 6
UNCLEAR = ("unclear", [])

LETTERS: dict[str, tuple[str, tuple[str, list[str]]]] = {
    # the line below a long quoted one: its second half, or the writer's first?
    "a number below a long quotation": (f"{QUOTED}\n1\n2\n", UNCLEAR),
    "one number alone": (f"{QUOTED}\n1\n", UNCLEAR),
    "a word": (f"{QUOTED}\nstatus\npass\n", UNCLEAR),
    "orders": (f"{QUOTED}\norders:\npass\n", UNCLEAR),
    "a second half that is no command": (f"{QUOTED}\nand the rest\npass\n", ("played", ["pass"])),
    "a blank line between": (f"{QUOTED}\n\npass\n", ("played", ["pass"])),
    # a list of moves is no date
    "two numbers and a saying": ("1 2\nsay about this one:\n> 4. feed A1\npass\n", ("played", ["#1"])),
    "two numbers and orders": ("1 2\norders:\nscavenge A1\n", ("played", ["#1"])),
    "with a comma": ("1, 2\norders:\nscavenge A1\n", ("played", ["#1"])),
    "and one that ends": ("1 2 end\nsay take this:\n", ("played", ["#1"])),
    "words and a colon": ("пас, конец\nsay look here: 1\nsay take this:\n", ("played", ["pass"])),
    "numbers amid a header": ("On the whole, fine\n1\nsay this:\n> 4. feed A1\npass\n", UNCLEAR),
    # a greeting is a name at most
    "prose that greets": ("Hey, do not play this one yet:\n1\n", UNCLEAR),
    "few words": ("Hey, do not play:\n1\n", UNCLEAR),
    "fewer words": ("Hi, not this:\n1\n", UNCLEAR),
    "a sentence behind it": ("Здравствуйте! Я в отпуске.\n1\n", UNCLEAR),
    "one that goes on": ("Hello, I am away until\n1\n", UNCLEAR),
    "a number in it": ("Hello 2\n1\n", UNCLEAR),
    "a name and a sentence": ("Dear Boris, I wonder about 2. What do you think?\n1\n", UNCLEAR),
    "a greeting with a mark": ("Hi! No\n1\n", UNCLEAR),
    "a name": ("Hello Galapost,\npass\n", ("played", ["pass"])),
    "a name with a colon": ("Dear Anna:\npass\n", ("played", ["pass"])),
    "one in Russian": ("Добрый день, Анна Петровна!\npass\n", ("played", ["pass"])),
    "a name with a line in it": ("Hi Anna-Maria O'Neil :-)\npass\n", ("played", ["pass"])),
    "nobody": ("hi there!\npass\n", ("played", ["pass"])),
    # what was cut is no command
    "a line too long": ("pass" + " " * LONGEST_LINE + "by\n", UNCLEAR),
    "an order too long": ("orders: pass development after 1" + " " * LONGEST_LINE + "0\n", ("refused", [])),
    "a text too long": ("\n" * (LONGEST_TEXT // 2 - 2) + "passing\n", UNCLEAR),  # a line ends with two signs
}  # fmt: skip


@pytest.mark.parametrize("name", LETTERS)
def test_a_letter(post: Post, table: Table, name: str) -> None:
    text, (outcome, played) = LETTERS[name]
    letter = post.write(table.address(), text)
    assert letter.outcome == outcome
    expected = [table.legal[int(move[1:]) - 1] if move[0] == "#" else move for move in played]
    assert moves(table.game)[: len(expected)] == expected
    assert bool(moves(table.game)) == bool(played)
    assert len(letters()) == 1


WAITING = {  # the move is played at once, for it is her turn; the others wait for her next go
    "a word in Russian": "приказы:\n{move}\nпас\nfeed A1\nконец\n",
    "with a mark": "orders:\n{move}\npass!\nfeed A1\nend!\n",
    "in a list": "orders: {move}, пасую, feed A1, КОНЕЦ\n",
    "a comma after a space": "orders: {move} , pass ,feed A1 , end\n",
}


@pytest.mark.parametrize("name", WAITING)
def test_a_word_that_ends_a_go_is_one_of_the_orders(post: Post, table: Table, name: str) -> None:
    """It ended the list, and was played at once."""
    move = next(move for move in table.legal if move.startswith("animal"))
    letter = post.write(table.address(), WAITING[name].format(move=move))
    assert letter.outcome == "orders"
    assert moves(table.game) == [move], "the queue waits for her next go"
    with reading() as session:
        (row,) = session.scalars(select(StandingOrders))
        assert row.lines == ["pass", "feed A1", "end"]


def test_a_subject_that_may_have_been_cut_is_no_command(post: Post, table: Table) -> None:
    long = ", ".join(["pass"] * 41) + ", pass 1"
    assert post.write(table.address(), "", Subject=long).outcome == "unclear"
    assert moves(table.game) == []
