"""Which lines of a letter are commands: text in, commands out."""

from __future__ import annotations

import pytest

from server.services.inbound.commands import Command, of_body, of_subject, read_line
from server.services.inbound.markup import LONGEST_PAGE, written
from server.services.inbound.text import LONGEST_LINE, LONGEST_TEXT, clean


def moves(*items: str) -> Command:
    return Command("moves", items=items)


def is_order(line: str) -> bool:
    return line.startswith(("queue", "defend"))


LONG = "> " + "x" * 70

BODIES = {
    "one number": ("3", [moves("3")]),
    "several in a line": ("3, 7, end", [moves("3", "7", "end")]),
    "several with spaces": ("3 7 end", [moves("3", "7", "end")]),
    "notation": ("attack A1 B2", [moves("attack A1 B2")]),
    "russian trait names": ("play Жировой запас A1", [moves("play Жировой запас A1")]),
    "a full stop after it": ("Feed A1.", [moves("Feed A1")]),
    "lines in a row": ("feed A1\nend", [moves("feed A1"), moves("end")]),
    "a greeting and a blank line before": ("Hello Galapost,\n\n3\n", [moves("3")]),
    "a russian greeting": ("Добрый день!\n\n3", [moves("3")]),
    "a line of dashes before": ("---\n3", [moves("3")]),
    "prose ends the run": ("3\nthanks\n7", [moves("3")]),
    "a blank line ends the run": ("3\n\n7", [moves("3")]),
    "prose first": ("I think\n3", []),
    "a command amid prose": ("please play 3", []),
    "prose that begins like a command": ("attack of the clones", []),
    "On your right": ("On your right: feed A1\nOn Mon, 3 Nov 2026, Galapost wrote:\n> 1. end", []),
    "say keeps colons and digits": ("say look: I have 3 cards, 7 animals", [Command("say", "look: I have 3 cards, 7 animals")]),
    "say in Russian": ("скажи привет", [Command("say", "привет")]),
    "an empty say": ("say", []),
    "words": ("status\nhelp\nclear\nmute", [Command(word) for word in ("status", "help", "clear", "mute")]),
    "words in Russian": ("сдаюсь", [Command("resign")]),
    "orders to be seen": ("orders", [Command("orders")]),
    "orders to be set": ("orders:\nqueue feed A1\ndefend run\nthat is all\nend", [Command("orders", items=("queue feed A1", "defend run"))]),
    "one order beside the word": ("orders: queue feed A1", [Command("orders", items=("queue feed A1",))]),
    "orders of nothing": ("orders:\nwhatever", []),
    "only a quotation": ("> 3\n> 7", []),
    "below a quotation": ("> 1. feed A1\n>\n\n3", [moves("3")]),
    "between quotations": ("> short\n3\n> 7", [moves("3")]),
    "the tail of a quoted line that the client broke": (f"{LONG}\nof the table\n3", [moves("3")]),
    "what may be its tail, or the first move": (f"{LONG}\n7\n3", []),
    "what may be its tail, or a list of orders": (f"{LONG}\norders:\nfeed A1\n3", []),
    "above a header that is quoted": ("3\n\nOn Mon, 3 Nov 2026, G wrote:\n> 7", [moves("3")]),
    "below a header and its quotation": ("On Mon, 3 Nov 2026, G wrote:\n> 7\n\n3", [moves("3")]),
    "below a header over several lines": ("On Mon, 3 Nov 2026 at 10:00, G\n<m-abc@example.org>wrote:\n\n> 7\n\n3", [moves("3")]),
    "a header without marks below it": ("On Mon, 3 Nov 2026, G wrote:\n\n3", []),
    "a date as header": ("2014-12-11 23:51 GMT+02:00 Name <a@b.c>:\n> 7\n3", [moves("3")]),
    "Outlook's header block": ("From: X\nSent: Monday\nTo: Y\nSubject: Z\n\n3", []),
    "the same in Russian": ("От: X\nОтправлено: сегодня\nКому: Y\nТема: Z\n\n3", []),
    "above Outlook's header block": ("3\n\nFrom: X\nSent: Monday\nTo: Y\nSubject: Z\n\n7", [moves("3")]),
    "an original message": ("-----Original Message-----\n3", []),
    "dashes of an original message": ("----------- Original Message -----------\nDate: today at 3:59 pm\n > 3\n7", []),
    "only a signature": ("--\n3", []),
    "nothing": ("", []),
    "a greeting with a name": ("Dear Anna-Maria Smith,\n3", [moves("3")]),
    "a greeting with two names": ("Dear Anna Smith :)\n3", [moves("3")]),
    "prose after a greeting": ("Hey, do not play this one yet:\n3", []),
    "prose beside a greeting": ("Здравствуйте! Я в отпуске.\n3", []),
    "a greeting that goes on below": ("Hello, I am away until\n7", []),
    "a greeting and a number": ("Hi 5\n3", []),
    "numbers that look like a date": ("3 7\nsay about this one:\n> 4. feed A1\npass", [moves("3", "7"), Command("say", "about this one:")]),
    "and so above orders": ("3 7\norders:\nqueue feed A1", [moves("3", "7"), Command("orders", items=("queue feed A1",))]),
    "moves that end in Russian": ("1 2 пасую", [moves("1", "2", "pass")]),
    "too large a number": ("12345", []),
    "a number with a sign": ("-3", []),
    "a half of a list": ("3, seven", []),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_a_body_orders(name: str) -> None:
    body, expected = BODIES[name]
    assert of_body(body, is_order) == expected


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("3", [moves("3")]),
        ("Re: 3", [moves("3")]),
        ("RE: Aw: Отв: feed A1", [moves("feed A1")]),
        ("Re[2]: end", [moves("end")]),
        ("Re: Your turn in g_abc", []),
        ("Re: Re: Re: Re: Re: Re: Re: Re: Re: Re: Re: Re: 3", []),  # nobody writes that
        ("", []),
    ],
)
def test_a_subject_orders(subject: str, expected: list[Command]) -> None:
    assert of_subject(subject) == expected


def test_no_more_commands_than_fifty() -> None:
    assert len(of_body("3\n" * 1000, is_order)) == 50
    assert of_body(", ".join(["3"] * 51), is_order) == []


@pytest.mark.parametrize("line", ["", " ", ",", "3,", ",3", "3,,7", "\u200b", "say", "say ", "orders:"])
def test_what_is_no_command(line: str) -> None:
    assert read_line(line) is None


@pytest.mark.parametrize("text", ["feed" + " " * (LONGEST_LINE - 6) + "A11", "\n" * (LONGEST_TEXT - 7) + "feed A11"])
def test_what_was_cut_is_no_command(text: str) -> None:
    """It would say another thing than was written."""
    assert of_body(clean(text), is_order) == []
    assert of_body(clean(text.replace("A11", "A1")), is_order) == [moves("feed A1")]


def test_a_page_that_was_cut_is_no_command() -> None:
    comment = "<!--" + "x" * (LONGEST_PAGE - 7 - len("<!---->")) + "-->"
    assert of_body(written(f"{comment}feed A11")[0], is_order) == []
    assert of_body(written(f"{comment}feed A1")[0], is_order) == [moves("feed A1")]
