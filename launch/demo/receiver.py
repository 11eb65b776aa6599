"""A receiver of webhooks: a real HTTP server that believes only what is signed (Standard Webhooks 1.0)."""

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from launch.ports import LOOPBACK


@dataclass(frozen=True)
class Webhook:
    id: str
    type: str
    data: dict[str, Any]


class Receiver:
    """Keeps what came in good order, and counts what did not."""

    def __init__(self) -> None:
        self.webhooks: list[Webhook] = []
        self.unsigned = 0
        self._secrets: dict[str, str] = {}

    @contextmanager
    def running(self) -> Iterator[None]:
        server = ThreadingHTTPServer((LOOPBACK, 0), _handler(self))
        self.url = f"http://{LOOPBACK}:{server.server_port}"
        threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()
        try:
            yield
        finally:
            server.shutdown()
            server.server_close()

    def expect(self, path: str, secret: str) -> None:
        """From now on, what comes to this path must be signed with this secret."""
        self._secrets[path] = secret

    def take(self, path: str, headers: Mapping[str, str], body: bytes) -> int:
        """The status of the answer."""
        if not is_signed(headers, body, self._secrets.get(path)):
            self.unsigned += 1
            return 401
        content = json.loads(body)
        self.webhooks.append(Webhook(headers["webhook-id"], content["type"], content["data"]))
        return 204


def is_signed(headers: Mapping[str, str], body: bytes, secret: str | None) -> bool:
    """Whether one of the signatures is the one that this secret makes."""
    if secret is None:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    return any(hmac.compare_digest(expected, given) for given in (headers["webhook-signature"] or "").split())


def _handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(receiver.take(self.path, self.headers, body))  # type: ignore[arg-type]
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Not a word: the terminal belongs to the demo."""

    return Handler
