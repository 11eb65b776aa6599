"""Programs that answer mail by themselves: each exchange ends, after a number that stands here and in docs/mail.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from email import message_from_bytes, policy
from email.message import EmailMessage
from itertools import count

import pytest

from server.services.dispatching import Parcel
from server.services.inbound import judging
from tests.inbound.post import DOMAIN, OPEN, Post, Table, letters, moves

ANNA, BORIS = "anna@example.org", "boris@example.org"
MANY = 60  # rounds in which an exchange that ends has ended

numbers = count(1)
Answers = Callable[[Parcel, EmailMessage], Iterable[tuple[str, str, bytes]]]  # to whom, from whom, what


def mail(sender: str, to: str, body: str, *headers: str) -> bytes:
    lines = [
        f"From: {sender}",
        f"To: {to}",
        f"Message-ID: <{next(numbers)}@robot>",
        "Subject: Re: yours",
        *headers,
        "",
        body,
    ]
    return "\r\n".join(lines).encode()


def rounds(post: Post, answers: Answers) -> int:
    """Every mail of ours is answered, and so is what is answered to that, until nothing comes any more; returns how many of ours
    there were."""
    read = 0
    for _ in range(MANY):
        post.work()
        new = post.sent[read:]
        read = len(post.sent)
        if not new:
            return read
        for parcel in new:
            ours = message_from_bytes(parcel.body.encode(), policy=policy.default)
            for to, sender, raw in answers(parcel, ours):  # type: ignore[arg-type]
                post.hand_in(to, raw, sender)
    raise AssertionError("it goes on and on")


def absent(*headers: str, words: str = "I am on holiday until Monday.", only: str | None = None) -> Answers:
    """Answers to Reply-To, as whoever got it, in those words."""

    def answer(parcel: Parcel, ours: EmailMessage) -> Iterable[tuple[str, str, bytes]]:
        to = str(ours["Reply-To"])
        if only in (None, parcel.to) and to != "None":
            yield to, parcel.to, mail(parcel.to, to, words, *headers)

    return answer


def begin(post: Post, table: Table) -> int:
    """A move of Anna's: her reply and Boris's turn are on their way."""
    post.hand_in(table.address(), mail(ANNA, table.address(), "1"), ANNA)
    return 2


def test_whoever_says_that_he_is_a_machine_is_never_answered(post: Post, table: Table) -> None:
    assert rounds(post, absent("Auto-Submitted: auto-replied")) == 0
    assert begin(post, table) == rounds(post, absent("Auto-Submitted: auto-replied"))
    assert [letter.outcome for letter in letters()] == ["played", "automatic", "automatic"]


def test_whoever_does_not_say_so_gets_one_letter_of_help(post: Post, table: Table) -> None:
    assert rounds(post, absent()) == 0
    assert begin(post, table) + 2 == rounds(post, absent()), "one for each of the two"
    assert [letter.outcome for letter in letters()].count("unclear") == 4


def test_whoever_sends_back_what_he_got_gets_one_letter_of_help(post: Post, table: Table) -> None:
    def echo(parcel: Parcel, ours: EmailMessage) -> Iterable[tuple[str, str, bytes]]:
        body = ours.get_body(("plain",)).get_content()  # type: ignore[union-attr]
        yield str(ours["Reply-To"]), parcel.to, mail(parcel.to, str(ours["Reply-To"]), body)

    assert begin(post, table) + 2 == rounds(post, echo)
    assert len(moves(table.game)) == 1


def test_whoever_happens_to_say_commands_is_answered_so_often_a_day(
    post: Post, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forty times; here it is four."""
    assert (judging.A_DAY_AT_MOST, judging.AN_HOUR_AT_MOST) == (40, 60)
    monkeypatch.setattr(judging, "A_DAY_AT_MOST", 4)
    assert begin(post, table) + 4 == rounds(post, absent(words="status", only=BORIS))
    assert [letter.outcome for letter in letters()][-1] == "too-many"


def test_two_who_talk_at_the_table_by_themselves_end_as_well(
    post: Post, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each says something to each mail: that makes two, one to himself and one to the other."""
    monkeypatch.setattr(judging, "A_DAY_AT_MOST", 4)
    begin(post, table)
    rounds(post, absent(words="say I am on holiday until Monday."))
    outcomes = [letter.outcome for letter in letters()]
    assert outcomes.count("said") == 8 and outcomes[-1] == "too-many"


def test_moves_in_an_hour_are_bounded_too(post: Post, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "AN_HOUR_AT_MOST", 3)
    outcomes = [post.write(table.address(), "1").outcome for _ in range(5)]
    assert outcomes == ["played", "stale", "stale", "too-many", "too-many"]


def test_a_foreign_machine_makes_three_questions_a_day(post: Post, table: Table) -> None:
    """Anna's mail is forwarded to a machine that says commands from an address of its own."""

    def forwarded(parcel: Parcel, ours: EmailMessage) -> Iterable[tuple[str, str, bytes]]:
        to = str(ours["Reply-To"])
        yield to, "robot@example.net", mail("robot@example.net", to, "status")

    assert begin(post, table) + 4 == rounds(post, forwarded), "to each of the two a question, and help with its answer"
    for _ in range(5):
        post.write(table.address(), "status", sender="robot@example.net")
    assert len(post.mails(ANNA)) == 1 + 3 + 1


def test_a_second_server_like_ours_is_never_answered(post: Post, table: Table) -> None:
    """Its mails are ours with another name on them; an address of it was registered here, one of ours there."""

    def twin(parcel: Parcel, ours: EmailMessage) -> Iterable[tuple[str, str, bytes]]:
        text = parcel.body.partition("\n")[2].replace(DOMAIN, "other.test")
        its = message_from_bytes(text.encode(), policy=policy.default)
        to = str(ours["Reply-To"])
        its.replace_header("Message-ID", f"<{next(numbers)}@other.test>")
        for name, value in (("From", parcel.to), ("To", to)):
            its.replace_header(name, value)
        yield to, parcel.to, bytes(its)

    assert begin(post, table) == rounds(post, twin)
    assert {letter.outcome for letter in letters()[1:]} == {"automatic"}


def test_our_own_mail_that_comes_back_to_us_is_never_answered(post: Post, table: Table) -> None:
    def mirror(parcel: Parcel, ours: EmailMessage) -> Iterable[tuple[str, str, bytes]]:
        yield str(ours["Reply-To"]), f"galapost@{DOMAIN}", parcel.body.partition("\n")[2].encode()

    assert begin(post, table) == rounds(post, mirror)


def test_a_bounce_of_a_bounce_is_never_answered(post: Post, table: Table) -> None:
    """Each mail of ours comes back, to the address of bounces and to that of answers, and what comes back does so again."""

    def bouncing(parcel: Parcel, ours: EmailMessage) -> Iterable[tuple[str, str, bytes]]:
        bounces = parcel.body.partition("\n")[0].removeprefix("Return-Path: <").rstrip(">")
        report = 'Content-Type: multipart/report; report-type=delivery-status; boundary="b"'
        inner = "--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\nAction: failed\r\nStatus: 5.2.2\r\n\r\n--b--"
        for to in (bounces, str(ours["Reply-To"])):
            yield to, "", mail("MAILER-DAEMON@mx.example", to, inner, report)
            yield to, "", mail("MAILER-DAEMON@mx.example", to, "status")

    assert begin(post, table) == rounds(post, bouncing)
    assert {letter.outcome for letter in letters()[1:]} == {"bounce", "automatic"}


def test_the_address_that_unsubscribes_confirms_it_once(post: Post, table: Table) -> None:
    begin(post, table)
    post.work()
    notice = next(parcel for parcel in post.sent if parcel.to == BORIS)
    address = notice.body.partition("List-Unsubscribe: <mailto:")[2].partition(">")[0]
    post.sent.clear()
    for _ in range(3):
        post.hand_in(address, mail(BORIS, address, "unsubscribe"), BORIS)
    assert rounds(post, absent()) == 1
    assert OPEN not in post.sent[0].body
