"""Tasks: three lines each, onto a service."""

from server.services import auditing, dispatching
from workers import app
from workers.carrying import Carrier
from workers.configuration import settings

EXPIRES = 30  # seconds; by then another wake-up has come

carrier = Carrier(settings)


@app.task(name="galapost.dispatch")  # type: ignore[untyped-decorator]  # Celery has no types
def dispatch() -> None:
    """Send what is due; if there was more than a run may take, wake the next one."""
    if dispatching.run(carrier.send, settings):
        dispatch.apply_async(expires=EXPIRES)


@app.task(name="galapost.audit")  # type: ignore[untyped-decorator]  # Celery has no types
def audit() -> None:
    """Play a sample of the stored games again, and cry out where one differs."""
    auditing.run()
