"""Connections and transactions, on SQLite and PostgreSQL alike. No Flask in here: the workers use it too."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, ExceptionContext, create_engine, event, func, make_url, select
from sqlalchemy.orm import Session

from server import changes

SQLITE_PATIENCE = 30  # seconds a writer waits for another one
STANDSTILL = (
    60  # seconds that a transaction on PostgreSQL may do nothing: who holds locks and is stopped, or gone, lets go
)

# Parameters are hidden since errors are logged, and a parameter may be a hand or an address.
_COMMON: dict[str, Any] = {"pool_size": 20, "max_overflow": 20, "hide_parameters": True}

_engine: Engine | None = None
_writing = threading.RLock()

# Whoever waits for something is woken by the commit that brings it.
event.listen(Session, "after_flush", changes.gather)
event.listen(Session, "after_commit", changes.announce)


def connect(url: str) -> Engine:
    """Opens the database for this process; to be called after a fork, never before it. A second call closes the first."""
    global _engine, _writing
    disconnect()
    _writing = threading.RLock()  # the old one may have been held at the moment of a fork
    _engine = _sqlite(url) if make_url(url).get_backend_name() == "sqlite" else _postgresql(url)
    return _engine


def disconnect() -> None:
    global _engine
    if _engine is not None:
        _engine.dispose()
    _engine = None


def engine() -> Engine:
    if _engine is None:
        raise RuntimeError("server.database.connect(url) was not called in this process")
    return _engine


@contextmanager
def transaction() -> Iterator[Session]:
    """All or nothing: committed at the end of the block, rolled back by any exception."""
    with _in_turn(), Session(engine(), expire_on_commit=False) as session, session.begin():
        yield session


@contextmanager
def _in_turn() -> Iterator[None]:
    """On SQLite the writers of this process come one by one. Its own lock is asked for again and again, by chance: of many
    that ask some would come very late. A thread that writes already, or that has waited for too long, leaves it to SQLite."""
    if engine().dialect.name != "sqlite":
        yield
        return
    has_turn = _writing.acquire(timeout=SQLITE_PATIENCE)
    try:
        yield
    finally:
        if has_turn:
            _writing.release()


@contextmanager
def reading() -> Iterator[Session]:
    """One consistent look; nothing that is changed in it is kept."""
    with Session(
        engine().execution_options(**_reading_options()),
        autoflush=False,
        expire_on_commit=False,
    ) as session:
        yield session


def one_at_a_time(session: Session, what: str) -> None:
    """Until the end of the transaction others that name the same wait here. On SQLite a writer is alone anyway."""
    if session.get_bind().dialect.name == "postgresql":
        number = hashlib.sha256(what.encode()).digest()[:8]
        session.execute(select(func.pg_advisory_xact_lock(int.from_bytes(number, "big", signed=True))))


def _reading_options() -> dict[str, Any]:
    if engine().dialect.name == "sqlite":
        return {"reading": True}
    return {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}


def _postgresql(url: str) -> Engine:
    made = create_engine(url, pool_pre_ping=True, **_COMMON)
    event.listen(made, "handle_error", _withhold_the_row)
    event.listen(made, "connect", _prepare_postgresql)
    return made


def _prepare_postgresql(connection: Any, _record: Any) -> None:
    connection.execute(f"SET idle_in_transaction_session_timeout = '{STANDSTILL}s'")
    connection.commit()


def _withhold_the_row(context: ExceptionContext) -> None:
    """PostgreSQL adds to an error the row that it refused, whatever `hide_parameters` says: a seed, say, for the log."""
    for error in filter(None, (context.original_exception, context.sqlalchemy_exception)):
        # The first line says what was broken; the row is in the next, under a heading in the server's language.
        error.args = tuple(said.partition("\n")[0] if isinstance(said, str) else said for said in error.args)


def _sqlite(url: str) -> Engine:
    made = create_engine(url, connect_args={"timeout": SQLITE_PATIENCE, "check_same_thread": False}, **_COMMON)
    event.listen(made, "connect", _prepare_sqlite)
    event.listen(made, "begin", _begin_sqlite)
    return made


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # the driver begins nothing by itself: `_begin_sqlite` does
    # FULL: an answered move outlives a power cut, too.
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    """A writer takes its lock at once: two that had read first and then wanted to write could only fail each other."""
    reads = connection.get_execution_options().get("reading", False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")
