"""The app as the tests of the API have it, and people who use it at a standing clock."""

import pytest
from flask import Flask

from server import clock
from tests.api.conftest import app, nobody  # noqa: F401
from tests.hidden.houses import House, furnished
from tests.hidden.tables import NOW


@pytest.fixture
def house(app: Flask, monkeypatch: pytest.MonkeyPatch) -> House:  # noqa: F811
    monkeypatch.setattr(clock, "now", lambda: NOW)
    return furnished(app)
