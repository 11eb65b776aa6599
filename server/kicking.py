"""Wakes the workers after a commit. A kick is a hint: losing one costs latency only, since beat wakes them too.

A request must never wait for the broker, whatever state that is in. So a thread of its own sends the kicks, out of a
queue of one: while one waits to be sent, another would say nothing new."""

import contextlib
import os
import queue
import threading
import time

import kombu.transport.redis  # noqa: F401  else the first kick imports it, and holds up whatever runs beside it
import structlog
from celery import Celery

from server.config import Settings

log = structlog.get_logger(__name__)

TASK = "galapost.dispatch"
LETTERS = "galapost.letters"  # mail came in
QUEUE = "galapost"
EXPIRES = 30  # seconds
PATIENCE = 2  # seconds for one exchange with the broker
PAUSE = 5.0  # seconds of rest after a failure


class Kicker:
    """Of one task."""

    def __init__(self, broker: str, pause: float = PAUSE, task: str = TASK) -> None:
        self._broker = broker
        self._task = task
        self._pause = pause
        self._wanted: queue.Queue[None] = queue.Queue(maxsize=1)
        threading.Thread(target=self._work, name="kicker", daemon=True).start()

    def kick(self) -> None:
        """Returns at once, always."""
        with contextlib.suppress(queue.Full):  # the one that waits will do for both
            self._wanted.put_nowait(None)

    def _work(self) -> None:
        app = _client(self._broker)
        while True:
            self._wanted.get()
            try:
                app.send_task(self._task, queue=QUEUE, expires=EXPIRES, retry=False)
            except Exception as error:
                log.warning("the workers could not be woken", error=type(error).__name__)
                time.sleep(self._pause)


def _client(broker: str) -> Celery:
    app = Celery("galapost-kicks", broker=broker, set_as_current=False)
    app.conf.update(
        task_ignore_result=True,
        broker_connection_timeout=PATIENCE,
        broker_transport_options={"socket_timeout": PATIENCE, "socket_connect_timeout": PATIENCE, "max_retries": 0},
    )
    return app


_kickers: dict[str, Kicker] = {}
_owner: int | None = None
_starting = threading.Lock()


def kick(task: str = TASK) -> None:
    """Wake the workers of this installation. To be called after the commit."""
    global _kickers, _owner
    # The first kick of this process; a thread does not survive a fork.
    if _owner != os.getpid() or task not in _kickers:
        with _starting:
            if _owner != os.getpid():
                _kickers, _owner = {}, os.getpid()
            if task not in _kickers:
                _kickers[task] = Kicker(Settings.from_env().broker, task=task)
    _kickers[task].kick()
