"""Letters that came in are looked at, acted on, and answered: each once, whoever is killed meanwhile.

A letter is claimed for a while, so that two workers do not meet over it. What it orders is done by the services that the API
uses; all of these can be told the same again without doing it again (the number of the decision, a key of its own for what
is said at the table), so whoever takes up a letter that somebody else did not bring to its end starts at its beginning.
The verdict and the mails that tell it are then written in one transaction. A letter that fails again and again is kept in
quarantine: neither lost nor in the way."""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog
from sqlalchemy import select
from sqlalchemy.orm import Session

from server import clock, kicking
from server.database import reading, transaction
from server.models import Account, Letter, MailToken
from server.services.inbound import judging, replying, sorting
from server.services.inbound.reading import read
from server.services.inbound.verdicts import Case, Verdict

log = structlog.get_logger(__name__)

AT_ONCE = 50  # of one run
LEASE = timedelta(minutes=2)  # longer than a task may take
MOST_TRIES = 8
PAUSE = timedelta(seconds=15)  # after the first failure; then twice as long each time


def run() -> bool:
    """Settles what waits; returns whether there may be more."""
    waiting = _waiting(clock.now())
    for letter_id in waiting:
        settle(letter_id, clock.now())
    return len(waiting) == AT_ONCE


def _waiting(now: datetime) -> list[str]:
    due = select(Letter.id).where(Letter.state == "received", Letter.next_at <= now)
    with reading() as session:
        return list(session.scalars(due.order_by(Letter.received_at, Letter.id).limit(AT_ONCE)))


def settle(letter_id: str, now: datetime) -> str | None:
    """What became of it, in a word; None when somebody else has it, or it failed and is tried again later."""
    letter = _claim(letter_id, now)
    if letter is None:
        return None
    if letter.state == "quarantined":
        return letter.outcome
    try:
        outcome = _conclude(letter, _judged(letter, now), now)
    except Exception:
        log.exception("a letter could not be settled", letter=letter.id, tries=letter.tries)
        _put_off(letter, now)
        return None
    kicking.kick()
    log.info("letter settled", letter=letter.id, kind=letter.kind, outcome=outcome)
    return outcome


def _claim(letter_id: str, now: datetime) -> Letter | None:
    """The try is counted before it is made: one that kills its worker counts, too."""
    with transaction() as session:
        wanted = select(Letter).where(Letter.id == letter_id, Letter.state == "received", Letter.next_at <= now)
        letter = session.scalar(wanted.with_for_update(skip_locked=True))
        if letter is None:
            return None
        if letter.tries >= MOST_TRIES:
            letter.state, letter.outcome, letter.settled_at = "quarantined", "failed", now
            log.error("a letter is in quarantine", letter=letter.id)
        else:
            letter.tries, letter.next_at = letter.tries + 1, now + LEASE
        return letter


def _put_off(letter: Letter, now: datetime) -> None:
    try:
        with transaction() as session:
            row = session.get(Letter, letter.id, with_for_update=True)
            if row is not None and row.state == "received":
                row.next_at = now + PAUSE * 2 ** (letter.tries - 1)
    except Exception:  # the database is away: the lease will end
        log.exception("a letter waits for its lease to end", letter=letter.id)


def _judged(letter: Letter, now: datetime) -> Verdict:
    case = _case(letter, now)
    if case is None:
        return Verdict("dropped", "token-gone")  # its account was deleted, or it was too old
    with reading() as session:
        verdict = judging.at_first_sight(session, case)
    return verdict or sorting.act(case)


def _case(letter: Letter, now: datetime) -> Case | None:
    said = read(letter.raw or b"")
    with reading() as session:
        token = session.get(MailToken, letter.token_digest)
        if token is None:
            return None
        account = _account_of(session, token)
        session.expunge_all()  # they stay as they were read
        return Case(letter, token, account, said, judging.commands_of(said), now)


def _account_of(session: Session, token: MailToken) -> Account | None:
    """An invitation to an address is its account's, if it has one by now."""
    if token.account_id is not None:
        return session.get(Account, token.account_id)
    if token.address is None:
        return None
    return session.scalar(select(Account).where(Account.email == token.address))


def _conclude(letter: Letter, verdict: Verdict, now: datetime) -> str | None:
    """In one transaction: what became of it, and the mails that say so."""
    account_id = verdict.account_id or letter.account_id
    with transaction() as session:
        if account_id is not None:  # before the letter, as by whoever deletes an account
            session.get(Account, account_id, with_for_update=True)
        row = session.get(Letter, letter.id, with_for_update=True)
        if row is None or row.state != "received":
            return None
        detail = verdict.also(session) if verdict.also is not None else None
        row.state, row.outcome, row.detail = verdict.state, verdict.outcome, detail or verdict.detail
        row.account_id, row.settled_at = account_id, now
        if verdict.state in ("settled", "dropped"):
            row.raw = None
        for mail in verdict.mails:
            replying.post(session, row, mail, now)
    kicking.kick(kicking.LETTERS)  # it may have released another one
    return verdict.outcome
