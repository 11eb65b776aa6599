"""Real servers for generated clients."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.servers import Server, grown, running_server


@pytest.fixture(scope="session")
def present_server(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("house")
    with running_server(home, Path(shutil.copy(sqlite_template, home / "galapost.db"))) as server:
        yield server


@pytest.fixture(params=["as it is", "a version later"])
def server(present_server: Server, request: pytest.FixtureRequest) -> Iterator[Server]:
    """Of this version, and as one of a later version might answer."""
    if request.param == "as it is":
        yield present_server
        return
    with grown(present_server) as later:
        yield later
