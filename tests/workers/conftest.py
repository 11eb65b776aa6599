"""The database of a test, open in this process, and the receivers that count what arrives."""

from collections.abc import Iterator

import pytest

from server import database, links, sealing
from server.config import Settings
from server.services import outbox


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
