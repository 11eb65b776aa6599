"""Carries what is due: claim, look again whether it is true, write the text, send, settle.

How it is sent is given as an argument, so this knows neither transports nor Celery, and runs without both.
"""

import os
import socket
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import structlog

from server import clock, sealing
from server.config import Settings
from server.database import reading, transaction
from server.models import Delivery, WebhookEndpoint
from server.services import letters, notifying, outbox
from server.services.outbox import Claim, Outcome

log = structlog.get_logger(__name__)

ABREAST = 16  # sends of one run at the same time, most of them waiting for an answer
AT_MOST = 200  # sends of one run
SECONDS = 10.0  # after which a run claims no more
LOOK_AGAIN = 0.2  # seconds: a slow send must not keep a run from what has become due


@dataclass(frozen=True)
class Parcel:
    """A finished message, ready to be carried."""

    channel: str
    id: str  # Message-ID or webhook-id
    to: str
    body: str
    secret: str | None = None


Send = Callable[[Parcel], Outcome]  # never raises what has to do with the receiver


def run(send: Send, settings: Settings, at_most: int = AT_MOST, seconds: float = SECONDS) -> bool:
    """Send what is due, within bounds. Returns whether more is waiting."""
    worker, ends = f"{socket.gethostname()}:{os.getpid()}", time.monotonic() + seconds
    carried, running = 0, set[Future[None]]()
    with ThreadPoolExecutor(ABREAST, thread_name_prefix="send") as pool:
        while carried < at_most and time.monotonic() < ends:
            room = min(ABREAST - len(running), at_most - carried)
            claims = outbox.claim(worker, room, clock.now()) if room else []
            running |= {pool.submit(carry, claimed, send, settings) for claimed in claims}
            carried += len(claims)
            if not running:
                return False
            running = _still(running)
        while running:
            running = _still(running)
    return outbox.anything_due(clock.now())


def _still(running: set[Future[None]]) -> set[Future[None]]:
    """What runs on after a moment. What failed (the database is away, say) is only told: its lease will expire."""
    done, rest = wait(running, timeout=LOOK_AGAIN, return_when=FIRST_COMPLETED)
    for error in filter(None, (future.exception() for future in done)):
        log.error("a delivery was left to its lease", error=type(error).__name__)  # its text may quote a letter
    return rest


def carry(claimed: Claim, send: Send, settings: Settings) -> None:
    """One row's way out. A fault of ours counts as a failed attempt, so it ends in `dead` and not in a loop."""
    try:
        parcel = prepare(claimed, settings)
    except Exception as error:
        log.exception("a message could not be made", delivery=claimed.delivery_id)
        _misfire(claimed, type(error).__name__)
        return
    if parcel is not None:
        outcome = send(parcel)
        outbox.settle(claimed, outcome, clock.now())


def prepare(claimed: Claim, settings: Settings) -> Parcel | None:
    """The message, with the attempt written; None when there is nothing to send (any more).

    The text is made before the writing transaction: drawing a table is too slow to lock others out meanwhile."""
    text = _text(claimed, settings)
    now = clock.now()
    with transaction() as session:
        delivery = outbox.held(session, claimed)
        if delivery is None or outbox.worn_out(delivery, now):
            return None
        if outbox.exhausted(delivery):  # it took its workers down with it, again and again
            outbox.close(delivery, "dead", "gave-up", now)
            return None
        if reason := notifying.untrue(session, delivery, now):
            outbox.close(delivery, "obsolete", reason, now)
            return None
        outbox.begin(session, delivery, now)
        delivery.rendered = delivery.rendered or text
        return _parcel(delivery, notifying.recipient(session, delivery), settings)


def _text(claimed: Claim, settings: Settings) -> str | None:
    """A mail's text, made at its first attempt and kept for the others; None where there is nothing to make."""
    now = clock.now()
    with reading() as session:
        delivery = session.get_one(Delivery, claimed.delivery_id)
        if delivery.channel != "email" or delivery.rendered or notifying.untrue(session, delivery, now):
            return None
        return letters.write(session, delivery, settings, now)


def _parcel(delivery: Delivery, recipient: str | WebhookEndpoint, settings: Settings) -> Parcel:
    if isinstance(recipient, WebhookEndpoint):
        body = (delivery.payload or {})["body"]
        return Parcel("webhook", delivery.message_id, recipient.url, body, sealing.unseal(recipient.secret_sealed))
    if delivery.rendered is None:
        raise LookupError("became true again between two looks")
    return Parcel("email", delivery.message_id, recipient, delivery.rendered)


def _misfire(claimed: Claim, what: str) -> None:
    now = clock.now()
    with transaction() as session:
        delivery = outbox.held(session, claimed)
        if delivery is None:
            return
        outbox.begin(session, delivery, now)
    outbox.settle(claimed, Outcome("transient", reply=f"the message could not be made: {what}"), now)
