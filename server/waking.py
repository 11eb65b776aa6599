"""Wakes requests that wait for something to happen, as soon as it is committed in this process or in another one.

A request waits for a topic: the id of an account or of a game. A commit wakes the waiters of its own process by itself,
and those of other processes over the broker. While the broker is away a thread looks into the database every second,
for all who wait at once. A topic has a number that grows with every change of it; who has seen a smaller one is woken."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

import structlog
from sqlalchemy.exc import SQLAlchemyError

from server.broadcasting import Broadcast
from server.errors import RateLimited
from server.said import said

log = structlog.get_logger(__name__)

LOOK_EVERY = 1.0  # seconds, while the broker is away
MOST_AN_ACCOUNT = 4
MOST_A_PROCESS = 1100  # of the 1,200 threads in gunicorn.py: some are left for requests that don't wait
SOON = 5  # seconds after which to try again, when nobody knows here when a place will be free

Numbers = Callable[[list[str]], Mapping[str, int]]  # the numbers of these topics, read from the database


class Waiter:
    """One request. `seen` is the number of its topic at its last look."""

    def __init__(self, hall: Hall) -> None:
        self.seen = -1
        self._hall = hall
        self._woken = threading.Event()

    @property
    def is_sent_away(self) -> bool:
        return self._hall.closed

    def wake(self) -> None:
        self._woken.set()

    def wait(self, seconds: float) -> None:
        """Until it is woken, or so long. What wakes it while it looks is not lost."""
        self._woken.wait(max(0.0, seconds))
        self._woken.clear()


class Hall:
    """Those who wait in this process."""

    def __init__(self) -> None:
        self.closed = False
        self._lock = threading.Lock()
        self._waiters: dict[str, set[Waiter]] = {}
        self._places: dict[str, list[float]] = {}  # by account: when each of its waits ends at the latest
        self._taken = 0

    @contextmanager
    def waiter(self, topic: str) -> Iterator[Waiter]:
        """To be woken for this topic from now on."""
        waiter = Waiter(self)
        with self._lock:
            self._waiters.setdefault(topic, set()).add(waiter)
        try:
            yield waiter
        finally:
            with self._lock:
                self._waiters[topic].discard(waiter)
                if not self._waiters[topic]:
                    del self._waiters[topic]

    def topics(self) -> list[str]:
        with self._lock:
            return list(self._waiters)

    def wake(self, topics: Iterable[str]) -> None:
        with self._lock:
            for topic in topics:
                for waiter in self._waiters.get(topic, ()):
                    waiter.wake()

    def wake_outdated(self, numbers: Mapping[str, int]) -> None:
        """Those who have not seen these numbers of their topics."""
        with self._lock:
            for topic, number in numbers.items():
                for waiter in self._waiters.get(topic, ()):
                    if waiter.seen < number:
                        waiter.wake()

    def take(self, account: str, ends: float, elsewhere: int) -> int:
        """A place for a wait until then; gives how many that account has here. `elsewhere`: how many it has there."""
        with self._lock:
            own = self._places.get(account, [])
            if self._taken >= MOST_A_PROCESS:
                raise RateLimited(said("too many requests wait already"), retry_after=SOON)
            if len(own) + elsewhere >= MOST_AN_ACCOUNT:
                detail = said("at most {most:request|requests} of an account wait at a time", most=MOST_AN_ACCOUNT)
                raise RateLimited(detail, retry_after=_seconds_until(min(own)) if own else SOON)
            self._places[account] = [*own, ends]
            self._taken += 1
            return len(own) + 1

    def leave(self, account: str, ends: float) -> int:
        """Gives how many places that account has left here."""
        with self._lock:
            own = self._places[account]
            own.remove(ends)
            self._taken -= 1
            if not own:
                del self._places[account]
            return len(own)

    def close(self) -> None:
        """Ends every wait, those to come as well."""
        self.closed = True
        self.wake(self.topics())


def _seconds_until(moment: float) -> int:
    return max(1, math.ceil(moment - time.monotonic()))


class Waker:
    """The hall of this process, and what wakes those in it."""

    def __init__(self, broker: str, numbers: Numbers) -> None:
        self.hall = Hall()
        self._numbers = numbers
        self.broadcast = Broadcast(broker, heard=self.hall.wake, back=self._look)
        self._starting = threading.Lock()
        self._looks = False

    def begin(self) -> None:
        """The threads start with the first wait: what never waits needs none."""
        with self._starting:
            if not self._looks:
                self._looks = True
                self.broadcast.listen()
                threading.Thread(target=self._keep_looking, name="looker", daemon=True).start()

    def _keep_looking(self) -> None:
        while not self.broadcast.closed:
            if not self.broadcast.hears:
                self._look()
            time.sleep(LOOK_EVERY)

    def _look(self) -> None:
        topics = self.hall.topics()
        try:
            self.hall.wake_outdated(self._numbers(topics) if topics else {})
        except SQLAlchemyError as error:  # those who wait will meet it themselves
            log.warning("nobody could be woken", error=type(error).__name__)


_waker: Waker | None = None


def connect(broker: str, numbers: Numbers) -> None:
    """For this process; to be called after a fork. A second call ends the first."""
    global _waker
    if _waker is not None:
        _waker.hall.close()
        _waker.broadcast.close()
    _waker = Waker(broker, numbers)


def end() -> None:
    """Every wait ends at once. Safe in a handler of a signal: the thread that handles those never waits itself."""
    if _waker is not None:
        _waker.hall.close()


def announce(topics: set[str]) -> None:
    """They have changed, and it is committed. Returns at once, always."""
    if _waker is not None:
        _waker.hall.wake(topics)
        _waker.broadcast.tell_changed(topics)


@contextmanager
def waiter(topic: str) -> Iterator[Waiter]:
    waker = _running()
    waker.begin()
    with waker.hall.waiter(topic) as made:
        yield made


@contextmanager
def place(account: str, ends: float) -> Iterator[None]:
    """One of the places of that account, until that moment of the monotonic clock at the latest."""
    waker = _running()
    waker.broadcast.tell_waits(account, waker.hall.take(account, ends, waker.broadcast.waits_elsewhere(account)))
    try:
        yield
    finally:
        waker.broadcast.tell_waits(account, waker.hall.leave(account, ends))


def _running() -> Waker:
    if _waker is None:
        raise RuntimeError("server.waking.connect(broker, numbers) was not called in this process")
    return _waker
