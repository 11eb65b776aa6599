"""Mail over SMTP. Each answer of the server is read for what it says of trying again."""

import re
import smtplib
import socket
import ssl
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote, urlsplit

from server import refusals
from workers.transports.base import Message, Reply, TransportError
from workers.transports.deadline import Deadline

SECONDS = 40.0  # for the whole exchange; what is left of them after the final dot is for a server that scans the mail
PATIENCE = 10.0  # for each answer before that
KEPT = 1024

RETURN_PATH = re.compile(r"Return-Path: <([!-=?-~]+)>")

_PORTS = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}
_BROKEN = (OSError, smtplib.SMTPException)


class Smtp:
    """`url`: smtp://, smtp+starttls:// or smtps:// [user:password@]host[:port]. `sender` is the envelope's address for mails
    that name no other in a `Return-Path` on top."""

    def __init__(self, url: str, sender: str, seconds: float = SECONDS, tls: ssl.SSLContext | None = None) -> None:
        self._url = urlsplit(url)
        if self._url.scheme not in _PORTS or not self._url.hostname:
            raise ValueError(
                f"an SMTP server is written as one of {', '.join(_PORTS)}, then ://[user:password@]host[:port]"
            )
        self._sender = sender
        self._seconds = seconds
        self._tls = tls or ssl.create_default_context()

    def send(self, message: Message) -> Reply:
        sender, body = _unwrapped(message.body)
        with Deadline(self._seconds) as deadline:
            client = self._client(deadline, sender or self._sender)
            try:
                return _deliver(client, message.to, body, deadline)
            finally:
                client.close()  # QUIT would be one more answer to wait for, after everything is decided

    def _client(self, deadline: Deadline, sender: str) -> smtplib.SMTP:
        """Connected, encrypted, logged in, our sender taken. Whatever goes wrong so far says nothing of the recipient."""
        try:
            client = self._connected(deadline)
        except _BROKEN as error:
            raise TransportError(_text(error), status=_status(error)) from error
        try:
            self._prepare(client, sender)
        except (*_BROKEN, TransportError) as error:
            client.close()
            raise TransportError(_text(error), status=_status(error)) from error
        return client

    def _connected(self, deadline: Deadline) -> smtplib.SMTP:
        options: dict[str, Any] = {
            "host": self._url.hostname,
            "port": self._url.port or _PORTS[self._url.scheme],
            "local_hostname": self._sender.rpartition("@")[
                2
            ],  # else smtplib asks the DNS who we are, without a timeout
            "timeout": min(PATIENCE, deadline.left()),
        }
        if self._url.scheme == "smtps":
            return _TlsClient(deadline, context=self._tls, **options)
        return _Client(deadline, **options)

    def _prepare(self, client: smtplib.SMTP, sender: str) -> None:
        if self._url.scheme == "smtp+starttls":
            client.starttls(context=self._tls)
        client.ehlo_or_helo_if_needed()
        if self._url.username:
            client.login(unquote(self._url.username), unquote(self._url.password or ""))
        _step(lambda: client.mail(sender))


def _unwrapped(mail: str) -> tuple[str, str]:
    """The envelope's sender, where the mail names one on top, and the mail without that line: the last server writes its own."""
    top, _, rest = mail.partition("\n")
    named = RETURN_PATH.fullmatch(top)
    return (named[1], rest) if named else ("", mail)


def _deliver(client: smtplib.SMTP, to: str, body: str, deadline: Deadline) -> Reply:
    _name_the_recipient(client, to)
    _step(lambda: client.docmd("DATA"), 3)
    _write(client, _dotted(body))
    return _finish(client, deadline)


def _name_the_recipient(client: smtplib.SMTP, to: str) -> None:
    """Only here a refusal may be of the address, and only if it says so; what is refused later is the mail."""
    try:
        _step(lambda: client.rcpt(to))
    except TransportError as error:
        error.permanent |= refusals.of_the_address(f"{error.status} {error.text}")
        raise


class _Client(smtplib.SMTP):
    """Under the deadline from the connection on: the greeting is read before anybody else sees the socket."""

    def __init__(self, deadline: Deadline, **options: Any) -> None:
        self._deadline = deadline
        super().__init__(**options)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        connection: socket.socket = super()._get_socket(host, port, timeout)  # type: ignore[misc]  # typeshed leaves it out; SMTP_SSL overrides it just so
        self._deadline.watch(connection)
        return connection


class _TlsClient(smtplib.SMTP_SSL, _Client):
    """The same with TLS from the first byte, its handshake under the deadline too."""

    def __init__(self, deadline: Deadline, **options: Any) -> None:
        self._deadline = deadline
        smtplib.SMTP_SSL.__init__(self, **options)


def _dotted(body: str) -> bytes:
    """Lines ended and dots doubled as SMTP wants them, without the dot that ends the message."""
    raw = smtplib.quotedata(body).encode("ascii")
    return raw if raw.endswith(b"\r\n") else raw + b"\r\n"


def _write(client: smtplib.SMTP, raw: bytes) -> None:
    """Without its last line nobody may accept the message, so a failure here is not ambiguous."""
    try:
        client.send(raw)
    except _BROKEN as error:
        raise TransportError(_text(error)) from error


def _finish(client: smtplib.SMTP, deadline: Deadline) -> Reply:
    """After the final dot the message may be theirs, whatever becomes of the answer. Many look for viruses before it."""
    try:
        client.send(b".\r\n")
        assert client.sock is not None
        client.sock.settimeout(deadline.left())
        code, text = client.getreply()
    except _BROKEN as error:
        raise TransportError("no answer after the final dot", ambiguous=True) from error
    if not 200 <= code < 600:  # -1 or a part of a number: how smtplib reads an answer that broke off
        raise TransportError("no answer after the final dot", ambiguous=True)
    _expect(code, text)
    return Reply(code, _decoded(text))


def _step(command: Callable[[], tuple[int, bytes]], expected: int = 2) -> None:
    try:
        code, text = command()
    except _BROKEN as error:
        raise TransportError(_text(error), status=_status(error)) from error
    except UnicodeEncodeError as error:  # an address outside ASCII, and a server that takes none
        raise TransportError("the server takes no such address", permanent=True) from error
    _expect(code, text, expected)


def _expect(code: int, text: bytes, expected: int = 2) -> None:
    """The first digit says it all; what a server means by the others is its own affair."""
    if code // 100 != expected:
        raise TransportError(_decoded(text), status=code)


def _status(error: Exception) -> int | None:
    return error.smtp_code if isinstance(error, smtplib.SMTPResponseException) else getattr(error, "status", None)


def _text(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPResponseException):
        return _decoded(error.smtp_error if isinstance(error.smtp_error, bytes) else str(error.smtp_error).encode())
    return str(error)[:KEPT] or type(error).__name__


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace").replace("\0", "")[:KEPT]
