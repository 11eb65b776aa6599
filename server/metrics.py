"""`/metrics` for Prometheus, on a loopback port of its own: what is due, how old, what became of attempts.

Of `galapost_deliveries` those in the state `due` could be sent at this moment; what waits for its hour, its digest or its next
try is `waiting`. Numbers are looked up when they are asked for, so any process may tell them. No name, address, token or card
is in them.
"""

from __future__ import annotations

from collections.abc import Iterable

import structlog
from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError

from server.services import counting

LOOPBACK = "127.0.0.1"

log = structlog.get_logger(__name__)


class Database(Collector):
    """What the database tells; when it is away, that alone."""

    def collect(self) -> Iterable[Metric]:
        try:
            counts = counting.counts()
        except SQLAlchemyError as error:
            log.warning("metrics without a database", error=type(error).__name__)
            yield GaugeMetricFamily("galapost_database_up", "Whether the database answers.", 0)
            return
        yield GaugeMetricFamily("galapost_database_up", "Whether the database answers.", 1)
        yield from map(_family, counts)


def _family(count: counting.Count) -> Metric:
    family = GaugeMetricFamily(f"galapost_{count.name}", count.about, labels=count.labels)
    for values, number in count.numbers.items():
        family.add_metric(values, number)
    return family


def serve(port: int) -> None:
    """From a thread of its own. A port that is taken (by another process of this server, say) is no reason to stop."""
    registry = CollectorRegistry()
    registry.register(Database())
    try:
        start_http_server(port, LOOPBACK, registry)
    except OSError as error:
        log.warning("no metrics from this process", port=port, error=error.strerror)
