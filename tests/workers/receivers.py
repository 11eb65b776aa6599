"""What is sent to: a real SMTP server, a real HTTP server, and peers that misbehave on a bare socket. All on loopback."""

import contextlib
import ipaddress
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP as Server
from aiosmtpd.smtp import Envelope, Session
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from launch.ports import free_port


class Mailbox:
    """Takes mail. `answers` are given one by one instead of taking it; `at_rcpt` answers every RCPT."""

    def __init__(self, *answers: str, at_rcpt: str | None = None) -> None:
        self.answers = list(answers)
        self.at_rcpt = at_rcpt
        self.envelopes: list[Envelope] = []
        self.url = ""

    async def handle_RCPT(
        self, server: Server, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.at_rcpt:
            return self.at_rcpt
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Server, session: Session, envelope: Envelope) -> str:
        if self.answers:
            return self.answers.pop(0)
        self.envelopes.append(envelope)
        return "250 OK queued"

    @property
    def mails(self) -> list[EmailMessage]:
        return [message_from_bytes(envelope.content or b"", policy=policy.default) for envelope in self.envelopes]  # type: ignore[misc, arg-type]


@contextmanager
def mail_server(mailbox: Mailbox, **options: Any) -> Iterator[Mailbox]:
    """`options` are aiosmtpd's, say `tls_context` or `authenticator`."""
    port = free_port()
    controller = Controller(mailbox, hostname="127.0.0.1", port=port, **options)
    controller.start()
    try:
        mailbox.url = f"smtp://127.0.0.1:{port}"
        yield mailbox
    finally:
        controller.stop()


@dataclass
class Call:
    path: str
    headers: dict[str, str]
    body: str


@dataclass
class Hook:
    """Takes webhooks: `status`, `headers`, `text` are its answer."""

    status: int = 204
    headers: dict[str, str] = field(default_factory=dict)
    text: str = ""
    calls: list[Call] = field(default_factory=list)
    url: str = ""

    def answer(self, body: str) -> str:
        return self.text


@contextmanager
def hook_server(hook: Hook, tls: ssl.SSLContext | None = None) -> Iterator[Hook]:
    class Answerer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            hook.calls.append(Call(self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            answer = hook.answer(body)
            self.send_response(hook.status)
            for name, value in hook.headers.items():
                self.send_header(name, value)
            self.end_headers()
            with contextlib.suppress(OSError):  # who called has read enough
                self.wfile.write(answer.encode())

        do_GET = do_POST

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answerer)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        hook.url = f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}/hook"
        yield hook
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def peer(behaviour: Callable[[socket.socket], None]) -> Iterator[int]:
    """A server that does what it is told with each connection, and then closes it; gives its port."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=_behave, args=(behaviour, connection), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.close()


def _behave(behaviour: Callable[[socket.socket], None], connection: socket.socket) -> None:
    with connection, contextlib.suppress(OSError):  # the other side may have had enough: some tests are about that
        behaviour(connection)


def certificate(folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's context for 127.0.0.1, and a client's that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a test")])
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(datetime.now(UTC) - timedelta(days=1))
        .not_valid_after(datetime.now(UTC) + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return server, ssl.create_default_context(cafile=folder / "cert.pem")
