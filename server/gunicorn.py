"""gunicorn's settings: `gunicorn --config server/gunicorn.py wsgi:app`. The reasons are in ARCHITECTURE.md 5."""

import os
import signal
from types import FrameType
from typing import Any

from gunicorn.workers import gthread

bind = os.environ.get("GALAPOST_BIND", f"127.0.0.1:{os.environ.get('GALAPOST_PORT', '8000')}")
worker_class = "server.front.Worker"  # gthread
logger_class = "server.front.Log"
workers = int(os.environ.get("GALAPOST_WEB_PROCESSES", "1"))
threads = 1200  # most of them will be waiting for something to happen
worker_connections = 3000
keepalive = 75
limit_request_line = 8190  # the most there is: what the document lets pass in a query must fit, percent signs and all
graceful_timeout = 30
timeout = 60
control_socket_disable = True
forwarded_allow_ips = ""  # whom a proxy speaks for is found out by server/proxies.py; the path is as it was asked for
# A stopping server leaves kept-alive connections open for a moment, since a request may be on its way. Two seconds, as
# gunicorn has it, would be most of the time that a restart takes.
gthread.STOP_KEEPALIVE_LINGER = 0.5


def post_worker_init(worker: Any) -> None:
    """SIGTERM ends the waits as well: gunicorn itself would wait for them. Metrics are told from here, too."""
    from server import metrics, waking  # not in the master: there it would outlive a reload
    from server.config import Settings

    if (port := Settings.from_env().metrics_port) is not None:
        metrics.serve(port)

    def stop(number: int, frame: FrameType | None) -> None:
        worker.handle_exit(number, frame)  # first: what is asked on these connections from now on is their last request
        waking.end()

    signal.signal(signal.SIGTERM, stop)
    signal.siginterrupt(signal.SIGTERM, False)


def worker_int(worker: Any) -> None:
    """And so do Ctrl-C and SIGQUIT."""
    from server import waking

    waking.end()
