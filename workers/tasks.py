"""Tasks: three lines each, onto a service."""

from typing import Any

from celery import signals

from server.services import auditing, codes, digests, dispatching, forgetting, lobby, mail_tokens, repeating, timers
from server.services.inbound import forgetting as old_letters
from server.services.inbound import settling
from workers import app
from workers.carrying import Carrier
from workers.configuration import settings

EXPIRES = 30  # seconds; by then another wake-up has come

dispatcher = dispatching.Dispatcher(Carrier(settings).send, settings)


@app.task(name="galapost.dispatch")  # type: ignore[untyped-decorator]  # Celery has no types
def dispatch() -> None:
    """Send what is due; if there was more than a run may take, wake the next one."""
    if dispatcher.run():
        dispatch.apply_async(expires=EXPIRES)


@app.task(name="galapost.letters")  # type: ignore[untyped-decorator]  # Celery has no types
def letters() -> None:
    """Settle the letters that came in; if there were more than a run may take, wake the next one."""
    if settling.run():
        letters.apply_async(expires=EXPIRES)


@app.task(name="galapost.sweep")  # type: ignore[untyped-decorator]  # Celery has no types
def sweep() -> None:
    """What has become due by itself: reminders, and digests."""
    timers.sweep()
    if digests.begin():
        dispatch.apply_async(expires=EXPIRES)


@signals.worker_process_shutdown.connect  # type: ignore[untyped-decorator]  # Celery has no types
def _finish(**_: Any) -> None:
    """What is under way is brought to its end, else nobody would know whether it arrived."""
    dispatcher.finish()


@app.task(name="galapost.audit")  # type: ignore[untyped-decorator]  # Celery has no types
def audit() -> None:
    """Play a sample of the stored games again, and cry out where one differs."""
    auditing.run()


@app.task(name="galapost.expire")  # type: ignore[untyped-decorator]  # Celery has no types
def expire() -> None:
    """End the games that did not start in time, and invitations that nobody answered."""
    lobby.expire()


@app.task(name="galapost.forget")  # type: ignore[untyped-decorator]  # Celery has no types
def forget() -> None:
    """Drop what is kept for a time only, and whose time is over."""
    repeating.forget_expired()
    codes.forget_expired()
    mail_tokens.forget_expired()
    forgetting.forget_settled()
    old_letters.forget_old()
