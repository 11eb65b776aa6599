from collections.abc import Iterator

import pytest

from server import database, kicking, links, sealing
from server.config import Settings
from server.services import mail_tokens, outbox
from server.services.inbound import judging
from tests.inbound.post import DOMAIN, Post, Table, lay_table, listening

CACHES = (sealing._key, outbox._domain, mail_tokens.domain, judging._ourselves)


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """What is asked of the database alone is asked of both kinds in `test_receiving.py`."""
    return sqlite_url


@pytest.fixture
def settings(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """This test's installation, open in this process, with nobody to kick."""
    environment |= {"GALAPOST_MAIL_FROM": f"Galapost <galapost@{DOMAIN}>"}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(kicking, "kick", lambda *task: None)
    for cache in CACHES:
        cache.cache_clear()
    made = Settings.from_env()
    database.connect(made.database)
    links.configure(made.url)
    yield made
    database.disconnect()
    for cache in CACHES:
        cache.cache_clear()


@pytest.fixture
def post(settings: Settings) -> Iterator[Post]:
    with listening() as port:
        yield Post(settings, port)


@pytest.fixture
def table(settings: Settings) -> Table:
    return lay_table()
