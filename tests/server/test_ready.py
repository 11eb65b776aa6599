"""/v1/ready: 503 for the database and its tables only; everything else is degraded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import text, update

from server import clock, create_app, database, kicking
from server.config import Settings
from server.models import Delivery
from server.services import outbox
from server.services.status import LATE
from tests.playing import Person, problem
from tests.workers import rows


@pytest.fixture
def app(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(kicking, "kick", lambda *task: None)
    yield create_app(Settings.from_env())
    database.disconnect()


def test_a_server_with_all_its_parts_is_ready(app: Flask) -> None:
    assert Person(app).seen("/ready") == {"status": "ready", "degraded": []}


def test_a_broker_that_is_away_degrades(environment: dict[str, str]) -> None:
    away = create_app(Settings.from_env({**environment, "GALAPOST_BROKER": "redis://127.0.0.1:1"}))
    assert Person(away).seen("/ready")["degraded"] == ["broker"]
    database.disconnect()


def test_a_notice_that_waits_for_a_worker_degrades(app: Flask) -> None:
    nobody = Person(app)
    nobody.made("/accounts", {"email": "ann@example.org"})
    assert nobody.seen("/ready")["degraded"] == []
    with database.transaction() as session:
        session.execute(update(Delivery).values(next_at=clock.now() - 2 * LATE))
    assert nobody.seen("/ready")["degraded"] == ["deliveries"]


def test_a_lease_that_ran_out_degrades(app: Flask) -> None:
    nobody = Person(app)
    nobody.made("/accounts", {"email": "ann@example.org"})
    for ago, degraded in ((LATE / 2, []), (2 * LATE, ["deliveries"])):
        with database.transaction() as session:
            session.execute(update(Delivery).values(state="leased", lease_until=clock.now() - ago))
        assert nobody.seen("/ready")["degraded"] == degraded


def test_a_webhook_that_hangs_does_not_degrade(app: Flask) -> None:
    """Somebody may have two hundred notices sent to it again: they wait for it, and not for a worker."""
    with database.transaction() as session:
        hook = rows.endpoint(session, rows.account(session, "ann"), "https://hangs.example/")
        for number in range(5):
            outbox.post(
                session, kind="game_over", channel="webhook", dedupe_key=str(number), now=clock.now() - 2 * LATE,
                account_id=hook.account_id, endpoint_id=hook.id, payload={"body": "{}"},
            )  # fmt: skip
    assert Person(app).seen("/ready")["degraded"] == []


def test_tables_of_another_version_are_not_ready(app: Flask) -> None:
    with database.transaction() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '0000'"))
    refused = Person(app).get("/ready")
    problem(refused, 503, "database-unavailable")
    assert Person(app).seen("/health") == {"status": "alive"}


def test_a_database_that_is_away_is_503_everywhere_and_then_back(
    app: Flask, environment: dict[str, str], tmp_path: Path
) -> None:
    nobody = Person(app)
    url = str(database.engine().url.render_as_string(hide_password=False))
    database.connect(f"sqlite:///{tmp_path}/nowhere/galapost.db")
    for path in ("/ready", "/games"):
        answer = nobody.get(path)
        problem(answer, 503, "database-unavailable")
        assert int(answer.headers["Retry-After"]) >= 1
    assert nobody.get("/health").status_code == 200
    database.connect(url)
    assert nobody.get("/games").status_code == 200
