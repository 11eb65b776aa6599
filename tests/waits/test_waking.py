"""Whoever waits is woken, whatever state the broker is in; two wakers here are two processes."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from launch import broker, leash
from launch.ports import free_port
from server import broadcasting
from server.errors import RateLimited
from server.waking import MOST_AN_ACCOUNT, Waker
from tests.workers.processes import eventually

AT_ONCE = 0.5  # seconds; nobody who looks every second is so quick each time
SOON = 6.0  # seconds: until silence is noticed, and a look


class House:
    """The broker of these tests' own, which they may stop, and what the database would say of the topics."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.numbers: dict[str, int] = {}
        self.wakers: list[Waker] = []
        self.start()

    def start(self) -> None:
        self.broker = leash.start(broker.command(self.port, self.folder), cwd=self.folder)
        eventually(lambda: broker.answers(self.port))

    def stop(self) -> None:
        self.broker.kill()
        self.broker.wait(10)

    def waker(self) -> Waker:
        made = Waker(broker.url(self.port), lambda topics: {topic: self.numbers.get(topic, 0) for topic in topics})
        made.begin()
        self.wakers.append(made)
        return made

    def commit(self, topic: str, by: Waker) -> None:
        self.numbers[topic] = self.numbers.get(topic, 0) + 1
        by.hall.wake({topic})
        by.broadcast.tell_changed({topic})


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    yield made
    for waker in made.wakers:
        waker.broadcast.close()
    made.broker.kill()
    made.broker.wait(10)


def seconds_until_woken(house: House, waits: Waker, commits: Waker, topic: str = "g_1") -> float:
    with waits.hall.waiter(topic) as waiter:
        waiter.seen = house.numbers.get(topic, 0)
        began = time.monotonic()
        house.commit(topic, by=commits)
        waiter.wait(SOON)
        took = time.monotonic() - began
    assert took < SOON, "it was not woken"
    return took


def hears(*wakers: Waker) -> None:
    eventually(lambda: all(waker.broadcast.hears for waker in wakers))


def test_a_commit_of_another_process_wakes_at_once(house: House) -> None:
    one, other = house.waker(), house.waker()
    hears(one, other)
    assert max(seconds_until_woken(house, one, other) for _ in range(20)) < AT_ONCE


def test_a_commit_of_the_same_process_wakes_without_the_broker(house: House) -> None:
    house.stop()
    waker = house.waker()
    assert max(seconds_until_woken(house, waker, waker) for _ in range(20)) < AT_ONCE


def test_a_commit_wakes_nobody_who_waits_for_something_else(house: House) -> None:
    waker = house.waker()
    hears(waker)
    with waker.hall.waiter("g_2") as waiter:
        waiter.seen = 0
        house.commit("g_1", by=waker)
        began = time.monotonic()
        waiter.wait(0.3)
        assert time.monotonic() - began >= 0.3


def test_what_happens_between_the_look_and_the_wait_is_not_missed(house: House) -> None:
    waker = house.waker()
    with waker.hall.waiter("g_1") as waiter:
        waiter.seen = 0
        house.commit("g_1", by=waker)
        began = time.monotonic()
        waiter.wait(SOON)
        assert time.monotonic() - began < AT_ONCE


def test_a_broker_that_refuses_is_done_without_and_used_again_when_it_is_back(house: House) -> None:
    one, other = house.waker(), house.waker()
    hears(one, other)
    house.stop()
    eventually(lambda: not one.broadcast.hears)
    assert seconds_until_woken(house, one, other) < SOON
    house.start()
    hears(one, other)
    seconds_until_woken(house, one, other)  # what could not be told before comes first
    assert max(seconds_until_woken(house, one, other) for _ in range(5)) < AT_ONCE


def test_a_broker_that_is_stopped_half_open_is_done_without_and_used_again_when_it_goes_on(house: House) -> None:
    one, other = house.waker(), house.waker()
    hears(one, other)
    os.kill(house.broker.pid, signal.SIGSTOP)
    try:
        assert seconds_until_woken(house, one, other) < SOON, "also by one who does not know it yet"
        assert not one.broadcast.hears
        assert seconds_until_woken(house, one, other) < SOON
    finally:
        os.kill(house.broker.pid, signal.SIGCONT)
    hears(one, other)
    time.sleep(2 * broadcasting.PAUSE)
    assert seconds_until_woken(house, one, other) < AT_ONCE


def test_a_broker_that_is_flushed_goes_on_waking(house: House) -> None:
    one, other = house.waker(), house.waker()
    hears(one, other)
    with redis.Redis.from_url(broker.url(house.port)) as client:
        client.flushall()
    assert seconds_until_woken(house, one, other) < AT_ONCE


def test_what_was_committed_while_nobody_heard_wakes_when_the_broker_is_back(house: House) -> None:
    waker = house.waker()
    hears(waker)
    waker._numbers = lambda topics: dict.fromkeys(topics, 1)
    with waker.hall.waiter("g_1") as waiter:
        waiter.seen = 0
        waker._look()
        began = time.monotonic()
        waiter.wait(SOON)
        assert time.monotonic() - began < AT_ONCE


def test_no_state_of_the_broker_holds_up_a_commit(house: House) -> None:
    waker = house.waker()
    hears(waker)
    os.kill(house.broker.pid, signal.SIGSTOP)
    try:
        took = []
        for number in range(200):
            began = time.perf_counter()
            house.commit(f"g_{number}", by=waker)
            took.append(time.perf_counter() - began)
            time.sleep(0.005)
    finally:
        os.kill(house.broker.pid, signal.SIGCONT)
    took.sort()
    assert took[190] < 0.005
    assert took[-1] < 0.1


def test_what_could_not_be_told_is_bounded() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    waker = Waker(broker.url(port), dict.fromkeys)
    for number in range(3 * broadcasting.MOST):
        waker.broadcast.tell_changed({f"g_{number}"})
    assert len(waker.broadcast._changed) <= broadcasting.MOST
    waker.broadcast.close()


def test_four_wait_and_the_fifth_is_told_when_to_come_again(house: House) -> None:
    hall = house.waker().hall
    ends = time.monotonic() + 30
    for wait in range(MOST_AN_ACCOUNT):
        hall.take("u_1", ends + wait, elsewhere=0)
    with pytest.raises(RateLimited) as refused:
        hall.take("u_1", ends, elsewhere=0)
    assert refused.value.members["retry_after"] in (29, 30)
    hall.take("u_2", ends, elsewhere=0)
    hall.leave("u_1", ends)
    hall.take("u_1", ends, elsewhere=0)


def test_those_who_wait_in_another_process_count(house: House) -> None:
    one, other = house.waker(), house.waker()
    hears(one, other)
    other.broadcast.tell_waits("u_1", 3)
    eventually(lambda: one.broadcast.waits_elsewhere("u_1") == 3)
    other.broadcast.tell_waits("u_1", 0)
    eventually(lambda: one.broadcast.waits_elsewhere("u_1") == 0)


def test_the_end_wakes_all(house: House) -> None:
    hall = house.waker().hall
    with hall.waiter("g_1") as waiter, hall.waiter("u_1") as another:
        hall.close()
        began = time.monotonic()
        waiter.wait(SOON)
        another.wait(SOON)
        assert time.monotonic() - began < AT_ONCE


def test_who_comes_later_learns_who_waits_already_and_who_was_away_what_has_changed(house: House) -> None:
    one = house.waker()
    hears(one)
    one.broadcast.tell_waits("u_1", 3)
    other = house.waker()
    eventually(lambda: other.broadcast.waits_elsewhere("u_1") == 3)
    house.stop()
    eventually(lambda: other.broadcast.waits_elsewhere("u_1") == 0)
    one.broadcast.tell_waits("u_1", 0)
    one.broadcast.tell_waits("u_2", 2)
    house.start()
    eventually(lambda: other.broadcast.waits_elsewhere("u_2") == 2)
    assert other.broadcast.waits_elsewhere("u_1") == 0
