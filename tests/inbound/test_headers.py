"""Headers of which a letter in a file can't tell: addresses beyond ASCII, and ids that are none."""

from __future__ import annotations

from itertools import count

import pytest

from server.database import transaction
from server.models import Account
from tests.inbound.post import Post, Table, letters, moves
from tests.inbound.test_cases import said

RUSSIAN, PUNYCODE = "anna@пример.рф", "anna@xn--e1afmkfd.xn--p1ai"
numbers = count(1)


def letter(sender: str, body: str = "pass", id_: str | None = None) -> bytes:
    id_ = id_ or f"<header-{next(numbers)}@client.example>"
    return f"From: {sender}\r\nSubject: Re: Galapost\r\nMessage-ID: {id_}\r\n\r\n{body}\r\n".encode()


@pytest.mark.parametrize(
    ("registered", "sender"),
    [
        ("анна@example.org", "Анна <анна@example.org>"),
        ("анна@example.org", "=?utf-8?b?0JDQvdC90LA=?= <Анна@Example.org>"),
        ("ren\u00e9@example.org", "rene\u0301@example.org"),
        (RUSSIAN, f"Anna <{RUSSIAN}>"),
        (RUSSIAN, f"Anna <{PUNYCODE}>"),
        (PUNYCODE, f"Anna <{RUSSIAN}>"),
    ],
)
def test_an_address_beyond_ascii_is_his_however_it_is_written(
    post: Post, table: Table, registered: str, sender: str
) -> None:
    with transaction() as session:
        session.get_one(Account, table.anna).email = registered
    post.hand_in(table.address(), letter(sender))
    post.work()
    assert (letters()[0].outcome, moves(table.game)) == ("played", ["pass"])


@pytest.mark.parametrize("sender", ["анна@example.org", "anna@пример.рф", "аnna@example.org", "anna@" + "x" * 300])
def test_an_address_that_looks_like_his_is_not(post: Post, table: Table, sender: str) -> None:
    post.hand_in(table.address(), letter(sender))
    post.work()
    assert (letters()[0].state, moves(table.game)) == ("held", [])


@pytest.mark.parametrize("id_", ["<>", "< >", "<@>"])
def test_an_id_without_content_makes_no_two_letters_one(post: Post, table: Table, id_: str) -> None:
    for body in ("say one", "say two", "say two"):
        post.hand_in(table.address(), letter("anna@example.org", body, id_))
        post.work()
    assert said() == ["one", "two"]
