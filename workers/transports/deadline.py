"""A deadline for a whole exchange. A socket's timeout bounds one read only, so a peer that drips a byte a second
could hold a worker for ever; here the socket is shut when the time is over, and whoever reads from it gets an error."""

import contextlib
import socket
import threading
import time
from types import TracebackType
from typing import Self


class Deadline:
    """`with Deadline(15) as deadline:` … `deadline.watch(socket)`."""

    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds
        self._timer = threading.Timer(seconds, self._expire)
        self._timer.daemon = True
        self._lock = threading.Lock()
        self._watched: socket.socket | None = None
        self.expired = False

    def left(self) -> float:
        """Seconds to go; never zero, which would mean a socket that does not block."""
        return max(0.001, self._ends - time.monotonic())

    def watch(self, connection: socket.socket) -> None:
        """From now on this connection ends with the deadline, also when TLS puts another socket object in front of it."""
        with self._lock:
            # Not connection.dup(): what TLS has wrapped refuses that.
            self._watched = socket.fromfd(connection.fileno(), connection.family, connection.type)
            if self.expired:
                _shut(self._watched)

    def _expire(self) -> None:
        with self._lock:
            self.expired = True
            if self._watched is not None:
                _shut(self._watched)

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        with self._lock:
            if self._watched is not None:
                self._watched.close()


def _shut(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):  # the peer was quicker
        connection.shutdown(socket.SHUT_RDWR)
