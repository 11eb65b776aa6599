"""A crowd of clients that wait, each on a socket of its own, all in one thread.

`python -m bench.crowd PORT WAIT FILE`, tokens in the file: each asks for what it owes, and again as soon as it has its
answer, until it is ended. Prints a line when all have asked. The first waits are of all lengths, so that from then on the
askings are spread as those of many bots are."""

from __future__ import annotations

import contextlib
import random
import re
import selectors
import socket
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Answer:
    client: int
    status: int  # 0: the connection was closed
    at: float  # of the monotonic clock


@dataclass
class Crowd:
    """Client n asks with token n."""

    port: int
    tokens: list[str]
    path: str
    sockets: list[socket.socket] = field(default_factory=list)
    received: dict[int, bytes] = field(default_factory=dict)  # of answers that have not come whole
    selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)

    def gather(self, path: Callable[[], str] | None = None) -> None:
        """All come and ask, the first time for another path if there is one."""
        for client in range(len(self.tokens)):
            connection = socket.create_connection(("127.0.0.1", self.port), timeout=30)
            self.sockets.append(connection)
            self.selector.register(connection, selectors.EVENT_READ, client)
            self.ask(client, path() if path else None)

    def ask(self, client: int, path: str | None = None) -> None:
        request = f"GET {path or self.path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.tokens[client]}\r\n\r\n"
        self.sockets[client].sendall(request.encode())

    def answers(self, seconds: float) -> Iterator[Answer]:
        """What has come whole within that time."""
        ends = time.monotonic() + seconds
        while (left := ends - time.monotonic()) > 0:
            for key, _ in self.selector.select(left):
                status = self._read(key.data)
                if status is not None:
                    yield Answer(key.data, status, time.monotonic())

    def _read(self, client: int) -> int | None:
        """The status of an answer that has come whole."""
        received = b""
        with contextlib.suppress(OSError):
            received = self.sockets[client].recv(1 << 16)
        if not received:
            self.selector.unregister(self.sockets[client])
            self.sockets[client].close()
            return 0
        self.received[client] = self.received.get(client, b"") + received
        head, gap, body = self.received[client].partition(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\nContent-Length: *([0-9]+)", head)
        if not gap or len(body) < (int(length[1]) if length else 0):
            return None
        del self.received[client]
        return int(head.split(b" ", 2)[1])

    def __enter__(self) -> Crowd:
        self.gather()
        return self

    def __exit__(self, *_: object) -> None:
        for connection in self.sockets:
            connection.close()
        self.selector.close()


def main() -> None:
    port, wait, file = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    crowd = Crowd(port, file.read_text().split(), f"/v1/me/decisions?wait={wait}")
    chance = random.Random(wait)
    crowd.gather(lambda: f"/v1/me/decisions?wait={chance.randint(1, wait)}")
    print("gathered", flush=True)
    while True:
        for answer in crowd.answers(1):
            if answer.status not in (200, 204):
                print(f"client {answer.client} got {answer.status}", flush=True)
            crowd.ask(answer.client)


if __name__ == "__main__":
    main()
