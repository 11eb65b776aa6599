"""Connections and transactions, on SQLite and PostgreSQL alike. No Flask in here: the workers use it too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, ExceptionContext, create_engine, event, make_url
from sqlalchemy.orm import Session

SQLITE_PATIENCE = 30  # seconds a writer waits for another one

# Parameters are hidden since errors are logged, and a parameter may be a hand or an address.
_COMMON: dict[str, Any] = {"pool_size": 20, "max_overflow": 20, "hide_parameters": True}

_engine: Engine | None = None


def connect(url: str) -> Engine:
    """Opens the database for this process; to be called after a fork, never before it. A second call closes the first."""
    global _engine
    disconnect()
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
    with Session(engine(), expire_on_commit=False) as session, session.begin():
        yield session


@contextmanager
def reading() -> Iterator[Session]:
    """One consistent look; nothing that is changed in it is kept."""
    with Session(
        engine().execution_options(**_reading_options()),
        autoflush=False,
        expire_on_commit=False,
    ) as session:
        yield session


def _reading_options() -> dict[str, Any]:
    if engine().dialect.name == "sqlite":
        return {"reading": True}
    return {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}


def _postgresql(url: str) -> Engine:
    made = create_engine(url, pool_pre_ping=True, **_COMMON)
    event.listen(made, "handle_error", _withhold_the_row)
    return made


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
