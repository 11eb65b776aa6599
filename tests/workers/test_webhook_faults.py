"""Receivers that are broken, hostile or badly set up: what is made of each, and within which time."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from server.services.dispatching import Parcel
from tests.workers.certificates import Authority
from tests.workers.receivers import Hook, hook_server, peer
from tests.workers.rows import SECRET
from workers.carrying import carry
from workers.transports.addresses import Policy
from workers.transports.base import Reply, TransportError
from workers.transports.webhook import ANSWER_READ, Webhook, sign

OK = b"HTTP/1.1 200 OK\r\n"
MEGABYTE = bytes(1 << 20)


def parcel(url: str, *secrets: str) -> Parcel:
    return Parcel("webhook", "msg_1", url, "{}", secrets or (SECRET,))


def send(url: str, seconds: float = 5, connecting: float = 0.3, **more: Any) -> Reply:
    return Webhook(Policy(loopback=True), seconds, connecting, **more).send(parcel(url))


def behaving(answer: bytes, then: Callable[[socket.socket], None] = lambda connection: None) -> Any:
    """A peer that reads the request, and says this."""

    def behave(connection: socket.socket) -> None:
        while not connection.recv(65536).endswith(b"{}"):
            pass
        connection.sendall(answer)
        then(connection)

    return peer(behave)


def reset(connection: socket.socket) -> None:
    """Closes with RST."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        *[(status, "sent") for status in (200, 201, 202, 203, 204, 206, 226, 299)],
        *[(status, "transient") for status in (300, 301, 302, 303, 304, 305, 307, 308, 399)],
        *[(status, "transient") for status in (400, 401, 402, 403, 404, 405, 409, 413, 415, 418, 422, 425, 429, 451)],
        (410, "permanent"),
        *[(status, "transient") for status in (500, 501, 502, 503, 504, 507, 511, 520, 599, 600, 999)],
    ],
)
def test_every_status_counts_as_what_it_is(status: int, kind: str) -> None:
    with hook_server(Hook(status=status)) as hook:
        outcome = carry(parcel(hook.url), Webhook(Policy(loopback=True)))
    assert (outcome.kind, outcome.status, outcome.gone) == (kind, status, status == 410)
    assert outcome.ms is not None and len(hook.calls) == 1


def test_an_informational_status_is_not_the_answer() -> None:
    with behaving(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + OK + b"Content-Length: 0\r\n\r\n") as port:
        outcome = carry(parcel(f"http://127.0.0.1:{port}/"), Webhook(Policy(loopback=True), seconds=2))
    assert outcome.kind in ("sent", "ambiguous", "transient")  # and no exception


def test_every_secret_signs_by_itself() -> None:
    secrets = (SECRET, "whsec_" + "QUJD" * 11)
    with hook_server(Hook()) as hook:
        Webhook(Policy(loopback=True)).send(parcel(hook.url, *secrets))
    (call,) = hook.calls
    stamp = int(call.headers["webhook-timestamp"])
    expected = [sign(secret, "msg_1", stamp, "{}") for secret in secrets]
    assert call.headers["webhook-signature"].split(" ") == expected


def test_a_gigabyte_is_not_read() -> None:
    taken = 0

    def pour(connection: socket.socket) -> None:
        nonlocal taken
        for _ in range(1024):
            connection.sendall(MEGABYTE)
            taken += 1

    with behaving(OK + b"Content-Length: 1073741824\r\n\r\n", pour) as port:
        began = time.monotonic()
        reply = send(f"http://127.0.0.1:{port}/")
        assert time.monotonic() - began < 2
    assert (len(reply.body), reply.whole) == (ANSWER_READ, False)
    assert taken < 64, "more than sockets hold was taken"


@pytest.mark.parametrize(
    "framing", [b"Content-Length: 100000\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n186a0\r\n", b"\r\n"]
)
def test_of_any_long_body_the_beginning_is_read(framing: bytes) -> None:
    with behaving(OK + framing + b"x" * 100000) as port:
        reply = send(f"http://127.0.0.1:{port}/")
    assert (reply.body, reply.whole) == (b"x" * ANSWER_READ, False)


@pytest.mark.parametrize("size", [0, 1, ANSWER_READ - 1, ANSWER_READ])
def test_a_body_of_up_to_4_kb_is_whole(size: int) -> None:
    with behaving(OK + f"Content-Length: {size}\r\n\r\n".encode() + b"x" * size) as port:
        reply = send(f"http://127.0.0.1:{port}/")
    assert (len(reply.body), reply.whole) == (size, True)


@pytest.mark.parametrize(
    "framing",
    [
        b"Content-Length: 500\r\n\r\nabc",
        b"Transfer-Encoding: chunked\r\n\r\n5\r\nab",
        b"Transfer-Encoding: chunked\r\n\r\nxyz\r\nabc",
        b"Transfer-Encoding: chunked\r\n\r\n-5\r\nabc",
        b"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffffff\r\nabc",
    ],
)
def test_a_body_that_breaks_off_or_is_badly_chunked_does_not_undo_the_status(framing: bytes) -> None:
    with behaving(OK + framing) as port:
        reply = send(f"http://127.0.0.1:{port}/")
    assert reply.status == 200 and not reply.whole


def test_a_reset_in_the_middle_of_the_body_does_not_undo_the_status() -> None:
    def cut(connection: socket.socket) -> None:
        time.sleep(0.2)
        reset(connection)

    with behaving(OK + b"Content-Length: 500\r\n\r\nabc", cut) as port:
        reply = send(f"http://127.0.0.1:{port}/")
    assert (reply.status, reply.whole) == (200, False)


@pytest.mark.parametrize("beginning", [b"", b"HT", OK, OK + b"Content-"])
def test_a_reset_before_the_headers_are_over_is_ambiguous(beginning: bytes) -> None:
    with behaving(beginning, reset) as port, pytest.raises(TransportError) as caught:
        send(f"http://127.0.0.1:{port}/")
    assert caught.value.ambiguous and not caught.value.unreachable


@pytest.mark.parametrize(
    "answer",
    [
        b"\r\n\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 \r\n\r\n",
        b"HTTP/9.9 200 OK\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"\x15\x03\x03\x00\x02\x02\x28",
        b"\0" * 1000,
        OK + b"X: y\r\n" * 200 + b"\r\n",
        OK + b"X: " + b"y" * 100000 + b"\r\n\r\n",
    ],
)
def test_what_is_no_http_is_ambiguous_and_no_exception_of_ours(answer: bytes) -> None:
    with behaving(answer) as port:
        outcome = carry(parcel(f"http://127.0.0.1:{port}/"), Webhook(Policy(loopback=True), seconds=2))
    assert (outcome.kind, outcome.ours) == ("ambiguous", False)


def test_accept_and_never_answer_ends_with_the_deadline() -> None:
    with peer(lambda connection: time.sleep(4)) as port:
        began = time.monotonic()
        with pytest.raises(TransportError) as caught:
            send(f"http://127.0.0.1:{port}/", seconds=1)
    assert caught.value.ambiguous and time.monotonic() - began < 2


class TestCertificates:
    @pytest.fixture
    def authority(self, tmp_path: Path) -> Authority:
        return Authority(tmp_path)

    def test_a_good_one_is_good(self, authority: Authority) -> None:
        with hook_server(Hook(), authority.server("127.0.0.1")) as hook:
            assert send(hook.url, connecting=5, tls=authority.trust).status == 204

    @pytest.mark.parametrize("fault", ["by itself", "another name", "expired", "another authority"])
    def test_a_bad_one_is_unreachable_and_nothing_was_said(
        self, fault: str, authority: Authority, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        theirs = {
            "by itself": lambda: authority.server("127.0.0.1", by_itself=True),
            "another name": lambda: authority.server("other.example.org"),
            "expired": lambda: authority.server("127.0.0.1", ends=-timedelta(days=1)),
            "another authority": lambda: Authority(tmp_path_factory.mktemp("other")).server("127.0.0.1"),
        }[fault]()
        with hook_server(Hook(), theirs) as hook, pytest.raises(TransportError) as caught:
            send(hook.url, tls=authority.trust)
        assert caught.value.unreachable and hook.calls == []


class TestUnreachable:
    """Whatever the reason: the same word, after the same time, and no figure that tells one from the other."""

    SECONDS = 0.6

    def outcome(self, url: str, **policy: Any) -> tuple[Any, float]:
        began = time.monotonic()
        outcome = carry(parcel(url), Webhook(Policy(**policy), 5, self.SECONDS))
        return outcome, time.monotonic() - began

    def check(self, outcome: Any, took: float) -> None:
        assert (outcome.kind, outcome.status, outcome.reply, outcome.ms) == ("transient", None, "unreachable", None)
        assert self.SECONDS <= took < self.SECONDS + 0.4

    def test_a_closed_port(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        self.check(*self.outcome(f"http://127.0.0.1:{port}/", loopback=True))

    def test_an_address_that_is_not_for_us(self) -> None:
        self.check(*self.outcome("https://10.0.0.1/"))

    def test_a_handshake_that_never_comes(self) -> None:
        with peer(lambda connection: time.sleep(3)) as port:
            self.check(*self.outcome(f"https://127.0.0.1:{port}/", loopback=True))

    def test_a_listener_that_never_accepts(self) -> None:
        with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
            waiting = [socket.socket() for _ in range(4)]
            for one in waiting:
                one.setblocking(False)
                one.connect_ex(listener.getsockname())
            self.check(*self.outcome(f"http://127.0.0.1:{listener.getsockname()[1]}/", loopback=True))
            for one in waiting:
                one.close()

    def test_a_name_that_does_not_exist(self) -> None:
        def unknown(*_: Any, **__: Any) -> Any:
            raise socket.gaierror(-2, "Name or service not known")

        self.check(*self.outcome("https://nowhere.example.org/", resolver=unknown))

    def test_a_label_that_is_too_long_for_a_name(self) -> None:
        self.check(*self.outcome(f"https://{'a' * 64}.example.org/"))

    def test_a_name_server_that_takes_too_long(self) -> None:
        def slow(*_: Any, **__: Any) -> Any:
            time.sleep(3)
            return []

        self.check(*self.outcome("https://slow.example.org/", resolver=slow))

    def test_a_url_that_is_none(self) -> None:
        self.check(*self.outcome("https://[::1/"))


def test_the_time_for_the_name_counts_for_the_whole() -> None:
    def resolve(host: str, port: int, **_: Any) -> Any:
        time.sleep(0.6)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    with peer(lambda connection: time.sleep(4)) as port:
        began = time.monotonic()
        with pytest.raises(TransportError) as caught:
            Webhook(Policy(loopback=True, resolver=resolve), 1, 0.9).send(parcel(f"http://here.example.org:{port}/"))
    assert caught.value.ambiguous and time.monotonic() - began < 1.4
