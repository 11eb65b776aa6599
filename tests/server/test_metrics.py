"""What Prometheus is told: on loopback, in numbers, and nothing of anybody."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from datetime import timedelta

import pytest

from launch.ports import free_port
from server import clock, database, metrics
from server.database import transaction
from server.models import Attempt, Delivery
from server.services import counting
from tests.workers import rows


@pytest.fixture(autouse=True)
def connected(database_url: str) -> Iterator[None]:
    database.connect(database_url.replace("postgresql://", "postgresql+psycopg://"))
    yield
    database.disconnect()


def filled() -> None:
    """Two notices due since five minutes and one, one leased to a dead worker, one dead."""
    now = clock.now()
    with transaction() as session:
        game = rows.game(session, rows.account(session, "anna"), rows.account(session, "boris"))
        for number, (state, minutes) in enumerate(
            (("due", 5), ("due", 1), ("leased", 0), ("dead", 9), ("obsolete", 9))
        ):
            session.add(
                Delivery(
                    id=f"dl_{number}", kind="your_turn", channel="email", account_id=game.host_id, dedupe_key=str(number),
                    state=state, next_at=now - timedelta(minutes=minutes), lease_until=now - timedelta(minutes=2),
                    message_id=f"<{number}@example.org>", created_at=now,
                )
            )  # fmt: skip
        session.flush()
        for n, outcome in enumerate(("sent", "transient", "transient", None)):
            session.add(Attempt(delivery_id="dl_0", n=n, fence=1, started_at=now, outcome=outcome))


def counted() -> dict[str, dict[tuple[str, ...], float]]:
    return {count.name: count.numbers for count in counting.counts()}


def test_what_is_due_dead_and_obsolete_is_counted() -> None:
    filled()
    told = counted()
    assert told["deliveries"] == {
        ("email", "due"): 2, ("email", "leased"): 1, ("email", "dead"): 1, ("email", "obsolete"): 1,
    }  # fmt: skip
    assert told["attempts"] == {("email", "sent"): 1, ("email", "transient"): 2, ("email", "open"): 1}
    assert told["delivery_leases_expired"] == {(): 1}
    assert 299 < told["delivery_oldest_due_seconds"][()] < 330


def test_an_empty_server_waits_for_nothing() -> None:
    assert counted()["delivery_oldest_due_seconds"] == {(): 0.0}


def test_they_are_served_on_loopback() -> None:
    filled()
    port = free_port()
    metrics.serve(port)
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        told = answer.read().decode()
    assert 'galapost_deliveries{channel="email",state="due"} 2.0' in told
    assert "galapost_database_up 1.0" in told
    assert "anna" not in told and "example.org" not in told
    database.disconnect()


def test_without_a_database_that_alone_is_told() -> None:
    database.connect("postgresql+psycopg://nobody@127.0.0.1:1/nowhere")
    (family,) = metrics.Database().collect()
    assert (family.name, family.samples[0].value) == ("galapost_database_up", 0)


def test_a_port_that_is_taken_stops_nobody() -> None:
    port = free_port()
    metrics.serve(port)
    metrics.serve(port)
