"""The app on a database of this test's own, and people who use it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from server import create_app, database, kicking, sealing
from server.config import Settings
from tests.playing import Person, signed_in


@pytest.fixture
def app(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    """With nobody to kick: that is what the workers' tests are about."""
    for name, value in {
        "GALAPOST_HOME": str(tmp_path),
        "GALAPOST_DATABASE": database_url,
        "GALAPOST_BROKER": "redis://127.0.0.1:1",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(kicking, "kick", lambda: None)
    sealing._key.cache_clear()
    yield create_app(Settings.from_env())
    database.disconnect()
    sealing._key.cache_clear()


@pytest.fixture
def nobody(app: Flask) -> Person:
    return Person(app)


@pytest.fixture
def ann(app: Flask) -> Person:
    return signed_in(app, "Ann")


@pytest.fixture
def bob(app: Flask) -> Person:
    return signed_in(app, "Bob")


@pytest.fixture
def eve(app: Flask) -> Person:
    """A stranger to the games of Ann and Bob."""
    return signed_in(app, "Eve")
