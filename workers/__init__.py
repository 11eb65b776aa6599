"""The Celery app. Its messages only wake workers: every promise is a row in the database (`server/services/outbox.py`),
so a message may be lost or come twice, and the broker may be flushed or absent, and nothing is lost but time."""

import logging
import warnings
from typing import Any

import structlog
from celery import Celery, signals
from celery.exceptions import SecurityWarning

from server import database, links, logs, waking
from server.config import Settings
from server.services import waiting

log = structlog.get_logger(__name__)

# Root in a container, or on a machine for trying it out, is the choice of whoever starts us; Celery advises against it
# on every start. What makes it dangerous, messages that are pickles, is not accepted here (`accept_content`).
warnings.filterwarnings("ignore", category=SecurityWarning)

app = Celery("galapost")
app.config_from_object("workers.configuration")


@signals.celeryd_init.connect  # type: ignore[untyped-decorator]  # Celery has no types
@signals.beat_init.connect  # type: ignore[untyped-decorator]  # Celery has no types
def _log_as_the_web_does(**_: Any) -> None:
    logs.configure()


@signals.after_setup_logger.connect  # type: ignore[untyped-decorator]  # Celery has no types
def _be_quiet(**_: Any) -> None:
    """A wake-up every two seconds is no news; what it led to is told by the services."""
    for name in ("celery.worker.strategy", "celery.app.trace", "celery.beat"):
        logging.getLogger(name).setLevel(logging.WARNING)
    # On stopping: a wake-up goes back into the queue and nobody listens any more. That is as it should be.
    logging.getLogger("kombu.transport.virtual.base").setLevel(logging.ERROR)


@signals.worker_process_init.connect  # type: ignore[untyped-decorator]  # Celery has no types
def _prepare(**_: Any) -> None:
    """After the fork: connections can't be shared between processes."""
    from workers.configuration import settings  # not above: importing a transport must not need an installation

    database.connect(settings.database)
    waking.connect(settings.broker, waiting.numbers)
    links.configure(settings.url)


@signals.celeryd_after_setup.connect  # type: ignore[untyped-decorator]  # Celery has no types
def _say_where_things_go(**_: Any) -> None:
    from workers.configuration import settings

    say_where_things_go(settings)


def say_where_things_go(settings: Settings) -> None:
    log.info("mail goes out", to="an SMTP server" if settings.smtp else str(settings.home / "mail"))
    if settings.webhooks_to_loopback:
        log.warning("WEBHOOKS MAY REACH THIS MACHINE: GALAPOST_WEBHOOKS_TO_LOOPBACK is for development only")
