"""The real parts that tests share: PostgreSQL, SQLite, the broker. Nothing here is a fake."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from launch import ROOT, broker
from tests import postgres

for name in [name for name in os.environ if name.startswith("GALAPOST_")]:
    del os.environ[name]  # what the person running the tests has set up for his own server is not for them
os.environ["GALAPOST_RATE_LIMITS"] = "off"  # a test asks faster than anybody should; those of the limits switch them on
os.environ["GALAPOST_METRICS_PORT"] = "off"  # many servers run beside each other; the test of metrics switches them on


def migrate(url: str, home: Path) -> None:
    """As the launcher does it, so that every test stands on what `release` really makes."""
    environ = {**os.environ, "GALAPOST_DATABASE": url, "GALAPOST_HOME": str(home)}
    subprocess.run([sys.executable, "-m", "server.migrate"], cwd=ROOT, env=environ, check=True, timeout=120)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.Postgres]:
    """A PostgreSQL for each process of the test run."""
    with postgres.running() as server:
        yield server


@pytest.fixture(scope="session")
def postgres_template(postgres_server: postgres.Postgres, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of a migrated, empty database that others are copied from."""
    migrate(postgres_server.create("migrated"), tmp_path_factory.mktemp("home"))
    return "migrated"


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty database file that others are copied from."""
    home = tmp_path_factory.mktemp("template")
    file = home / "galapost.db"
    migrate(f"sqlite:///{file}", home)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # so that this one file is all of it
    return file


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """A migrated, empty SQLite database of this test's own."""
    return f"sqlite:///{shutil.copy(sqlite_template, tmp_path / 'galapost.db')}"


@pytest.fixture
def postgresql_url(postgres_server: postgres.Postgres, postgres_template: str) -> str:
    """A migrated, empty PostgreSQL database for this test alone: the one of the test before, emptied."""
    return postgres_server.emptied("test", postgres_template)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """A migrated, empty database of this test's own; the test runs on each kind."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture(scope="session")
def broker_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A broker for each process of the test run. Tests share it: take keys and queues of your own, or flush."""
    with broker.running(tmp_path_factory.mktemp("broker")) as url:
        yield url


@pytest.fixture
def environment(database_url: str, broker_url: str, tmp_path: Path) -> dict[str, str]:
    """What `Settings.from_env` reads: this test's home and database, the shared broker. Add to it at will."""
    return {"GALAPOST_HOME": str(tmp_path), "GALAPOST_DATABASE": database_url, "GALAPOST_BROKER": broker_url}
