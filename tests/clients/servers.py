"""A server as a process of its own, and a proxy before it that answers as a later version might."""

from __future__ import annotations

import http.client
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from launch.ports import LOOPBACK, free_port
from tests.workers.processes import eventually, process

NEW_WORD = "unheard-of"
NEW_KEY = "unheard_of"
GROWING = (
    "kind",
    "phase",
    "status",
    "spectators",
    "join",
    "start",
    "type",
)  # keys of answers whose words may become more


@dataclass
class Server:
    """`url` is where clients ask: the server itself, or a proxy before it."""

    url: str
    port: int
    database: Path

    @property
    def is_later(self) -> bool:
        """Whether its answers are those of a later version."""
        return not self.url.endswith(f":{self.port}")

    def code_sent_to(self, email: str) -> str:
        """Out of the newest mail that waits in the outbox for that address."""
        query = "SELECT payload FROM delivery WHERE address = ? ORDER BY created_at DESC, id LIMIT 1"
        with closing(sqlite3.connect(self.database)) as connection:
            ((payload,),) = connection.execute(query, (email,))
        return str(json.loads(payload)["code"])


@contextmanager
def running_server(home: Path, database: Path) -> Iterator[Server]:
    port = free_port()
    environment = {
        "GALAPOST_HOME": str(home),
        "GALAPOST_PORT": str(port),
        "GALAPOST_DATABASE": f"sqlite:///{database}",
        "GALAPOST_BROKER": f"redis://{LOOPBACK}:1",  # nobody
        "GALAPOST_RATE_LIMITS": "off",  # a game in seconds is more than a person asks
    }
    with process(environment, "gunicorn", "--config", "server/gunicorn.py", "--log-level", "error", "wsgi:app"):
        eventually(lambda: _answers(port))
        yield Server(f"http://{LOOPBACK}:{port}", port, database)


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=5)
    try:
        connection.request("GET", "/v1/health")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


@contextmanager
def grown(server: Server) -> Iterator[Server]:
    """The same server, a version later: with further keys in every answer, and other words."""

    class Grown(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            _pass_on(self, server.port)

        do_POST = do_GET

        def log_message(self, *_: Any) -> None: ...

    proxy = ThreadingHTTPServer((LOOPBACK, 0), Grown)
    Thread(target=proxy.serve_forever, daemon=True).start()
    try:
        yield Server(f"http://{LOOPBACK}:{proxy.server_port}", server.port, server.database)
    finally:
        proxy.shutdown()
        proxy.server_close()


def _pass_on(request: BaseHTTPRequestHandler, port: int) -> None:
    length = int(request.headers.get("Content-Length", 0))
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=30)
    with closing(connection):
        connection.request(request.command, request.path, request.rfile.read(length), dict(request.headers))
        answer = connection.getresponse()
        body = answer.read()
    if "json" in answer.headers.get("Content-Type", ""):
        body = json.dumps(later(json.loads(body))).encode()
    request.send_response(answer.status)
    request.send_header("Content-Type", answer.headers.get("Content-Type", ""))
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)


def later(answer: Any) -> Any:
    """The same answer of a later version: a key more in each object, a new word wherever words may become more."""
    if isinstance(answer, list):
        return [later(item) for item in answer]
    if not isinstance(answer, dict):
        return answer
    aged = {
        key: NEW_WORD if key in GROWING and isinstance(value, str) else later(value) for key, value in answer.items()
    }
    return aged | {NEW_KEY: _further(list(aged.values()))}


def _further(values: list[Any]) -> Any:
    """In a map (options, links, points) what is new is of the same kind as the rest."""
    alike = len({type(value) for value in values}) == 1
    return values[0] if alike else {"nested": [1, None, NEW_WORD]}
