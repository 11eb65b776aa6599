"""Which lines of a letter are commands: text in, commands out."""

from __future__ import annotations

import pytest

from server.services.inbound.commands import Command, of_body, of_subject, read_line


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
    "the tail of a quoted line that the client broke": (f"{LONG}\n7\n3", [moves("3")]),
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
