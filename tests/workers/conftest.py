"""The database of a test, open in this process, and the receivers that count what arrives."""

from collections.abc import Iterator

import pytest

from server import database, links, sealing
from server.config import Settings
from server.services import dispatching, outbox


@pytest.fixture
def settings(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """This test's installation, open in this process."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    sealing._key.cache_clear()
    outbox._domain.cache_clear()
    made = Settings.from_env()
    database.connect(made.database)
    links.configure(made.url)
    yield made
    database.disconnect()
    sealing._key.cache_clear()


@pytest.fixture
def no_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """For games without a table: a mail says its kind and its decision, and nothing else."""
    monkeypatch.setattr(
        dispatching.letters, "write", lambda session, row, *_: dispatching.Written(f"{row.kind} {row.decision}", ())
    )
