"""Carries what is due: claim, look again whether it is true, write the text, send, settle.

How it is sent is given as an argument, so this knows neither transports nor Celery, and runs without both.
"""

import os
import socket
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime

import structlog
from sqlalchemy.exc import DBAPIError

from server import clock, sealing
from server.config import Settings
from server.database import reading, transaction
from server.models import Delivery, WebhookEndpoint
from server.services import answering, digests, letters, notifying, outbox, planning, settling, turns
from server.services.answering import Asked
from server.services.letters import Written
from server.services.outbox import Claim
from server.services.settling import Outcome

log = structlog.get_logger(__name__)

# Sends of one process at the same time, most of them waiting for an answer: a mail server that hangs, and endpoints that
# were slow or failed, hold up nobody but themselves.
ABREAST: dict[outbox.Lane, int] = {"mail": 8, "prompt": 12, "slow": 8}
AT_MOST = 200  # sends of one run
SECONDS = 10.0  # after which a run ends
RECORD_AGAIN = (0.5, 2.0, 5.0, 10.0)  # seconds between the tries to settle: a database restarts within that
PACE = 0.03  # seconds between two looks: where many end, the next ones are claimed together
LOOK_AGAIN = 0.2  # seconds: a slow send must not keep a run from what has become due


@dataclass(frozen=True)
class Parcel:
    """A finished message, ready to be carried."""

    channel: str
    id: str  # Message-ID or webhook-id
    to: str
    body: str
    secrets: tuple[str, ...] = ()
    asks: Asked | None = None  # the decision that its receiver may answer at once


Send = Callable[[Parcel], Outcome]  # never raises what has to do with the receiver


class Lane:
    """So many sends abreast, of the rows of one kind of receivers."""

    def __init__(self, name: outbox.Lane, abreast: int) -> None:
        self._name = name
        self._abreast = abreast
        self._pool = ThreadPoolExecutor(abreast, thread_name_prefix="send")
        self.running: set[Future[None]] = set()

    def load(self, worker: str, at_most: int, send: Send, settings: Settings) -> int:
        """Claims what is due and finds room; returns how many that were."""
        room = min(self._abreast - len(self.running), at_most)
        claims = outbox.claim(worker, room, clock.now(), self._name) if room > 0 else []
        self.running |= {self._pool.submit(carry, claimed, send, settings) for claimed in claims}
        return len(claims)

    def end(self) -> None:
        self._pool.shutdown()


class Dispatcher:
    """The sends of this process. What is still under way when a run ends goes on beside the next run."""

    def __init__(self, send: Send, settings: Settings) -> None:
        self._send = send
        self._settings = settings
        self._lanes = [Lane(name, abreast) for name, abreast in ABREAST.items()]

    def run(self, at_most: int = AT_MOST, seconds: float = SECONDS) -> bool:
        """Send what is due, within bounds. Returns whether more is waiting."""
        worker, ends, carried = f"{socket.gethostname()}:{os.getpid()}", time.monotonic() + seconds, 0
        while carried < at_most and time.monotonic() < ends:
            for lane in self._lanes:
                carried += lane.load(worker, at_most - carried, self._send, self._settings)
            if not any(lane.running for lane in self._lanes):
                return False
            self._wait(LOOK_AGAIN)
        return outbox.anything_due(clock.now())

    def _wait(self, seconds: float | None) -> None:
        """For some to end. What failed (the database is away, say) is only told: its lease will expire."""
        wait([future for lane in self._lanes for future in lane.running], seconds, FIRST_COMPLETED)
        time.sleep(PACE)
        for lane in self._lanes:
            done = {future for future in lane.running if future.done()}
            lane.running -= done
            for error in filter(None, (future.exception() for future in done)):
                log.error("a delivery was left to its lease", error=type(error).__name__)  # its text may quote a letter

    def finish(self) -> None:
        """Waits for what is under way. A dispatcher that has finished sends nothing more."""
        while any(lane.running for lane in self._lanes):
            self._wait(None)
        for lane in self._lanes:
            lane.end()


def run(send: Send, settings: Settings, at_most: int = AT_MOST, seconds: float = SECONDS) -> bool:
    """One run by itself."""
    dispatcher = Dispatcher(send, settings)
    try:
        dispatcher.run(at_most, seconds)
    finally:
        dispatcher.finish()
    return outbox.anything_due(clock.now())


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
        if parcel.asks is not None:
            outcome = answering.take(parcel.asks, outcome)
        _record(claimed, outcome)


def _record(claimed: Claim, outcome: Outcome) -> None:
    """What came of it is known, and is not to be forgotten with a database that is away for a moment: that would be a copy."""
    for pause in RECORD_AGAIN:
        try:
            settling.settle(claimed, outcome, clock.now())
            return
        except DBAPIError as error:
            log.warning("not settled yet", delivery=claimed.delivery_id, error=type(error.orig).__name__)
            time.sleep(pause)
    settling.settle(claimed, outcome, clock.now())


def prepare(claimed: Claim, settings: Settings) -> Parcel | None:
    """The message, with the attempt written; None when there is nothing to send (any more).

    The text is made before the writing transaction: drawing a table is too slow to lock others out meanwhile."""
    written = _written(claimed, settings)
    now = clock.now()
    with transaction() as session:
        delivery = outbox.held(session, claimed)
        if delivery is None or outbox.worn_out(delivery, now):
            return None
        outbox.cut_off(session, delivery, now)
        if outbox.exhausted(delivery):  # it took its workers down with it, again and again
            outbox.close(delivery, "dead", "gave-up", now)
            return None
        turns.hold(session, delivery)
        if reason := notifying.untrue(session, delivery, now):
            outbox.give_up(delivery, reason, now)
            return None
        if night_ends := planning.not_before(session, delivery, now):
            outbox.postpone(delivery, night_ends, "quiet-hours")
            return None
        if written is not None and turns.told_meanwhile(session, delivery, written.tokens):
            outbox.postpone(delivery, now, None)  # to be written anew
            return None
        outbox.begin(session, delivery, now)
        if written is not None and delivery.rendered is None:
            delivery.rendered = written.mail
            session.add_all(written.tokens)
        return _parcel(delivery, notifying.recipient(session, delivery), now)


def _written(claimed: Claim, settings: Settings) -> Written | None:
    """A mail, made at its first attempt and kept for the others; None where there is nothing to make."""
    if claimed.channel != "email":
        return None
    now = clock.now()
    digests.collect(claimed, now)
    with reading() as session:
        delivery = session.get_one(Delivery, claimed.delivery_id)
        if delivery.rendered or notifying.untrue(session, delivery, now):
            return None
        return letters.write(session, delivery, settings, now)


def _parcel(delivery: Delivery, recipient: str | WebhookEndpoint, now: datetime) -> Parcel:
    if isinstance(recipient, WebhookEndpoint):
        return Parcel(
            "webhook",
            delivery.message_id,
            recipient.url,
            (delivery.payload or {})["body"],
            _secrets(recipient, now),
            _asks(delivery, recipient),
        )
    if delivery.rendered is None:
        raise LookupError("became true again between two looks")
    return Parcel("email", delivery.message_id, recipient, delivery.rendered)


def _secrets(endpoint: WebhookEndpoint, now: datetime) -> tuple[str, ...]:
    """The present one first, then those that were replaced less than a day ago."""
    retired = [sealed for sealed, until in (endpoint.retired or {}).items() if datetime.fromisoformat(until) > now]
    return tuple(sealing.unseal(sealed) for sealed in (endpoint.secret_sealed, *retired))


def _asks(delivery: Delivery, endpoint: WebhookEndpoint) -> Asked | None:
    if not endpoint.answers or delivery.kind != "your_turn" or delivery.game_id is None or delivery.decision is None:
        return None
    return Asked(endpoint.account_id, delivery.game_id, delivery.decision)


def _misfire(claimed: Claim, what: str) -> None:
    now = clock.now()
    with transaction() as session:
        delivery = outbox.held(session, claimed)
        if delivery is None:
            return
        outbox.begin(session, delivery, now)
    settling.settle(claimed, Outcome("transient", reply=f"the message could not be made: {what}", ours=True), now)
