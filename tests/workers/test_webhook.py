"""Webhooks to a real HTTP server, and to peers that misbehave."""

import socket
import ssl
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from server.services.dispatching import Parcel
from tests.workers.receivers import Hook, certificate, hook_server, peer
from tests.workers.rows import SECRET
from workers.transports.addresses import Policy
from workers.transports.base import TransportError
from workers.transports.memory import Memory
from workers.transports.webhook import ANSWER_READ, KEPT, Webhook, sign

BODY = '{"type":"turn.opened"}'
CONNECTING = 0.5  # seconds; how long a refusal takes, too
RECEIVED = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"


def parcel(url: str) -> Parcel:
    return Parcel("webhook", "msg_1", url, BODY, (SECRET,))


def failure(url: str, seconds: float = 5) -> TransportError:
    with pytest.raises(TransportError) as caught:
        Webhook(Policy(loopback=True), seconds, CONNECTING).send(parcel(url))
    return caught.value


def read_request(connection: socket.socket) -> None:
    received = b""
    while not received.endswith(BODY.encode()):
        received += connection.recv(65536)


def test_the_signature_is_that_of_the_standards_own_example() -> None:
    signature = sign(SECRET, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, '{"test": 2432232314}')
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_what_arrives_is_signed_over_id_timestamp_and_body() -> None:
    with hook_server(Hook(text="thank you", status=200)) as hook:
        reply = Webhook(Policy(loopback=True)).send(parcel(hook.url))
    (call,) = hook.calls
    assert (call.path, call.body, call.headers["content-type"]) == ("/hook", BODY, "application/json")
    assert call.headers["webhook-id"] == "msg_1"
    stamp = int(call.headers["webhook-timestamp"])
    assert abs(stamp - time.time()) < 60
    assert call.headers["webhook-signature"] == sign(SECRET, "msg_1", stamp, BODY)
    assert (reply.status, reply.text) == (200, "thank you")


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_every_2xx_is_taken(status: int) -> None:
    with hook_server(Hook(status=status)) as hook:
        assert Webhook(Policy(loopback=True)).send(parcel(hook.url)).status == status


@pytest.mark.parametrize("status", [300, 400, 401, 404, 500, 502, 503])
def test_everything_else_is_not_and_is_tried_again(status: int) -> None:
    with hook_server(Hook(status=status, text="no")) as hook:
        error = failure(hook.url)
    assert (error.status, error.text, error.permanent, error.ambiguous) == (status, "no", False, False)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(status: int) -> None:
    with hook_server(Hook()) as target, hook_server(Hook(status=status, headers={"Location": target.url})) as hook:
        assert failure(hook.url).status == status
    assert target.calls == []


def test_410_means_never_again() -> None:
    with hook_server(Hook(status=410)) as hook:
        error = failure(hook.url)
    assert error.permanent and error.gone


@pytest.mark.parametrize(
    ("status", "value", "seconds"),
    [
        (429, "120", 120),
        (503, "7", 7),
        (503, "99999999999999999999", 24 * 3600),
        (429, "Mon, 02 Mar 2026 12:00:00 GMT", 0),
        (429, "soon", None),
        (429, "-5", None),
        (500, "120", None),
    ],
)
def test_retry_after_is_heard_within_bounds(status: int, value: str, seconds: float | None) -> None:
    with hook_server(Hook(status=status, headers={"Retry-After": value})) as hook:
        assert failure(hook.url).retry_after == seconds


def test_retry_after_may_be_a_date() -> None:
    with hook_server(
        Hook(
            status=503,
            headers={"Retry-After": format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)},
        )
    ) as hook:
        asked = failure(hook.url).retry_after
    assert asked is not None and 90 < asked <= 100


def test_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with hook_server(Hook()) as proxy, hook_server(Hook()) as hook:
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        Webhook(Policy(loopback=True)).send(parcel(hook.url))
    assert (len(proxy.calls), len(hook.calls)) == (0, 1)


def test_of_a_long_answer_only_the_beginning_is_read() -> None:
    with hook_server(Hook(status=200, text="x" * 50_000_000)) as hook:
        began = time.monotonic()
        reply = Webhook(Policy(loopback=True)).send(parcel(hook.url))
    assert reply.text == "x" * KEPT
    assert time.monotonic() - began < 2
    assert ANSWER_READ == 4096


def test_a_refused_connection_is_unreachable_and_not_ambiguous() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    error = failure(f"http://127.0.0.1:{port}/")
    assert (error.text, error.status, error.ambiguous, error.permanent) == ("unreachable", None, False, False)


def test_an_answer_that_never_comes_is_ambiguous_and_bounded() -> None:
    with peer(lambda connection: time.sleep(3)) as port:
        began = time.monotonic()
        error = failure(f"http://127.0.0.1:{port}/", seconds=0.5)
    assert error.ambiguous
    assert time.monotonic() - began < 1.5


def test_a_drip_of_headers_is_bounded_by_the_deadline() -> None:
    def drip(connection: socket.socket) -> None:
        read_request(connection)
        for character in RECEIVED * 10:
            connection.sendall(bytes([character]))
            time.sleep(0.1)

    with peer(drip) as port:
        began = time.monotonic()
        error = failure(f"http://127.0.0.1:{port}/", seconds=1)
    assert error.ambiguous
    assert time.monotonic() - began < 2


def test_a_drip_in_the_body_does_not_undo_the_status_and_is_bounded() -> None:
    def drip(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(RECEIVED + b"Content-Length: 4000\r\n\r\n")
        for _ in range(100):
            connection.sendall(b"x")
            time.sleep(0.1)

    with peer(drip) as port:
        began = time.monotonic()
        assert Webhook(Policy(loopback=True), 1, CONNECTING).send(parcel(f"http://127.0.0.1:{port}/")).status == 200
    assert time.monotonic() - began < 2


def test_a_connection_cut_after_the_request_is_ambiguous() -> None:
    with peer(read_request) as port:
        assert failure(f"http://127.0.0.1:{port}/").ambiguous


def test_rubbish_instead_of_http_is_ambiguous() -> None:
    def babble(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(b"220 mail.example.org ESMTP\r\n" * 3)

    with peer(babble) as port:
        assert failure(f"http://127.0.0.1:{port}/").ambiguous


def test_a_certificate_that_nobody_vouches_for_is_unreachable() -> None:
    with peer(lambda connection: connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")) as port:
        error = failure(f"https://127.0.0.1:{port}/")
    assert (error.text, error.ambiguous) == ("unreachable", False)


def test_over_tls_with_a_certificate_that_is_good(tmp_path: Path) -> None:
    theirs, ours = certificate(tmp_path)
    with hook_server(Hook(), theirs) as hook:
        assert Webhook(Policy(loopback=True), connecting=CONNECTING, tls=ours).send(parcel(hook.url)).status == 204
        with pytest.raises(TransportError, match=r"^unreachable$"):  # the same server under a name that it can't prove
            Webhook(Policy(loopback=True), connecting=CONNECTING, tls=ours).send(
                parcel(hook.url.replace("127.0.0.1", "localhost"))
            )
    assert len(hook.calls) == 1


def test_a_handshake_that_drips_is_bounded_by_the_deadline() -> None:
    def drip(connection: socket.socket) -> None:
        for byte in b"\x16\x03\x03\x40\x00" + bytes(1000):  # the beginning of a long TLS record
            connection.sendall(bytes([byte]))
            time.sleep(0.1)

    with peer(drip) as port:
        began = time.monotonic()
        assert failure(f"https://127.0.0.1:{port}/", seconds=1).text == "unreachable"
    assert time.monotonic() - began < 2


def test_without_the_switch_loopback_gets_no_byte() -> None:
    with hook_server(Hook()) as hook:
        for url in (hook.url, hook.url.replace("127.0.0.1", "localhost"), hook.url.replace("127.0.0.1", "2130706433")):
            with pytest.raises(TransportError, match=r"^unreachable$"):
                Webhook(Policy(), connecting=CONNECTING).send(parcel(url))
    assert hook.calls == []


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/",
        "http://",
        "https://user:secret@127.0.0.1/",
        "not a url",
        "http://[::1/",
        "https://exa mple.org:port/",
    ],
)
def test_a_url_that_is_none_is_unreachable(url: str) -> None:
    assert failure(url).text == "unreachable"


def test_memory_keeps_what_it_gets_after_failing_as_told() -> None:
    memory = Memory([TransportError("busy")])
    with pytest.raises(TransportError, match="busy"):
        memory.send(parcel("https://example.org/"))
    memory.send(parcel("https://example.org/"))
    assert [message.id for message in memory.taken] == ["msg_1"]


def test_the_tls_context_asks_for_certificates() -> None:
    assert Webhook(Policy())._tls.verify_mode is ssl.CERT_REQUIRED
