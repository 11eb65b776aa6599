"""A proxy that is not to be relied on: it loses requests and answers, cuts them off, and says 503 and 429. By a seed."""

from __future__ import annotations

import http.client
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

from launch.ports import LOOPBACK

# Of a hundred requests so many meet each. The first two befall what the server has done already.
FAULTS = {
    "POST": {"answer lost": 9, "answer cut off": 3, "request lost": 2, "503": 1, "429": 1},
    "GET": {"answer lost": 1, "answer cut off": 0.5, "request lost": 0.5, "503": 0.3, "429": 0.3},
}


class Proxy(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, seed: str) -> None:
        super().__init__((LOOPBACK, 0), Request)
        self.to, self.chance, self.lock = port, random.Random(seed), Lock()
        self.met: Counter[str] = Counter()

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.server_port}"

    def fault(self, verb: str) -> str | None:
        """What befalls the next request."""
        weights = FAULTS[verb]
        with self.lock:
            (fault,) = self.chance.choices([*weights, None], [*weights.values(), 100 - sum(weights.values())])
            self.met[f"{fault or 'passed'} {verb}"] += 1
            return fault

    def handle_error(self, request: Any, client_address: Any) -> None:
        """The one side or the other has been killed: then this connection breaks off, too."""


class Request(BaseHTTPRequestHandler):
    server: Proxy

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault = self.server.fault(self.command)
        if fault in ("503", "429"):
            self.send_response(int(fault))
            self.send_header("Retry-After", "1")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif fault != "request lost":
            self._pass_on(body, fault)
        self.close_connection = True

    do_POST = do_GET

    def _pass_on(self, body: bytes, fault: str | None) -> None:
        with closing(http.client.HTTPConnection(LOOPBACK, self.server.to, timeout=90)) as connection:
            connection.request(self.command, self.path, body, dict(self.headers))
            answer = connection.getresponse()
            content = answer.read()
        if fault == "answer lost":
            return
        self.send_response(answer.status)
        for name in ("Content-Type", "Retry-After"):
            if name in answer.headers:
                self.send_header(name, answer.headers[name])
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if fault else content)

    def log_message(self, format: str, *args: object) -> None: ...


@contextmanager
def before(port: int, seed: str) -> Iterator[Proxy]:
    proxy = Proxy(port, seed)
    Thread(target=proxy.serve_forever, args=(0.1,), daemon=True).start()
    try:
        yield proxy
    finally:
        proxy.shutdown()
        proxy.server_close()
