"""The three doors: what is refused, what is put off, what is taken; and that what was taken is there, once, on both databases."""

from __future__ import annotations

import base64
import os
import signal
import smtplib
import subprocess
import sys
import threading
from typing import Any

import pytest

from launch import ROOT
from launch.ports import free_port
from server import clock, create_app, database
from server.config import Settings
from server.database import reading, transaction
from server.models import Letter, StandingOrders
from server.services import play
from server.services.accounts import Caller
from server.services.inbound import quarantine, receiving, settling
from tests.inbound.post import DOMAIN, PLAY, Post, Table, letters, listening, moves
from tests.playing import Person, problem
from tests.workers.processes import eventually, process

SECRET = "a-secret-of-the-mail-provider"
NOWHERE = "postgresql+psycopg://nobody@127.0.0.1:1/nothing"
UNKNOWN = f"m-{'z' * 26}@{DOMAIN}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


def mail(to: str, text: str = "pass", number: int = 1) -> bytes:
    head = f"From: anna@example.org\r\nTo: {to}\r\nMessage-ID: <{number}@client.example>\r\n"
    return f"{head}Subject: Re: Galapost\r\n\r\n{text}\r\n".encode()


def test_a_letter_is_there_once_250_was_said(post: Post, table: Table) -> None:
    post.hand_in(table.address(), mail(table.address()))
    (letter,) = letters()
    assert (letter.state, letter.raw) == ("received", mail(table.address()))
    assert table.address().split("@")[0] not in str(vars(letter) | {"raw": ""}), "a token is stored as it is"
    post.work()
    assert moves(table.game) == ["pass"]


def test_an_unknown_address_is_refused_at_once(post: Post, table: Table) -> None:
    for address in (UNKNOWN, f"x-{'a' * 26}@{DOMAIN}", f"galapost@{DOMAIN}", f"i-{'a' * 26}@{DOMAIN}"):
        with pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
            post.hand_in(address, mail(address))
        assert refused.value.recipients[address][0] == 550
    assert letters() == []


def test_postmaster_and_abuse_are_kept_for_whoever_runs_the_server(post: Post) -> None:
    for name in ("postmaster", "ABUSE"):
        post.hand_in(f"{name}@{DOMAIN}", mail("postmaster"))
    post.work()
    assert [(letter.state, letter.outcome) for letter in letters()] == [("quarantined", "operator")] * 2
    assert [why for _, _, why in quarantine.listed()] == ["operator", "operator"]
    assert post.sent == []


def test_what_is_kept_can_be_listed_and_read(environment: dict[str, str], post: Post) -> None:
    post.hand_in(f"abuse@{DOMAIN}", mail("abuse"))
    command = [sys.executable, "-m", "workers.quarantine"]
    how: dict[str, Any] = {"cwd": ROOT, "env": {**os.environ, **environment}, "capture_output": True, "timeout": 60}
    listed = subprocess.run(command, check=True, **how).stdout.decode().split()
    assert (listed[0], listed[3]) == (letters()[0].id, "operator")
    assert subprocess.run([*command, listed[0]], check=True, **how).stdout == mail("abuse")
    assert subprocess.run([*command, "l_" + "a" * 26], check=False, **how).returncode == 1


def test_while_the_database_is_away_mail_is_put_off_and_then_taken(
    settings: Settings, table: Table, post: Post
) -> None:
    database.connect(NOWHERE)
    with pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
        post.hand_in(table.address(), mail(table.address()))
    assert refused.value.recipients[table.address()][0] == 451
    database.connect(settings.database)
    post.hand_in(table.address(), mail(table.address()))
    post.work()
    assert moves(table.game) == ["pass"]


def test_the_database_goes_away_between_recipient_and_text(settings: Settings, table: Table, post: Post) -> None:
    with smtplib.SMTP("127.0.0.1", post.port) as client:
        client.ehlo()
        client.mail("anna@example.org")
        assert client.rcpt(table.address())[0] == 250
        database.connect(NOWHERE)
        with pytest.raises(smtplib.SMTPDataError) as error:
            code, text = client.data(mail(table.address()))
            raise smtplib.SMTPDataError(code, text)
        assert error.value.smtp_code == 451
    database.connect(settings.database)
    assert letters() == []


def test_two_addresses_of_ours_in_one_mail_are_refused(post: Post, table: Table) -> None:
    with pytest.raises(smtplib.SMTPDataError) as error:
        post.hand_in([table.address(), table.address("b" * 26)], mail(table.address()))
    assert error.value.smtp_code == 554
    assert letters() == []


def test_more_than_a_mebibyte_is_refused_and_a_line_may_be_as_long_as_that(post: Post, table: Table) -> None:
    with pytest.raises(smtplib.SMTPResponseException) as error:
        post.hand_in(table.address(), mail(table.address(), "pass\r\n" + "x" * 1100 * 1024))
    assert error.value.smtp_code == 552
    post.hand_in(table.address(), mail(table.address(), "pass\r\n" + "x" * 900 * 1024))
    post.work()
    assert moves(table.game) == ["pass"]


def test_over_lmtp_one_recipient_is_taken_at_a_time(settings: Settings, table: Table) -> None:
    with listening("lmtp://127.0.0.1:0") as port, smtplib.LMTP("127.0.0.1", port) as client:
        client.ehlo()
        client.mail("anna@example.org")
        assert client.rcpt(table.address())[0] == 250
        assert client.rcpt(f"postmaster@{DOMAIN}")[0] == 452
        assert client.data(mail(table.address()))[0] == 250
    settling.run()
    assert moves(table.game) == ["pass"]


def test_the_same_mail_at_two_doors_is_one(settings: Settings, post: Post, table: Table) -> None:
    post.hand_in(table.address(), mail(table.address()))
    again = receiving.receive(table.address().upper(), None, mail(table.address()))
    assert [letter.id for letter in letters()] == [again]


@pytest.fixture
def provider(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Person:
    monkeypatch.setenv("GALAPOST_INBOUND_SECRET", SECRET)
    return Person(create_app(Settings.from_env()), SECRET, "provider")


def hand_over(provider: Person, raw: bytes, recipient: str | None = None, **headers: str) -> object:
    query = {"recipient": recipient} if recipient else None
    return provider.post(
        "/inbound/mail", data=raw, query_string=query, content_type="message/rfc822", headers=headers
    )  # fmt: skip


def test_a_provider_hands_mail_in(provider: Person, table: Table) -> None:
    first = hand_over(provider, mail(table.address()), table.address())
    assert first.status_code == 202
    assert hand_over(provider, mail(table.address()), table.address()).json == first.json
    basic = "Basic " + base64.b64encode(f"anybody:{SECRET}".encode()).decode()
    assert hand_over(provider, mail(UNKNOWN, number=2), UNKNOWN, Authorization=basic).status_code == 202
    assert [(letter.state, letter.outcome) for letter in letters()] == [("received", None), ("quarantined", "unknown")]
    settling.run()
    assert moves(table.game) == ["pass"]


def test_without_a_recipient_the_headers_say_whom_it_is_for(provider: Person, table: Table) -> None:
    hand_over(provider, b"Delivered-To: " + table.address().upper().encode() + b"\r\n" + mail("somebody@example.net"))
    hand_over(provider, mail(f"{table.address()}, {table.address('c' * 26)}", number=2))
    hand_over(provider, mail("somebody@example.net", number=3))
    hand_over(provider, mail(table.address().replace(DOMAIN, "elsewhere.example"), number=4))
    assert [letter.outcome for letter in letters()] == [None, "several-addresses", "unknown", "unknown"]
    settling.run()
    assert moves(table.game) == ["pass"]


def test_only_the_secret_opens_the_door(provider: Person, table: Table) -> None:
    raw, to = mail(table.address()), table.address()
    for header in ("Bearer wrong", "Bearer", "Basic " + base64.b64encode(b"anybody:wrong").decode(), "Basic ?", ""):
        answer = hand_over(provider, raw, to, Authorization=header)
        assert answer.status_code == 401
    assert problem(hand_over(provider, b"x" * 1100 * 1024, to), 413, "body-too-large")["limit"] == 1024 * 1024
    refused = provider.post("/inbound/mail", data=raw, content_type="text/plain", query_string={"recipient": to})
    problem(refused, 415, "unsupported-media-type")
    assert letters() == []


def test_without_a_secret_the_door_is_shut(settings: Settings, table: Table) -> None:
    stranger = Person(create_app(settings), SECRET)
    problem(hand_over(stranger, mail(table.address()), table.address()), 401, "token-unknown")


def test_while_the_database_is_away_the_provider_is_told_to_come_again(
    provider: Person, settings: Settings, table: Table
) -> None:
    database.connect(NOWHERE)
    problem(hand_over(provider, mail(table.address()), table.address()), 503, "database-unavailable")
    database.connect(settings.database)
    assert hand_over(provider, mail(table.address()), table.address()).status_code == 202


def pipe(environment: dict[str, str], raw: bytes, *arguments: str) -> int:
    command = [sys.executable, "-m", "workers.mail_pipe", *arguments]
    done = subprocess.run(command, input=raw, cwd=ROOT, env={**os.environ, **environment}, timeout=60, check=False)
    return done.returncode


def test_a_pipe_takes_mail_from_standard_input(environment: dict[str, str], settings: Settings, table: Table) -> None:
    raw, to = mail(table.address()), table.address()
    assert pipe(environment, raw, to) == 0
    assert pipe(environment, raw) == 0, "the headers say the same"
    assert pipe(environment, raw, UNKNOWN) == 67
    assert pipe(environment | {"GALAPOST_DATABASE": NOWHERE}, raw, to) == 75
    assert pipe(environment, raw, to, "more") == 64
    assert pipe(environment, raw + b"x" * 1100 * 1024, to) == 65
    assert len(letters()) == 1
    settling.run()
    assert moves(table.game) == ["pass"]


def test_the_listener_as_a_process_tells_no_token_and_stops_when_told(
    environment: dict[str, str], settings: Settings, table: Table, capfd: pytest.CaptureFixture[str]
) -> None:
    port = free_port()
    with process(environment | {"GALAPOST_MAIL_IN": f"smtp://127.0.0.1:{port}"}, "workers.mail_in") as listener:
        post = Post(settings, port)

        def arrives() -> bool:
            try:
                post.hand_in(table.address(), mail(table.address()))
            except OSError:
                return False
            return True

        eventually(arrives)
        with pytest.raises(smtplib.SMTPRecipientsRefused):
            post.hand_in(UNKNOWN, mail(UNKNOWN))
        listener.send_signal(signal.SIGTERM)
        assert listener.wait(20) == 0
    logged = "".join(capfd.readouterr())
    assert "mail came in" in logged
    assert "a" * 26 not in logged.lower() and "z" * 26 not in logged.lower() and "anna@" not in logged
    assert len(letters()) == 1


def test_what_fails_again_and_again_is_kept_apart_and_in_nobodys_way(
    post: Post, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(case: object) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(settling.sorting, "act", fail)
    post.hand_in(table.address(), mail(table.address()))
    (letter,) = letters()
    at = letter.next_at
    for _ in range(settling.MOST_TRIES + 1):
        assert settling.settle(letter.id, at) in (None, "failed")
        at += settling.PAUSE * 2**settling.MOST_TRIES
    (letter,) = letters()
    assert (letter.state, letter.outcome, letter.raw) == ("quarantined", "failed", mail(table.address()))


def the_lease_ends(letter: str) -> None:
    with transaction() as session:
        session.get_one(Letter, letter).next_at = clock.now()


class Killed(BaseException):
    pass


def test_a_worker_that_was_killed_between_two_moves_of_a_list(
    post: Post, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anna plays on alone, so her moves follow each other."""
    play.answer(Caller(table.anna, PLAY), table.game, 1, table.legal[0])
    play.answer(Caller(table.boris, PLAY), table.game, 2, "pass")
    post.work()
    question = post.newest()
    step, steps = play._step, []

    def die_at_the_second(*given: object) -> object:
        steps.append(given)
        if len(steps) == 2:
            raise Killed
        return step(*given)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(play, "_step", die_at_the_second)
        with pytest.raises(Killed):
            post.answer(question, "1, pass")
    assert len(moves(table.game)) == 3
    the_lease_ends(letters()[-1].id)
    post.work()
    assert len(moves(table.game)) == 4 and moves(table.game)[-1] == "pass"
    assert letters()[-1].outcome == "played"
    assert "Played: animal" in post.newest().get_body(("plain",)).get_content()  # type: ignore[union-attr]


def test_a_worker_that_was_killed_after_orders_were_carried_out_does_not_give_them_again(
    post: Post, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Boris has passed. Anna leaves two cards to be played, and by the time that the worker dies they are."""
    play.answer(Caller(table.anna, PLAY), table.game, 1, table.legal[0])
    play.answer(Caller(table.boris, PLAY), table.game, 2, "pass")
    post.work()
    cards = [move for move in table.legal if move.startswith("animal ") and move != table.legal[0]][:3]

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(settling, "_conclude", die)
        with pytest.raises(Killed):
            post.answer(post.newest(), f"orders:\n{cards[1]}\n{cards[2]}\n\n")
    assert moves(table.game)[2:] == cards[1:]
    the_lease_ends(letters()[-1].id)
    post.work()
    assert letters()[-1].outcome == "orders" and moves(table.game)[2:] == cards[1:]
    assert "Your orders are set." in post.newest().get_body(("plain",)).get_content()  # type: ignore[union-attr]
    with reading() as session:
        assert session.query(StandingOrders).one().lines == []


def test_a_worker_that_was_killed_leaves_the_letter_to_the_next_one(
    post: Post, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the move was committed, before anything else was: it is not played twice, and told."""

    def die(*_: object) -> None:
        raise Killed

    post.hand_in(table.address(), mail(table.address(), "pass\r\nsay hello"))
    (letter,) = letters()
    with monkeypatch.context() as patch:
        patch.setattr(settling, "_conclude", die)
        with pytest.raises(Killed):
            settling.settle(letter.id, letter.next_at)
    assert moves(table.game) == ["pass"]
    assert settling.settle(letter.id, clock.now()) is None, "as long as the lease of the other one runs"
    the_lease_ends(letter.id)
    post.work()
    assert moves(table.game) == ["pass"]
    reply = post.newest().get_body(("plain",)).get_content()  # type: ignore[union-attr]
    assert "Played: pass." in reply and reply.count("Said to the table: hello.") == 1


def test_of_two_letters_at_once_one_plays(settings: Settings, table: Table) -> None:
    """The same content under two ids, as some scanners send it; and two workers that meet over each."""
    both = [receiving.receive(table.address(), "", mail(table.address(), "1", number)) for number in (1, 2)]
    with transaction() as session:
        for letter in both:
            session.get_one(Letter, letter).envelope_from = "anna@example.org"
    workers = [threading.Thread(target=settling.settle, args=(letter, clock.now())) for letter in both * 2]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert moves(table.game) == [table.legal[0]]
    assert [letter.state for letter in letters()] == ["settled"] * 2
    assert [letter.tries for letter in letters()] == [1, 1]
    assert "played" in {letter.outcome for letter in letters()}
