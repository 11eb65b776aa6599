"""Mail to a real SMTP server, to servers that misbehave, and into a maildir."""

import mailbox
import socket
import time
from collections.abc import Callable
from datetime import timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from pathlib import Path

import pytest
from aiosmtpd.smtp import AuthResult, LoginPassword

from server.services import outbox
from server.services.dispatching import Parcel
from tests.workers.receivers import Mailbox, certificate, mail_server, peer
from workers.transports import email
from workers.transports.base import TransportError
from workers.transports.email import Smtp
from workers.transports.maildir import Maildir

BODY = "Message-ID: <one@example.org>\nTo: anna@example.org\nSubject: hello\n\nFirst line\n.a line with a dot\n.\nlast line\n"
PARCEL = Parcel("email", "<one@example.org>", "anna@example.org", BODY)
SENDER = "galapost@example.org"


def failure(url: str, seconds: float = 5) -> TransportError:
    with pytest.raises(TransportError) as caught:
        Smtp(url, SENDER, seconds).send(PARCEL)
    return caught.value


def says(
    *lines: str, then: Callable[[socket.socket], None] = lambda connection: None
) -> Callable[[socket.socket], None]:
    """A server that gives one line for each line of the client, the first at once; after the last comes `then`."""

    def behave(connection: socket.socket) -> None:
        reader = connection.makefile("rb")
        for number, line in enumerate(lines):
            if number:
                heard = reader.readline()
                while lines[number - 1].startswith("354") and heard.strip() != b"." and heard:
                    heard = reader.readline()
            connection.sendall(line.encode() + b"\r\n")
        if lines and lines[-1].startswith("354"):
            while reader.readline().strip() not in (b".", b""):
                pass
        then(connection)

    return behave


def test_a_mail_arrives_as_it_was_written() -> None:
    with mail_server(Mailbox()) as server:
        reply = Smtp(server.url, SENDER).send(PARCEL)
    (envelope,) = server.envelopes
    assert (envelope.mail_from, envelope.rcpt_tos) == (SENDER, ["anna@example.org"])
    assert envelope.content == BODY.replace("\n", "\r\n").encode()
    assert (reply.status, reply.text) == (250, "OK queued")


@pytest.mark.parametrize(
    "answer",
    [
        "421 going down",
        "450 greylisted",
        "451 later",
        "452 full",
        "552 5.2.2 over quota",
        "550 5.7.1 policy",
        "550 user over quota",
        "554 spam",
        "554 no",
        "554 5.5.0 no",
        "550 relay not permitted, authentication required",
        "550 5.6.0 Message contains invalid header",
        "550 5.3.4 message too large",
        "550 5.4.6 routing loop",
        "550 rate limited",
        "550 JunkMail rejected",
        "554 DNSBL listed",
    ],
)
def test_a_refusal_for_now_or_of_something_else_is_transient(answer: str) -> None:
    for server in (Mailbox(answer), Mailbox(at_rcpt=answer)):
        with mail_server(server):
            error = failure(server.url)
        assert (error.status, error.permanent, error.ambiguous) == (int(answer[:3]), False, False)


@pytest.mark.parametrize(
    "answer", ["550 5.1.1 no such user", "550 No such user", "553 5.1.3 bad name", "550 unknown user"]
)
def test_a_refusal_of_the_address_is_permanent_where_it_is_named(answer: str) -> None:
    with mail_server(Mailbox(at_rcpt=answer)) as server:
        error = failure(server.url)
    assert (error.status, error.permanent, error.ambiguous) == (int(answer[:3]), True, False)
    with mail_server(Mailbox(answer)) as server:
        error = failure(server.url)
    assert (error.status, error.permanent, error.ambiguous) == (int(answer[:3]), False, False), "that was the mail"


@pytest.mark.parametrize("lines", [["554 not today"], ["220 hi", "250 hi", "550 I do not like the sender"]])
def test_a_refusal_of_us_says_nothing_of_the_address(lines: list[str]) -> None:
    with peer(says(*lines)) as port:
        error = failure(f"smtp://127.0.0.1:{port}")
    assert (error.permanent, error.ambiguous) == (False, False)


@pytest.mark.parametrize("answers", [0, 1, 2, 3, 4])
def test_silence_before_the_text_is_transient(answers: int) -> None:
    lines = ["220 hi", "250 hi", "250 ok", "250 ok"][:answers]
    with peer(says(*lines, then=lambda connection: time.sleep(2))) as port:
        began = time.monotonic()
        error = failure(f"smtp://127.0.0.1:{port}", seconds=0.5)
    assert (error.permanent, error.ambiguous) == (False, False)
    assert time.monotonic() - began < 1.5


@pytest.mark.parametrize("answer", ["250 ok", "251 will forward", "252 shall see", "200 well"])
def test_every_answer_of_the_kind_means_taken(answer: str) -> None:
    lines = ("220 hi", "250 hi", "251 fine", answer, "354 go on")
    with peer(says(*lines, then=lambda connection: connection.sendall(f"{answer}\r\n".encode()))) as port:
        assert Smtp(f"smtp://127.0.0.1:{port}", SENDER, 5).send(PARCEL).status == int(answer[:3])


def test_a_server_that_looks_at_the_mail_for_long_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Given up meanwhile, it would get a copy at each attempt."""

    def scan(connection: socket.socket) -> None:
        time.sleep(1)
        connection.sendall(b"250 ok\r\n")

    monkeypatch.setattr(email, "PATIENCE", 0.3)
    with peer(says("220 hi", "250 hi", "250 ok", "250 ok", "354 go on", then=scan)) as port:
        assert Smtp(f"smtp://127.0.0.1:{port}", SENDER, 5).send(PARCEL).status == 250


def test_the_slowest_exchange_is_over_in_half_a_lease_with_time_to_write_that_down() -> None:
    assert timedelta(seconds=email.SECONDS + 5) <= outbox.LEASE / 2


@pytest.mark.parametrize("then", [lambda connection: time.sleep(2), lambda connection: None])
def test_silence_after_the_final_dot_is_ambiguous(then: Callable[[socket.socket], None]) -> None:
    with peer(says("220 hi", "250 hi", "250 ok", "250 ok", "354 go on", then=then)) as port:
        began = time.monotonic()
        error = failure(f"smtp://127.0.0.1:{port}", seconds=1)
    assert (error.permanent, error.ambiguous, error.text) == (False, True, "no answer after the final dot")
    assert time.monotonic() - began < 1.8


@pytest.mark.parametrize("beginning", [b"2", b"25", b"55", b"xyz", b"\r\n"])
def test_an_answer_that_breaks_off_after_the_final_dot_is_ambiguous(beginning: bytes) -> None:
    def cut(connection: socket.socket) -> None:
        connection.sendall(beginning)

    with peer(says("220 hi", "250 hi", "250 ok", "250 ok", "354 go on", then=cut)) as port:
        error = failure(f"smtp://127.0.0.1:{port}")
    assert (error.permanent, error.ambiguous) == (False, True)


def test_a_drip_is_bounded_by_the_deadline() -> None:
    def drip(connection: socket.socket) -> None:
        while True:
            connection.sendall(b"2")
            time.sleep(0.1)

    with peer(drip) as port:
        began = time.monotonic()
        assert not failure(f"smtp://127.0.0.1:{port}", seconds=1).permanent
    assert time.monotonic() - began < 2


def test_a_refused_connection_is_transient() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    error = failure(f"smtp://127.0.0.1:{port}")
    assert (error.permanent, error.ambiguous) == (False, False)


@pytest.mark.parametrize("url", ["mail.example.org", "http://mail.example.org", "smtp://"])
def test_what_is_no_mail_server_is_refused_at_the_start(url: str) -> None:
    with pytest.raises(ValueError, match="an SMTP server is written as"):
        Smtp(url, SENDER)


def test_starttls_is_demanded_when_it_is_wanted() -> None:
    with mail_server(Mailbox()) as server:
        error = failure(server.url.replace("smtp://", "smtp+starttls://"))
    assert not error.permanent and server.envelopes == []


def test_starttls_and_login(tmp_path: Path) -> None:
    theirs, ours = certificate(tmp_path)
    seen: list[LoginPassword] = []

    def authenticate(
        server: object, session: object, envelope: object, mechanism: str, login: LoginPassword
    ) -> AuthResult:
        seen.append(login)
        return AuthResult(success=True)

    with mail_server(
        Mailbox(), tls_context=theirs, authenticator=authenticate, auth_required=True, require_starttls=True
    ) as server:
        url = server.url.replace("smtp://", "smtp+starttls://gala%40post:p%3Ass@")
        Smtp(url, SENDER, tls=ours).send(PARCEL)
        with pytest.raises(TransportError):
            Smtp(url, SENDER).send(PARCEL)  # a certificate that we have no reason to trust
    assert len(server.envelopes) == 1
    assert seen == [LoginPassword(b"gala@post", b"p:ss")]


def test_tls_from_the_first_byte(tmp_path: Path) -> None:
    theirs, ours = certificate(tmp_path)
    with mail_server(Mailbox(), ssl_context=theirs) as server:
        Smtp(server.url.replace("smtp://", "smtps://"), SENDER, tls=ours).send(PARCEL)
    assert len(server.envelopes) == 1


@pytest.mark.parametrize("scheme", ["smtps", "smtp+starttls"])
def test_a_handshake_that_drips_is_bounded_by_the_deadline(scheme: str) -> None:
    def drip(connection: socket.socket) -> None:
        if scheme == "smtp+starttls":
            says("220 hi", "250-hi\r\n250 STARTTLS", "220 go on")(connection)
        for byte in b"\x16\x03\x03\x40\x00" + bytes(1000):  # the beginning of a long TLS record
            connection.sendall(bytes([byte]))
            time.sleep(0.1)

    with peer(drip) as port:
        began = time.monotonic()
        assert not failure(f"{scheme}://127.0.0.1:{port}", seconds=1).ambiguous
    assert time.monotonic() - began < 2


def test_the_envelope_has_the_sender_that_the_mail_names_on_top() -> None:
    wrapped = Parcel("email", PARCEL.id, PARCEL.to, f"Return-Path: <b-token@example.org>\n{BODY}")
    with mail_server(Mailbox()) as server:
        Smtp(server.url, SENDER).send(wrapped)
    (envelope,) = server.envelopes
    assert envelope.mail_from == "b-token@example.org"
    assert envelope.content == BODY.replace("\n", "\r\n").encode()


@pytest.mark.parametrize("named", ["<a@b> SIZE=1", "<a@b>\r\nRCPT TO:<c@d>", "<>", "a@b"])
def test_what_is_no_sender_is_not_taken_for_one(named: str) -> None:
    with mail_server(Mailbox()) as server:
        Smtp(server.url, SENDER).send(Parcel("email", PARCEL.id, PARCEL.to, f"Return-Path: {named}\n{BODY}"))
    assert server.envelopes[0].mail_from == SENDER


def test_a_maildir_holds_text_that_can_be_read_as_it_lies_there(tmp_path: Path) -> None:
    mail = EmailMessage(policy=SMTP.clone(linesep="\n", cte_type="7bit"))
    mail["Message-ID"], mail["Subject"] = PARCEL.id, "привет"
    mail.set_content("Ваш ход.\n")
    mail.add_alternative("<p>Ваш ход.</p>\n", subtype="html")
    list(mail.iter_parts())[1].add_related(b"\x89PNG", "image", "png", cid="<table>")  # type: ignore[attr-defined]
    Maildir(tmp_path).send(Parcel("email", PARCEL.id, PARCEL.to, mail.as_string()))
    raw = (tmp_path / "new" / "one").read_text()
    assert "\nВаш ход.\n" in raw and "\n<p>Ваш ход.</p>\n" in raw
    kept = message_from_bytes(raw.encode(), policy=default)
    assert [part.get_content_type() for part in kept.walk()] == [
        *("multipart/alternative", "text/plain", "multipart/related", "text/html", "image/png")
    ]
    (picture,) = [part for part in kept.walk() if part.get_content_type() == "image/png"]
    assert picture.get_content() == b"\x89PNG" and picture["Content-ID"] == "<table>"  # type: ignore[attr-defined]


def test_a_maildir_holds_the_mail_once_however_often_it_is_sent(tmp_path: Path) -> None:
    for _ in range(2):
        Maildir(tmp_path / "mail").send(PARCEL)
    box = mailbox.Maildir(tmp_path / "mail", create=False)
    (mail,) = box
    assert mail["Subject"] == "hello"
    assert list((tmp_path / "mail" / "tmp").iterdir()) == []


def test_a_maildir_knows_a_mail_that_was_read_and_moved(tmp_path: Path) -> None:
    Maildir(tmp_path).send(PARCEL)
    (tmp_path / "new" / "one").rename(tmp_path / "cur" / "one:2,S")
    Maildir(tmp_path).send(PARCEL)
    assert len(mailbox.Maildir(tmp_path, create=False)) == 1


def test_a_maildir_that_can_not_be_written_is_transient(tmp_path: Path) -> None:
    (tmp_path / "mail").write_text("not a folder")
    with pytest.raises(TransportError) as caught:
        Maildir(tmp_path / "mail").send(PARCEL)
    assert not caught.value.permanent
