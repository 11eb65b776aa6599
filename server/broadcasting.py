"""Between the processes of one installation: what has changed, and how many requests wait where. Over the broker, and only
as hints: a lost one costs latency.

No request waits for the broker, whatever state that is in: one thread tells, another one listens."""

from __future__ import annotations

import contextlib
import itertools
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import orjson
import redis
import structlog

log = structlog.get_logger(__name__)

CHANNEL = "galapost:changed"
PATIENCE = 1.0  # seconds for one exchange with the broker, and of silence before it is asked whether it is there
PAUSE = 1.0  # seconds of rest after a failure
MOST = 10_000  # topics that wait to be told
FORGET = 65.0  # seconds after which the number of another process' waits is out of date: no wait is longer than 60


class Broadcast:
    """`heard`: called with what changed elsewhere; `back`: called when it may have missed something, and now hears again."""

    def __init__(self, broker: str, heard: Callable[[Iterable[str]], None], back: Callable[[], None]) -> None:
        self.hears = False
        self.closed = False
        self._broker, self._heard, self._back = broker, heard, back
        self._name = secrets.token_hex(8)  # of this process, to tell its own words from others'
        self._lock = threading.Lock()
        self._something = threading.Event()
        self._changed: set[str] = set()
        self._waits: dict[str, int] = {}  # what is to be told of them
        self._waits_here: dict[str, int] = {}
        self._greets = False
        self._elsewhere: dict[
            str, dict[str, tuple[int, float]]
        ] = {}  # account → process → how many, and when it said so
        self._teller: threading.Thread | None = None

    def listen(self) -> None:
        threading.Thread(target=self._listen, name="listener", daemon=True).start()

    def close(self) -> None:
        """Its threads end, a little later."""
        self.closed = True
        self._something.set()

    def tell_changed(self, topics: set[str]) -> None:
        with self._lock:
            if len(self._changed) < MOST:
                self._changed |= topics
        self._say()

    def tell_waits(self, account: str, count: int) -> None:
        """How many requests of that account wait in this process."""
        with self._lock:
            if len(self._waits) < MOST:
                self._waits[account] = count
            self._waits_here[account] = count
            if not count:
                del self._waits_here[account]
        self._say()

    def waits_elsewhere(self, account: str) -> int:
        """As far as it was heard: nothing, while the broker is away."""
        if not self.hears:
            return 0
        now = time.monotonic()
        with self._lock:
            told = self._elsewhere.pop(account, {})
            recent = {process: (count, at) for process, (count, at) in told.items() if now - at < FORGET}
            if recent:
                self._elsewhere[account] = recent
            return sum(count for count, _ in recent.values())

    def _say(self) -> None:
        with self._lock:
            if self._teller is None:
                self._teller = threading.Thread(target=self._tell, name="teller", daemon=True)
                self._teller.start()
        self._something.set()

    def _tell(self) -> None:
        with _client(self._broker) as client:
            while not self.closed:
                self._something.wait()
                self._something.clear()
                changed, waits, greets = self._taken()
                try:
                    client.publish(CHANNEL, orjson.dumps([self._name, list(changed), waits, greets]))
                except (redis.RedisError, OSError):
                    self._put_back(changed, waits)
                    time.sleep(PAUSE)

    def _taken(self) -> tuple[set[str], dict[str, int], bool]:
        with self._lock:
            taken = self._changed, self._waits, self._greets
            self._changed, self._waits, self._greets = set(), {}, False
            return taken

    def _put_back(self, changed: set[str], waits: dict[str, int]) -> None:
        """Late is better than never; what was said since then stands."""
        with self._lock:
            self._changed.update(itertools.islice(changed, max(0, MOST - len(self._changed))))
            self._waits = {**waits, **self._waits}
        self._something.set()

    def _listen(self) -> None:
        while not self.closed:
            try:
                with _client(self._broker) as client, client.pubsub() as channel:
                    channel.subscribe(CHANNEL)
                    for message in _messages(channel):
                        self._hear(message)
                        if self.closed:
                            return
            except (redis.RedisError, OSError) as error:
                if self.hears:
                    log.warning("the broker is away: what waits looks every second", error=type(error).__name__)
            self.hears = False
            time.sleep(PAUSE)

    def _hear(self, message: dict[str, Any]) -> None:
        if message["type"] == "subscribe":
            with self._lock:
                self._elsewhere.clear()  # it may be otherwise by now
            self.hears = True
            self._tell_all_waits(greets=True)
            self._back()
        elif message["type"] == "message":
            name, changed, waits, greets = orjson.loads(message["data"])
            if name != self._name:
                self._keep(name, waits)
                self._heard(changed)
                if greets:
                    self._tell_all_waits()

    def _tell_all_waits(self, greets: bool = False) -> None:
        """Who has just come knows nobody, and wants to: it greets, and the others answer."""
        with self._lock:
            self._waits |= self._waits_here
            self._greets = self._greets or greets
        self._say()

    def _keep(self, name: str, waits: dict[str, int]) -> None:
        now = time.monotonic()
        with self._lock:
            for account, count in waits.items():
                if count:
                    self._elsewhere.setdefault(account, {})[name] = (count, now)
                else:
                    self._elsewhere.get(account, {}).pop(name, None)


def _messages(channel: Any) -> Iterator[dict[str, Any]]:
    """As they come. A broker that is silent is asked; one that is silent then is away: TimeoutError."""
    asked = False
    while True:
        message = channel.get_message(timeout=PATIENCE)
        if message is not None:
            asked = False
            yield message
        elif asked:
            raise TimeoutError("the broker does not answer")
        else:
            asked = True
            channel.ping()


def _client(broker: str) -> Any:
    patience = {"socket_timeout": PATIENCE, "socket_connect_timeout": PATIENCE}
    return contextlib.closing(redis.Redis.from_url(broker, retry=None, **patience))
