"""Kicks: they wake the workers, and no state of the broker makes a request wait."""

import json
import socket
import time
from collections.abc import Iterator

import pytest
import redis

from server import kicking
from server.kicking import Kicker
from tests.workers.processes import eventually
from tests.workers.receivers import peer

LIMIT = 0.005  # seconds that a kick may add to a request
STOLEN = 0.1  # seconds that a busy machine may take from anybody now and then; a broker that is waited for costs two


@pytest.fixture
def broker(broker_url: str) -> Iterator[str]:
    """A database of the broker that nobody else uses."""
    url = broker_url.removesuffix("/0") + "/7"
    with redis.Redis.from_url(url) as client:
        client.flushdb()
        yield url
        client.flushdb()


def assert_quick(kicker: Kicker, kicks: int = 100) -> None:
    """Kicks many times, some of them while the thread is busy failing."""
    took = []
    for _ in range(kicks):
        began = time.perf_counter()
        kicker.kick()
        took.append(time.perf_counter() - began)
        time.sleep(0.005)
    took.sort()
    assert took[int(kicks * 0.95)] < LIMIT
    assert took[-1] < STOLEN


def test_a_kick_puts_one_message_with_a_name_and_an_end_into_the_queue(broker: str) -> None:
    Kicker(broker).kick()
    with redis.Redis.from_url(broker) as client:
        eventually(lambda: client.llen(kicking.QUEUE) == 1)
        message = json.loads(client.lrange(kicking.QUEUE, 0, 0)[0])
    assert message["headers"]["task"] == kicking.TASK
    assert message["headers"]["expires"] is not None
    assert message["headers"]["argsrepr"] == "()", "a message carries nothing that could be secret"


def test_a_thousand_kicks_at_once_are_a_few_messages(broker: str) -> None:
    kicker = Kicker(broker)
    for _ in range(1000):
        kicker.kick()
    with redis.Redis.from_url(broker) as client:
        eventually(lambda: client.llen(kicking.QUEUE) >= 1)
        time.sleep(0.3)
        assert client.llen(kicking.QUEUE) < 50


def test_a_broker_that_answers_costs_a_request_nothing(broker: str) -> None:
    assert_quick(Kicker(broker))


def test_a_broker_that_refuses_costs_a_request_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert_quick(Kicker(f"redis://127.0.0.1:{port}/0", pause=0.05))


def test_a_broker_that_is_half_open_costs_a_request_nothing() -> None:
    with peer(lambda connection: time.sleep(3)) as port:
        assert_quick(Kicker(f"redis://127.0.0.1:{port}/0", pause=0.05))


def test_after_a_failure_the_kicker_rests_and_then_wakes_the_workers_again(
    broker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed: list[float] = []

    def refuse(*_: object, **__: object) -> None:
        failed.append(time.monotonic())
        raise OSError

    kicker = Kicker(broker, pause=0.3)
    with monkeypatch.context() as patch:
        patch.setattr("celery.Celery.send_task", refuse)
        for _ in range(20):
            kicker.kick()
            time.sleep(0.01)
        assert len(failed) == 1, "while it rests it does not knock"
    kicker.kick()
    with redis.Redis.from_url(broker) as client:
        eventually(lambda: client.llen(kicking.QUEUE) >= 1)
