"""The receiver of webhooks: each path an endpoint, which misbehaves as often as it was told to and then takes what comes."""

from __future__ import annotations

import contextlib
import os
import socket
import ssl
import struct
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.faults.journal import Journal

Behaviour = Callable[["Call"], None]


class Call:
    """A request that has been read."""

    def __init__(self, handler: BaseHTTPRequestHandler, journal: Journal, body: bytes, began: float) -> None:
        self._handler, self._journal, self.body, self._began = handler, journal, body, began
        self.name = handler.path.rpartition("/")[2]
        self.socket: socket.socket = handler.connection

    def keep(self) -> None:
        """It is received, whatever is answered."""
        self._journal.note("webhook", str(self._handler.headers["webhook-id"]), self.body, self._began, self.name)

    def answer(self, status: int, headers: dict[str, str] | None = None, text: bytes = b"") -> None:
        self._handler.send_response(status)
        for name, value in {"Content-Length": str(len(text)), **(headers or {})}.items():
            self._handler.send_header(name, value)
        self._handler.end_headers()
        self._handler.wfile.write(text)


def take(call: Call) -> None:
    call.keep()
    call.answer(204)


def status(code: int, **headers: str) -> Behaviour:
    """Refused with it."""
    return lambda call: call.answer(code, {name.replace("_", "-"): value for name, value in headers.items()})


def hang(seconds: float) -> Behaviour:
    """Accepted, never answered."""
    return lambda call: time.sleep(seconds)


def kept(then: Behaviour) -> Behaviour:
    def behave(call: Call) -> None:
        call.keep()
        then(call)

    return behave


def reset(call: Call) -> None:
    call.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    os.close(call.socket.detach())


def drip(call: Call) -> None:
    """A byte of the answer each half second."""
    for byte in b"HTTP/1.1 204 No Content\r\nServer: slow\r\n\r\n":
        call.socket.sendall(bytes([byte]))
        time.sleep(0.5)


class Hooks:
    def __init__(self, journal: Journal, contexts: Callable[[], ssl.SSLContext] | None = None) -> None:
        self.plans: dict[str, list[Behaviour]] = defaultdict(list)
        self.always: dict[str, Behaviour] = {}
        self.reached: dict[str, int] = defaultdict(int)
        self._lock = threading.Lock()
        hooks = self

        class Endpoint(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                began = time.time()
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with contextlib.suppress(OSError, ValueError):  # the sender has gone
                    hooks._behave(Call(self, journal, body, began))

            do_GET = do_POST

            def log_message(self, format: str, *arguments: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            request_queue_size = 256

            def get_request(self) -> Any:
                connection, address = super().get_request()
                if contexts is not None:
                    connection.settimeout(5)
                    connection = contexts().wrap_socket(connection, server_side=True)
                return connection, address

            def handle_error(self, request: Any, client_address: Any) -> None:
                pass

        self._server = Server(("127.0.0.1", 0), Endpoint)
        self.url = f"{'http' if contexts is None else 'https'}://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), name="hooks", daemon=True).start()

    def spoil(self, name: str, behaviours: Iterable[Behaviour]) -> None:
        with self._lock:
            self.plans[name] = list(behaviours)

    def left(self) -> int:
        """Misbehaviours that nobody has seen."""
        return sum(map(len, self.plans.values()))

    def _behave(self, call: Call) -> None:
        with self._lock:
            plan = self.plans[call.name]
            planned = plan.pop(0) if plan else None
            self.reached[call.name] += 1
        (planned or self.always.get(call.name) or take)(call)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def serving(journal: Journal, contexts: Callable[[], ssl.SSLContext] | None = None) -> Iterator[Hooks]:
    hooks = Hooks(journal, contexts)
    try:
        yield hooks
    finally:
        hooks.close()
