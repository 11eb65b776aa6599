"""The mail server that takes what is sent, and in front of it a peer that spoils the conversation as it is told."""

from __future__ import annotations

import contextlib
import re
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from aiosmtpd.controller import Controller

from launch.ports import free_port
from tests.faults.journal import Journal

TRACES = re.compile(rb"(?:(?:Received|Return-Path|Delivered-To):[^\n]*\n(?:[ \t][^\n]*\n)*)*")
MESSAGE_ID = re.compile(rb"^Message-ID:\s*(<[^>]*>)", re.IGNORECASE | re.MULTILINE)

REPLY_TO = re.compile(rb"^Reply-To:\s*<?([^\s<>]+@[^\s<>]+)>?", re.IGNORECASE | re.MULTILINE)


class Taker:
    """A handler of aiosmtpd: into the journal, then 250."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def handle_MAIL(self, server: Any, session: Any, envelope: Any, address: str, options: list[str]) -> str:
        envelope.mail_from, envelope.began = address, time.time()
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        said = TRACES.sub(b"", envelope.content, count=1)
        found = MESSAGE_ID.search(said)
        id = found[1].decode() if found else "none"
        answers_to = REPLY_TO.search(said)
        if answers_to:
            self._journal.answers_to[id] = answers_to[1].decode()
        self._journal.note("email", id, said, envelope.began, ",".join(envelope.rcpt_tos))
        return "250 OK taken"


@contextmanager
def server(journal: Journal, tls: ssl.SSLContext) -> Iterator[int]:
    port = free_port()
    controller = Controller(Taker(journal), hostname="127.0.0.1", port=port, tls_context=tls)
    controller.start()
    try:
        yield port
    finally:
        controller.stop()


Act = Callable[[socket.socket, bytes], bool]  # whether the conversation goes on; gets what the server has answered


@dataclass(frozen=True)
class Spoil:
    """At one step of one conversation: greeting, EHLO, STARTTLS, MAIL, RCPT, DATA, text or dot.

    `behind`: the server hears the client first, and answers: so at the dot it has kept the mail."""

    step: str
    act: Act
    behind: bool = False


def say(line: str) -> Act:
    def act(client: socket.socket, _: bytes) -> bool:
        client.sendall(line.encode() + b"\r\n")
        _until_closed(client, 1.0)
        return False

    return act


def then_goes_on(line: str) -> Act:
    """Says something else than the server, and lets the client do what it likes with that."""

    def act(client: socket.socket, _: bytes) -> bool:
        client.sendall(line.encode() + b"\r\n")
        return True

    return act


def silence(client: socket.socket, _: bytes) -> bool:
    _until_closed(client, 30.0)
    return False


def drop(client: socket.socket, _: bytes) -> bool:
    return False


def reset(client: socket.socket, _: bytes) -> bool:
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


def cut_off(beginning: bytes) -> Act:
    """The answer breaks off."""

    def act(client: socket.socket, _: bytes) -> bool:
        client.sendall(beginning)
        return False

    return act


def late(seconds: float) -> Act:
    def act(client: socket.socket, answer: bytes) -> bool:
        time.sleep(seconds)
        client.sendall(answer)
        return True

    return act


def drip(client: socket.socket, answer: bytes) -> bool:
    """One byte a second."""
    for byte in answer:
        client.sendall(bytes([byte]))
        time.sleep(1)
    return True


def _until_closed(client: socket.socket, at_most: float) -> None:
    client.settimeout(at_most)
    with contextlib.suppress(OSError):
        while client.recv(65536):
            pass


class Front:
    """Where the workers send mail to. Conversations are spoilt in the order of `plan`, then passed on."""

    def __init__(self, behind: int) -> None:
        self._behind = behind
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listener.getsockname()[1]
        self._lock = threading.Lock()
        self._plan: list[Spoil] = []
        self.reached = 0
        self.in_the_clear = 0
        threading.Thread(target=self._accept, name="front", daemon=True).start()

    def spoil(self, spoils: Iterable[Spoil]) -> None:
        with self._lock:
            self._plan = list(spoils)
            self.reached = self.in_the_clear = 0

    def close(self) -> None:
        self._listener.close()

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Nobody listens."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        try:
            yield
        finally:
            self._listener = socket.create_server(("127.0.0.1", self.port), backlog=128)
            threading.Thread(target=self._accept, name="front", daemon=True).start()

    def _accept(self) -> None:
        listener = self._listener
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            with self._lock:
                spoil = self._plan.pop(0) if self._plan else None
            threading.Thread(target=self._serve, args=(client, spoil), name="conversation", daemon=True).start()

    def _serve(self, client: socket.socket, spoil: Spoil | None) -> None:
        with client, contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._behind)) as server:
            Conversation(client, server, spoil, self._count).run(self._count_clear)

    def _count(self) -> None:
        with self._lock:
            self.reached += 1

    def _count_clear(self) -> None:
        with self._lock:
            self.in_the_clear += 1


class Conversation:
    """Passes on line by line, and knows at which step it is."""

    def __init__(
        self, client: socket.socket, server: socket.socket, spoil: Spoil | None, reached: Callable[[], None]
    ) -> None:
        self._client, self._server, self._spoil, self._reached = client, server, spoil, reached
        self._from_client, self._from_server = client.makefile("rb"), server.makefile("rb")

    def run(self, clear: Callable[[], None]) -> None:
        """`clear` is told of a text that came unencrypted."""
        goes_on = self._step("greeting", b"")
        while goes_on and (line := self._from_client.readline()):
            verb = line[:4].upper().decode("ascii", "replace")
            step = "STARTTLS" if line[:8].upper() == b"STARTTLS" else "EHLO" if verb == "HELO" else verb
            goes_on = self._step(step, line)
            if goes_on and step == "DATA":
                clear()
                goes_on = self._text()
            elif goes_on and step == "STARTTLS":
                self._splice()
                return

    def _step(self, step: str, said: bytes) -> bool:
        """Whether the conversation goes on."""
        spoil = self._spoil if self._spoil is not None and self._spoil.step == step else None
        if spoil is not None and not spoil.behind:
            self._reached()
            return spoil.act(self._client, b"")
        self._server.sendall(said)
        answer = self._answer()
        if spoil is not None:
            self._reached()
            return spoil.act(self._client, answer)
        self._client.sendall(answer)
        return bool(answer)

    def _answer(self) -> bytes:
        lines = [self._from_server.readline()]
        while lines[-1][3:4] == b"-":
            lines.append(self._from_server.readline())
        return b"".join(lines)

    def _text(self) -> bool:
        if self._spoil is not None and self._spoil.step == "text":
            self._from_client.read(200)
            self._reached()
            return self._spoil.act(self._client, b"")
        lines = []
        while (line := self._from_client.readline()) != b".\r\n":
            if not line:
                return False
            lines.append(line)
        return self._step("dot", b"".join([*lines, line]))

    def _splice(self) -> None:
        """What is encrypted is passed on as it is."""

        def pour(source: socket.socket, target: socket.socket) -> None:
            with contextlib.suppress(OSError):
                while some := source.recv(65536):
                    target.sendall(some)
                target.shutdown(socket.SHUT_WR)

        back = threading.Thread(target=pour, args=(self._server, self._client), daemon=True)
        back.start()
        pour(self._client, self._server)
        back.join()
