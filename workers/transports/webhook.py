"""Webhooks out, as Standard Webhooks 1.0 has them: signed, only 2xx counts, no redirects, no proxies, one deadline."""

import base64
import email.utils
import hashlib
import hmac
import http.client
import re
import socket
import ssl
import time
from datetime import UTC, datetime
from typing import Any

import urllib3.connection
import urllib3.exceptions
from urllib3.util import Url, parse_url

from workers.transports.addresses import Policy, Refused
from workers.transports.base import Message, Reply, TransportError
from workers.transports.deadline import Deadline

SECONDS = 15.0  # for all of it
CONNECTING = 5.0  # for the name, the connection and TLS; and how long it takes to learn that there was none
ANSWER_READ = 4096  # bytes; the rest is not ours to pay for
KEPT = 1024  # characters of the answer that go into the log
WAIT_AT_MOST = 24 * 3600.0  # of a Retry-After

# ValueError: http.client meets a length or a host that is none.
_BROKEN = (OSError, http.client.HTTPException, urllib3.exceptions.HTTPError, ValueError)
_PORTS = {"http": 80, "https": 443}


class Webhook:
    """`tls`: whom to trust, when it is not whom the system trusts."""

    def __init__(
        self,
        policy: Policy,
        seconds: float = SECONDS,
        connecting: float = CONNECTING,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._policy = policy
        self._seconds = seconds
        self._connecting = min(connecting, seconds)
        self._tls = tls or ssl.create_default_context()

    def send(self, message: Message) -> Reply:
        ends = time.monotonic() + self._seconds
        url, connection = self._connected(message.to)
        try:
            with Deadline(ends - time.monotonic()) as deadline:
                deadline.watch(connection.sock)
                return _exchanged(connection, url, message)
        finally:
            connection.close()

    def _connected(self, to: str) -> tuple[Url, urllib3.connection.HTTPConnection]:
        """Connected to an accepted peer, over TLS where asked; nothing of ours sent yet.

        Refusals and failures read the same and take the same time: the log of deliveries is no port scanner."""
        known = time.monotonic() + self._connecting
        try:
            with Deadline(self._connecting) as deadline:
                url = _read(to)
                return url, self._connect(url, deadline)
        except (*_BROKEN, Refused) as error:
            time.sleep(max(0.0, known - time.monotonic()))
            raise TransportError("unreachable", unreachable=True) from error

    def _connect(self, url: Url, deadline: Deadline) -> urllib3.connection.HTTPConnection:
        connection = self._judged(url, deadline)
        try:
            connection.connect()
            if deadline.expired:
                raise Refused("too late: it is shut already")
        except BaseException:
            connection.close()
            raise
        return connection

    def _judged(self, url: Url, deadline: Deadline) -> urllib3.connection.HTTPConnection:
        policy, scheme = self._policy, str(url.scheme)

        class Judged(urllib3.connection.HTTPSConnection if scheme == "https" else urllib3.connection.HTTPConnection):  # type: ignore[misc]
            def _new_conn(self) -> socket.socket:
                sock = policy.connect(scheme, self._dns_host, self.port, deadline.left)
                deadline.watch(sock)
                return sock

        extra: dict[str, Any] = {"ssl_context": self._tls} if scheme == "https" else {}
        connection: urllib3.connection.HTTPConnection = Judged(
            _host(url), _PORTS[scheme] if url.port is None else url.port, timeout=self._seconds, **extra
        )
        return connection


def sign(secret: str, webhook_id: str, timestamp: int, body: str) -> str:
    """One signature of the list in `webhook-signature`. The secret is `whsec_` and the key in base64."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, f"{webhook_id}.{timestamp}.{body}".encode(), hashlib.sha256)
    return f"v1,{base64.b64encode(digest).decode()}"


def _read(text: str) -> Url:
    url = parse_url(text)
    authority = re.split(r"[/?#]", text.partition("://")[2], maxsplit=1)[0]  # parse_url drops an empty user info
    if url.scheme not in _PORTS or not url.host or "@" in authority or "%" in url.host:
        raise Refused("no address for us: another scheme, user info, or a zone")
    return url


def _host(url: Url) -> str:
    return str(url.host).strip("[]")


def _headers(message: Message) -> dict[str, str]:
    timestamp = int(time.time())  # of this attempt, so it can't be the row's
    return {
        "Content-Type": "application/json",
        "User-Agent": "Galapost-Webhooks/1",
        "Accept-Encoding": "identity",  # nothing to unpack: a small answer can't become a large one
        "webhook-id": message.id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(sign(secret, message.id, timestamp, message.body) for secret in message.secrets),
    }


def _exchanged(connection: urllib3.connection.HTTPConnection, url: Url, message: Message) -> Reply:
    """From the first byte sent on, silence is ambiguous: the receiver may have acted on what it got."""
    try:
        connection.request("POST", url.request_uri, message.body.encode(), _headers(message), preload_content=False)
        answer = connection.getresponse()
    except _BROKEN as error:
        raise TransportError("no answer", ambiguous=True) from error
    body, whole = _beginning(answer)
    return _judge(answer.status, answer.headers, body, whole)


def _beginning(answer: Any) -> tuple[bytes, bool]:
    """The status has come and decides; what the body is, or whether it ends, changes nothing of that."""
    try:
        raw: bytes = answer.read(ANSWER_READ, decode_content=False)
    except _BROKEN:
        return b"", False
    left = answer.length_remaining
    return raw, left == 0 or (left is None and len(raw) < ANSWER_READ)


def _judge(status: int, headers: Any, body: bytes, whole: bool) -> Reply:
    text = body.decode("utf-8", "replace").replace("\0", "")[:KEPT]
    if 200 <= status < 300:
        return Reply(status, text, body, whole)
    if status == 410:
        raise TransportError(text, status=status, permanent=True, gone=True)
    asked = _seconds(headers.get("Retry-After")) if status in (429, 503) else None
    raise TransportError(text, status=status, retry_after=asked)


def _seconds(value: str | None) -> float | None:
    """Retry-After, in seconds or as a date, within bounds; None for anything else."""
    if value is None:
        return None
    if re.fullmatch(r"[0-9]{1,300}(\.[0-9]{1,20})?", value.strip(), re.ASCII):  # some send parts of a second
        return min(float(value), WAIT_AT_MOST)
    try:
        at = email.utils.parsedate_to_datetime(value[:100])
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        return min(max(0.0, (at - datetime.now(UTC)).total_seconds()), WAIT_AT_MOST)
    except (ValueError, OverflowError):
        return None
