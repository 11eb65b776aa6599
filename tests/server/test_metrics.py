"""What Prometheus is told: on loopback, in numbers, and nothing of anybody."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

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


def late(*rows_of: dict[str, Any]) -> None:
    """Rows ten minutes late, to Anna or to a webhook of hers."""
    ago = clock.now() - timedelta(minutes=10)
    with transaction() as session:
        anna = rows.account(session, "anna")
        hooks = {name: rows.endpoint(session, anna, f"https://{name}.example/") for name in ("quick", "slow")}
        hooks["quick"].prompt = True
        for number, given in enumerate(rows_of):
            values = {name: value() if callable(value) else value for name, value in given.items()}
            to = hooks.get(values.pop("to", ""))
            about = {"channel": "webhook", "endpoint_id": to.id} if to else {"channel": "email", "account_id": anna.id}
            defaults = {"state": "due", "next_at": ago, "kind": "message", "created_at": ago, "message_id": str(number)}
            session.add(Delivery(id=f"dl_{number}", dedupe_key=str(number), **defaults | about | values))


def soon() -> datetime:
    return clock.now() + timedelta(minutes=1)


def long_ago() -> datetime:
    return clock.now() - timedelta(hours=5)


# what waits, and how many minutes that tells of workers that do not work
WAITING: dict[str, tuple[list[dict[str, Any]], int]] = {
    "a mail that nobody takes": ([{}], 10),
    "a webhook that nobody takes": ([{"to": "quick"}], 10),
    "a lease that ran out five hours ago": ([{"state": "leased", "lease_until": long_ago}], 300),
    "one of a webhook that is slow": ([{"to": "slow", "state": "leased", "lease_until": long_ago}], 300),
    "many to one that hangs": ([{"to": "slow"}] * 3, 0),
    "many to one whose others are under way": ([{"to": "quick", "state": "leased", "lease_until": soon}, {"to": "quick"}], 0),
    "two to different ones, of which one is at it": ([{"to": "quick", "state": "leased", "lease_until": soon}, {}], 10),
    "a mail beside another one to him": ([{"state": "leased", "lease_until": soon}, {}], 0),
    "a lease that runs": ([{"state": "leased", "lease_until": soon}], 0),
    "what waits for its hour": ([{"next_at": soon}], 0),
    "what is settled": ([{"state": "dead"}], 0),
}  # fmt: skip


@pytest.mark.parametrize("case", WAITING)
def test_what_waits_tells_whether_the_workers_work(case: str) -> None:
    waiting, minutes = WAITING[case]
    late(*waiting)
    told = counted()["delivery_oldest_due_seconds"][()]
    assert minutes * 60 <= told < minutes * 60 + 120


def test_what_is_due_is_due_now() -> None:
    late({}, {}, {"next_at": soon}, {"next_at": soon, "mode": "digest"}, {"next_at": soon, "attempts": 3})
    assert counted()["deliveries"] == {("email", "due"): 2, ("email", "waiting"): 3}


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
