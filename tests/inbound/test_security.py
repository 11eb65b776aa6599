"""The token is the authority, the sender a brake; and what is made to be slow is not."""

from __future__ import annotations

import time
from email.message import EmailMessage

import pytest

from server.services import play
from server.services.accounts import Caller
from server.services.inbound import reading, receiving, settling
from tests.inbound.post import PLAY, Post, Table, kinds, letters, moves

EVE = "eve@example.net"
SECONDS = 2.0  # of the processor, for any letter


def question(post: Post) -> EmailMessage:
    """The newest mail that asks whether a letter was his."""
    return next(mail for mail in reversed(post.mails()) if str(mail["Reply-To"]).startswith("c-"))


def test_a_forged_sender_with_the_right_token_is_held_until_the_account_says_that_it_was_he(
    post: Post, table: Table
) -> None:
    held = post.write(table.address(), "1", sender=EVE)
    assert (held.state, held.outcome, moves(table.game)) == ("held", "held", [])
    asked = question(post)
    assert (asked["To"], EVE in asked.get_content()) == ("anna@example.org", True)
    assert EVE not in {parcel.to for parcel in post.sent}

    assert post.answer(asked, "confirm").outcome == "confirmed"
    assert moves(table.game) == [table.legal[0]]
    assert [letter.outcome for letter in letters()] == ["played", "confirmed"]
    assert letters()[0].raw is None
    assert post.answer(asked, "confirm").outcome == "stale", "it is good once"
    assert len(moves(table.game)) == 1


def test_a_confirmation_may_come_from_the_other_address_too_since_only_the_account_was_told_of_it(
    post: Post, table: Table
) -> None:
    post.write(table.address(), "1", sender=EVE)
    assert post.answer(question(post), "Yes!", sender=EVE).outcome == "confirmed"
    assert moves(table.game) == [table.legal[0]]


def test_what_is_confirmed_too_late_plays_nothing(post: Post, table: Table) -> None:
    post.write(table.address(), "1", sender=EVE)
    asked = question(post)
    play.answer(Caller(table.anna, PLAY), table.game, 1, "pass")
    post.answer(asked, "confirm")
    assert (letters()[0].outcome, moves(table.game)) == ("stale", ["pass"])


def test_at_most_three_confirmations_a_day_are_asked_for_and_all_letters_are_kept(post: Post, table: Table) -> None:
    for _ in range(5):
        post.write(table.address(), "1", sender=EVE)
    assert kinds().count("confirm_letter") == 3
    assert [(letter.state, letter.raw is None) for letter in letters()] == [("held", False)] * 5


def test_the_right_sender_with_the_token_of_another_player_is_nobody(post: Post, table: Table) -> None:
    letter = post.write(table.address("c" * 26), "1", sender="anna@example.org")
    assert (letter.state, moves(table.game)) == ("held", [])
    assert [mail["To"] for mail in post.mails()] == ["boris@example.org"]


def test_the_right_player_with_a_token_of_his_own_of_another_players_decision_plays_nothing(
    post: Post, table: Table
) -> None:
    """Boris's token names a decision that is Anna's."""
    letter = post.write(table.address("c" * 26), "1", sender="boris@example.org")
    assert (letter.outcome, moves(table.game)) == ("stale", [])
    assert "YOUR MOVES" not in post.newest("boris@example.org").get_body(("plain",)).get_content()  # type: ignore[union-attr]


def test_who_was_forwarded_a_letter_can_do_nothing_with_it_alone(post: Post, table: Table) -> None:
    for words in ("1", "say I am Anna", "resign", "mute", "orders: pass development after 0", "status"):
        assert post.write(table.address(), words, sender=EVE).state == "held"
    assert moves(table.game) == []
    assert {parcel.to for parcel in post.sent} == {"anna@example.org"}
    assert set(kinds()) == {"confirm_letter"}


@pytest.mark.parametrize(
    "headers",
    [
        {"Authentication-Results": "galapost.test; spf=pass; dkim=pass; dmarc=pass header.from=example.org"},
        {"Sender": "anna@example.org", "Reply-To": "anna@example.org", "X-Original-From": "anna@example.org"},
    ],
)
def test_what_headers_say_of_the_sender_beside_from_is_not_believed(
    post: Post, table: Table, headers: dict[str, str]
) -> None:
    assert post.write(table.address(), "1", sender=EVE, **headers).state == "held"


def test_strangers_in_cc_are_never_written_to(post: Post, table: Table) -> None:
    post.write(table.address(), "1", Cc=f"{EVE}, mallory@example.net", Reply_To=EVE)
    assert moves(table.game) == [table.legal[0]]
    assert {parcel.to for parcel in post.sent} == {"anna@example.org", "boris@example.org"}


def test_no_token_and_no_address_is_told_to_the_log(
    post: Post, table: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    for sender in ("anna@example.org", EVE):
        post.write(table.address(), "1\nsay psst", sender=sender)
    logged = "".join(capsys.readouterr())
    assert "letter settled" in logged
    for secret in ("a" * 26, "anna@", EVE, "psst", table.legal[0]):
        assert secret not in logged


def nested(depth: int) -> bytes:
    head = b"".join(
        b'Content-Type: multipart/mixed; boundary="%d"\r\n\r\n--%d\r\n' % (number, number) for number in range(depth)
    )
    return head + b"Content-Type: text/plain\r\n\r\npass\r\n"


HOSTILE = {
    "nested parts": nested(30) + b"x\r\n" * 300_000,
    "more nested parts": nested(10_000),
    "nested parts that are read": nested(18) + b"\n" * 500_000,
    "as many nested ones as are read": nested(199) + b"\n" * 48_000,
    "the word boundary": b"\r\n" + b"boundary " * 110_000,
    "many parts": b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n' + b"--b\r\n\r\nx\r\n" * 90_000,
    "as many as are read": b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n' + b"--b\r\n\r\nx\r\n" * 4_900,
    "parts that almost end": b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n' + b"--b-\r\n" * 150_000,
    "one header of a megabyte": b"Subject: " + b"=?utf-8?q?=41?= " * 60_000 + b"\r\n\r\npass\r\n",
    "folded for ever": b"From: eve@example.net\r\n" + b" ,\r\n" * 250_000 + b"\r\npass\r\n",
    "many headers": b"X-A: b\r\n" * 120_000 + b"\r\npass\r\n",
    "references": b"References: " + b"<a@b> " * 5_000 + b"\r\n\r\npass\r\n",
    "an evil In-Reply-To": b"In-Reply-To: " + b"<" * 100_000 + b"a@" * 100_000 + b"\r\n\r\npass\r\n",
    "an evil From": b"From: " + b"(" * 300_000 + b'"\\' * 100_000 + b"\r\n\r\npass\r\n",
    "an evil Auto-Submitted": b"Auto-Submitted: " + b"(" * 500_000 + b")" * 400_000 + b"\r\n\r\npass\r\n",
    "brackets in html": b"Content-Type: text/html\r\n\r\n" + b"<" * 500_000 + b"<!--" * 100_000,
    "tags in html": b"Content-Type: text/html\r\n\r\n" + b"<div><blockquote>" * 55_000,
    "endings in html": b"Content-Type: text/html\r\n\r\n" + b"<p>" * 5_000 + b"</div>" * 160_000,
    "endings of what is around a quotation": b"Content-Type: text/html\r\n\r\n<div><blockquote type=cite>"
    + b"<p>" * 490
    + b"</div>" * 50_000,
    "pages in html": b"Content-Type: text/html\r\n\r\nx" + b"<html></html>" * 20_000,
    "styles in html": b"Content-Type: text/html\r\n\r\n<p style='" + b";font-size:000000000" * 50_000 + b"'>",
    "attributes in html": b"Content-Type: text/html\r\n\r\n<a " + b"a=b " * 250_000 + b">",
    "entities in html": b"Content-Type: text/html\r\n\r\n" + b"&amp;&#" * 140_000,
    "quoted-printable": b"Content-Transfer-Encoding: quoted-printable\r\n\r\n" + b"=" * 1_000_000,
    "base64": b"Content-Transfer-Encoding: base64\r\n\r\n" + b"QUFB" * 250_000,
    "uuencoded": b"Content-Transfer-Encoding: x-uuencode\r\n\r\nbegin 666 a\r\n" + b"M" * 900_000,
    "one line": b"\r\n" + b"feed A1, " * 110_000,
    "many lines": b"\r\n" + b"a:\r\n" * 260_000,
    "lines like dates": b"\r\n" + b"On 2014-12-11 \r\n" * 60_000,
    "quotations": b"\r\n" + b"> " * 500_000,
    "spaces": b"\r\n" + b" \t\xa0" * 300_000,
    "utf-7": b"Content-Type: text/plain; charset=utf-7\r\n\r\n" + b"+AGE-" * 200_000,
    "parameters": b"Content-Type: text/plain; " + b"a*0*=x; " * 12_000 + b"\r\n\r\npass\r\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_made_to_be_slow_is_not(post: Post, table: Table, name: str) -> None:
    raw = HOSTILE[name][: receiving.LARGEST]
    began = time.process_time()
    letter = receiving.receive(table.address(), EVE, raw)
    settling.run()
    took = time.process_time() - began
    assert took < SECONDS, f"{took:.1f} s"
    assert letters()[0].state in ("settled", "held", "dropped") and letters()[0].id == letter
    assert reading.read(raw) is not None
    assert moves(table.game) == [], "nothing of it came from her"
