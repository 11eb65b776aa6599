"""Waiting on real web processes, on each database: what a commit anywhere wakes, and how it all ends."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import urllib3

from bench.crowd import Crowd
from bench.house import House, house, people, wait_for
from server import database, waking
from server.config import Settings
from server.models import Game
from server.services import feeds, waiting

AT_A_TIME = 4
PATIENCE = 10.0  # seconds, on a busy machine


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def two(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A server of two web processes, for all tests on that database."""
    folder = tmp_path_factory.mktemp("house")
    if request.param == "sqlite":
        url = f"sqlite:///{shutil.copy(request.getfixturevalue('sqlite_template'), folder / 'galapost.db')}"
    else:
        url = request.getfixturevalue("postgres_server").create("waits", request.getfixturevalue("postgres_template"))
    with house(folder, url, migrated=True, GALAPOST_WEB_PROCESSES="2") as opened:
        yield opened


@pytest.fixture
def one(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    """One that may be ended; which database it has is nothing to that."""
    with house(tmp_path, sqlite_url, migrated=True) as opened:
        yield opened


def asked(opened: House, token: str, verb: str, path: str, body: Any = None) -> Any:
    headers = {"Authorization": f"Bearer {token}"}
    content = {} if body is None else {"json": body}
    answer = urllib3.request(verb, f"http://127.0.0.1:{opened.port}/v1{path}", headers=headers, timeout=30, **content)
    assert answer.status < 300, answer.data
    return answer.json()


def statuses(crowd: Crowd, count: int, seconds: float = PATIENCE) -> list[int]:
    """Of the first so many answers."""
    found: list[int] = []
    ends = time.monotonic() + seconds
    while len(found) < count and time.monotonic() < ends:
        found += [answer.status for answer in crowd.answers(0.05)]
    return found


def test_a_commit_wakes_all_who_wait_for_it_in_both_processes_and_nobody_else(two: House) -> None:
    host, guest, *tokens = people(two.environ, 12)
    game = asked(two, host, "POST", "/games", {"seats": 2, "spectators": "public"})["id"]
    watching = Crowd(two.port, tokens * AT_A_TIME, f"/v1/games/{game}/events?wait=50")
    elsewhere = Crowd(two.port, people(two.environ, 10), "/v1/me/decisions?wait=50")
    with watching, elsewhere:
        assert statuses(watching, 1, 1.0) == statuses(elsewhere, 1, 1.0) == []
        asked(two, guest, "POST", f"/games/{game}/seats", {})
        assert statuses(watching, 40) == [200] * 40
        assert statuses(elsewhere, 1, 1.0) == []


def test_what_a_worker_commits_wakes_too(two: House) -> None:
    """Here this process is the worker: it has the database and the broker in common with the server, and nothing else."""
    host, *_ = people(two.environ, 1)
    game = asked(two, host, "POST", "/games", {"seats": 2})["id"]
    read = asked(two, host, "GET", "/me/events")["next_after"]
    settings = Settings.from_env(two.environ)
    with Crowd(two.port, [host] * AT_A_TIME, f"/v1/me/events?after={read}&wait=50") as crowd:
        assert statuses(crowd, 1, 1.0) == []
        database.connect(settings.database)
        waking.connect(settings.broker, waiting.numbers)
        with database.transaction() as session:
            changed = session.get_one(Game, game)
            feeds.note(session, changed, "changed", changed.created_at)
        assert statuses(crowd, AT_A_TIME) == [200] * AT_A_TIME
        waking.end()
        database.disconnect()


@pytest.mark.parametrize("state", ["stopped", "ended"])
def test_without_a_broker_all_are_woken_within_seconds_and_afterwards_at_once(two: House, state: str) -> None:
    host, guest, *tokens = people(two.environ, 4)
    games = [asked(two, host, "POST", "/games", {"seats": 2, "spectators": "public"})["id"] for _ in range(2)]
    for number, game in enumerate(games):
        with Crowd(two.port, tokens * AT_A_TIME, f"/v1/games/{game}/events?wait=50") as crowd:
            assert statuses(crowd, 1, 1.0) == []
            if number == 0:
                with two.broker_stopped() if state == "stopped" else two.broker_ended():
                    asked(two, guest, "POST", f"/games/{game}/seats", {})
                    assert statuses(crowd, 8) == [200] * 8
            else:
                asked(two, guest, "POST", f"/games/{game}/seats", {})
                assert statuses(crowd, 8) == [200] * 8


def test_four_wait_in_all_processes_together(two: House) -> None:
    """As far as they have told each other: the number of those who wait is told at once, and heard a little later."""
    (token,) = people(two.environ, 1)
    with Crowd(two.port, [token] * AT_A_TIME, "/v1/me/decisions?wait=50") as crowd:
        assert statuses(crowd, 1, 2.0) == []
        for _ in range(6):  # one after the other, to whichever process takes it
            with Crowd(two.port, [token], "/v1/me/decisions?wait=50") as another:
                assert statuses(another, 1) == [429]


def test_sigterm_is_the_end_of_every_wait_at_once(one: House) -> None:
    tokens = people(one.environ, 10) * AT_A_TIME
    with Crowd(one.port, tokens, "/v1/me/decisions?wait=60") as crowd:
        assert statuses(crowd, 1, 1.0) == []
        began = time.monotonic()
        os.kill(one.web.pid, signal.SIGTERM)
        assert statuses(crowd, 40) == [204] * 40
        assert time.monotonic() - began < 5
    wait_for(lambda: one.web.poll() is not None)
    assert one.web.returncode == 0


def test_a_client_that_vanishes_is_forgotten_with_the_end_of_its_wait(two: House) -> None:
    (token,) = people(two.environ, 1)
    with Crowd(two.port, [token] * AT_A_TIME, "/v1/me/decisions?wait=3") as crowd:
        assert statuses(crowd, 1, 2.0) == []
    with Crowd(two.port, [token], "/v1/me/decisions?wait=1") as another:
        assert statuses(another, 1) == [429]
    time.sleep(3)
    with Crowd(two.port, [token], "/v1/me/decisions?wait=1") as another:
        assert statuses(another, 1) == [204]
