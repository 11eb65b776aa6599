"""A server of a test's own, and bots on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.examples.servers import Server, running


@pytest.fixture
def server(environment: dict[str, str], tmp_path: Path) -> Iterator[Server]:
    """On each database."""
    with running(environment, tmp_path) as started:
        yield started


@pytest.fixture
def tokens(server: Server) -> list[str]:
    """Of three bots of one person."""
    owner = server.sign_in("Ann")
    return [server.new_bot(owner, name) for name in ("Left", "Right", "Third")]
