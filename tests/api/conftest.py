"""The app on a database of this test's own, and people who use it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from server import create_app, database, kicking, links, sealing, waking
from server.config import Settings
from server.document import document
from server.services import waiting
from tests.playing import Person, signed_in

apps: list[Flask] = []


def the_app(settings: Settings) -> Flask:
    """One for each process of the test run: to describe all operations takes longer than most tests."""
    if not apps:
        apps.append(create_app(settings))
    return apps[0]


def stand_on(app: Flask, settings: Settings) -> None:
    """What `create_app` does with the settings, but for limits and proxies, which have apps of their own in their tests."""
    app.config["GALAPOST"] = settings
    links.configure(settings.url)
    database.connect(settings.database)
    waking.connect(settings.broker, waiting.numbers)


@pytest.fixture
def app(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    """With nobody to kick: that is what the workers' tests are about."""
    for name, value in {
        "GALAPOST_HOME": str(tmp_path),
        "GALAPOST_DATABASE": database_url,
        "GALAPOST_BROKER": "redis://127.0.0.1:1",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(kicking, "kick", lambda *task: None)
    sealing._key.cache_clear()
    settings = Settings.from_env()
    made = the_app(settings)
    stand_on(made, settings)
    monkeypatch.setattr(made, "wsgi_app", made.wsgi_app)  # put back, should the test put something around it
    yield made
    waking.end()
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


@pytest.fixture(scope="session")
def spec(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The document as the code makes it. It depends on no database, so one app will do."""
    made = document(create_app(Settings.from_env({"GALAPOST_HOME": str(tmp_path_factory.mktemp("home"))})))
    database.disconnect()
    return made
