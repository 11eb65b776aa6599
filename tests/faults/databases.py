"""The databases of a stage: SQLite, and a PostgreSQL that may be restarted; and what may stand before that one."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg

from launch import ROOT
from tests import postgres

DISK = 96 << 20  # bytes
SQLITE, POSTGRESQL = "sqlite", "postgresql"


def migrate(url: str, home: Path) -> None:
    environ = {**os.environ, "GALAPOST_DATABASE": url, "GALAPOST_HOME": str(home)}
    subprocess.run(
        [sys.executable, "-m", "server.migrate"],
        cwd=ROOT,
        env=environ,
        check=True,
        timeout=300,
        stdout=subprocess.DEVNULL,
    )


class Sqlite:
    kind = SQLITE

    def __init__(self, scratch: Path) -> None:
        self._mounted: list[Path] = []
        self._template = scratch / "template.db"
        migrate(f"sqlite:///{self._template}", scratch)
        with closing(sqlite3.connect(self._template)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def fresh(self, home: Path) -> str:
        """On a small disk of its own, where that may be mounted."""
        disk = home / "disk"
        disk.mkdir()
        if (
            subprocess.run(
                ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(disk)], capture_output=True
            ).returncode
            == 0
        ):
            self._mounted.append(disk)
        return f"sqlite:///{shutil.copy(self._template, disk / 'galapost.db')}"

    def drop(self) -> None:
        while self._mounted:
            subprocess.run(["umount", "--lazy", str(self._mounted.pop())], check=True)

    def close(self) -> None:
        self.drop()


class Postgresql:
    """Its own server, for it is killed. `fsync` may stay off, which is about power cuts only."""

    kind = POSTGRESQL

    def __init__(self, scratch: Path) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="galapost-postgres-"))
        self._server = postgres.get_server(self._folder / "data", cleanup_mode="stop")
        self._made = 0
        self._execute("ALTER SYSTEM SET fsync = off")
        self._execute("SELECT pg_reload_conf()")
        self._execute("CREATE DATABASE migrated")
        migrate(self.url("migrated"), scratch)

    def fresh(self, home: Path) -> str:
        self._made += 1
        name = f"stage_{self._made}"
        self._execute(f"CREATE DATABASE {name} TEMPLATE migrated")
        return self.url(name)

    def url(self, database: str) -> str:
        uri: str = self._server.get_uri(database)
        return uri

    def socket(self) -> str:
        """The path of the socket that it listens on."""
        info = self._server.get_postmaster_info()
        return f"{info.socket_dir}/.s.PGSQL.{info.port}"

    def restart_immediately(self) -> None:
        """As `pg_ctl restart -m immediate`: without saying goodbye, and with a recovery afterwards."""
        info = self._server.get_postmaster_info()
        os.kill(info.pid, signal.SIGQUIT)
        info.process.wait(30)
        self._server.ensure_postgres_running()

    def terminate_others(self) -> int:
        """Ends the connections of everybody; returns how many those were."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            ended = connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'stage%'"
            )
            return len(ended.fetchall())

    def _execute(self, statement: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement)  # type: ignore[call-overload]

    def drop(self) -> None:
        pass

    def close(self) -> None:
        self._server.cleanup()
        shutil.rmtree(self._folder, ignore_errors=True)


@contextmanager
def locked(url: str) -> Iterator[None]:
    """Somebody writes to the SQLite file, and takes his time."""
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), timeout=30, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


def emptied(url: str) -> None:
    """The log of an SQLite file: what is written from now on needs new room. Whoever reads it at that moment prevents it."""
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), timeout=30)) as connection:
        while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            time.sleep(0.01)


class LossyProxy:
    """Stands before PostgreSQL; the answers to some COMMITs never come back: `loses` says to which."""

    def __init__(self, path: str, loses: Callable[[], bool]) -> None:
        self._path, self._loses = path, loses
        self.lost = 0
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, database: str) -> str:
        return f"postgresql://postgres:@127.0.0.1:{self.port}/{database}"

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        server = socket.socket(socket.AF_UNIX)
        with client, server, contextlib.suppress(OSError, EOFError):
            server.connect(self._path)
            deaf = threading.Event()
            threading.Thread(target=self._back, args=(server, client, deaf), daemon=True).start()
            try:
                self._forth(client, server, deaf)
            finally:
                server.shutdown(socket.SHUT_RDWR)  # to close it would not end who reads from it

    def _forth(self, client: socket.socket, server: socket.socket, deaf: threading.Event) -> None:
        """Message by message: the first has a length only, the others a letter before it."""
        letter = b""
        while True:
            if letter == b"" or letter == b"\0":
                length = _exactly(client, 4)
                rest = _exactly(client, struct.unpack("!I", length)[0] - 4)
                server.sendall(length + rest)
                letter = b"\0" if rest[:4] == struct.pack("!I", 80877103) else b"S"  # asks for TLS first
                continue
            letter = _exactly(client, 1)
            length = _exactly(client, 4)
            rest = _exactly(client, struct.unpack("!I", length)[0] - 4)
            loses = letter in (b"Q", b"P") and b"COMMIT" in rest and self._loses()
            if loses:
                deaf.set()
            server.sendall(letter + length + rest)
            if loses:
                self.lost += 1
                time.sleep(0.2)  # the server has done it
                return

    def _back(self, server: socket.socket, client: socket.socket, deaf: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while some := server.recv(65536):
                if not deaf.is_set():
                    client.sendall(some)


def _exactly(connection: socket.socket, count: int) -> bytes:
    read = b""
    while len(read) < count:
        some = connection.recv(count - len(read))
        if not some:
            raise EOFError
        read += some
    return read


def opened(kind: str, scratch: Path) -> Any:
    return Sqlite(scratch) if kind == SQLITE else Postgresql(scratch)
