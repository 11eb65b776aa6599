"""Webhooks out, as Standard Webhooks 1.0 has them: signed, only 2xx counts, no redirects, no proxies, one deadline."""

import base64
import email.utils
import hashlib
import hmac
import http.client
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

SECONDS = 15.0
ANSWER_READ = 4096  # bytes; the rest is not ours to pay for
KEPT = 1024  # characters of the answer that go into the log
WAIT_AT_MOST = 24 * 3600.0  # of a Retry-After

# ValueError: http.client meets a length or a host that is none.
_BROKEN = (OSError, http.client.HTTPException, urllib3.exceptions.HTTPError, ValueError)
_PORTS = {"http": 80, "https": 443}


class Webhook:
    def __init__(self, policy: Policy, seconds: float = SECONDS, tls: ssl.SSLContext | None = None) -> None:
        self._policy = policy
        self._seconds = seconds
        self._tls = tls or ssl.create_default_context()

    def send(self, message: Message) -> Reply:
        with Deadline(self._seconds) as deadline:
            url = _read(message.to)
            connection = self._connect(url, deadline)
            try:
                status, headers, text = _exchange(connection, url, message)
            finally:
                connection.close()
        return _judge(status, headers, text)

    def _connect(self, url: Url, deadline: Deadline) -> urllib3.connection.HTTPConnection:
        """Connected, to an accepted peer, over TLS where asked; nothing of ours sent yet."""
        connection = self._judged(url, deadline)
        try:
            connection.connect()
        except (*_BROKEN, Refused) as error:
            connection.close()
            # Refusals and failures read the same: the log of deliveries is no port scanner.
            raise TransportError("unreachable") from error
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
            _host(url), url.port or _PORTS[scheme], timeout=self._seconds, **extra
        )
        return connection


def sign(secret: str, webhook_id: str, timestamp: int, body: str) -> str:
    """One signature of the list in `webhook-signature`. The secret is `whsec_` and the key in base64."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, f"{webhook_id}.{timestamp}.{body}".encode(), hashlib.sha256)
    return f"v1,{base64.b64encode(digest).decode()}"


def _read(text: str) -> Url:
    try:
        url = parse_url(text)
    except urllib3.exceptions.LocationParseError as error:
        raise TransportError("unreachable") from error
    if url.scheme not in _PORTS or not url.host or url.auth:
        raise TransportError("unreachable")
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
        "webhook-signature": sign(message.secret or "", message.id, timestamp, message.body),
    }


def _exchange(connection: urllib3.connection.HTTPConnection, url: Url, message: Message) -> tuple[int, Any, str]:
    """From the first byte sent on, silence is ambiguous: the receiver may have acted on what it got."""
    try:
        connection.request("POST", url.request_uri, message.body.encode(), _headers(message), preload_content=False)
        answer = connection.getresponse()
    except _BROKEN as error:
        raise TransportError("no answer", ambiguous=True) from error
    return answer.status, answer.headers, _beginning(answer)


def _beginning(answer: Any) -> str:
    """The status has come and decides; what the body is, or whether it ends, changes nothing."""
    try:
        raw: bytes = answer.read(ANSWER_READ, decode_content=False)
    except _BROKEN:
        return ""
    return raw.decode("utf-8", "replace").replace("\0", "")[:KEPT]


def _judge(status: int, headers: Any, text: str) -> Reply:
    if 200 <= status < 300:
        return Reply(status, text)
    if status == 410:
        raise TransportError(text, status=status, permanent=True, gone=True)
    asked = _seconds(headers.get("Retry-After")) if status in (429, 503) else None
    raise TransportError(text, status=status, retry_after=asked)


def _seconds(value: str | None) -> float | None:
    """Retry-After, in seconds or as a date, within bounds; None for anything else."""
    if value is None:
        return None
    if value.strip().isascii() and value.strip().isdigit():
        return min(float(value[:12]), WAIT_AT_MOST)
    try:
        at = email.utils.parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return min(max(0.0, (at - datetime.now(UTC)).total_seconds()), WAIT_AT_MOST)
