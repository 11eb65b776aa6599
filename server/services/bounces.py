"""What comes back: reports of mail servers (RFC 3464) are read, weighed, and counted against the address.

A report is written by strangers: it is bounded before it is parsed, and what can't be read counts for nothing."""

from __future__ import annotations

import email
from collections.abc import Iterator
from datetime import datetime
from email.message import Message
from email.policy import compat32

import structlog
from sqlalchemy import select
from sqlalchemy.orm import Session

from server import refusals
from server.models import Account, Delivery, MailToken
from server.refusals import LONGEST

log = structlog.get_logger(__name__)

DEAD = 10  # points at which an address is dead
POINTS = {"hard": 10, "soft": 2, "delayed": 0, "none": 0}
RANK = ("hard", "soft", "delayed", "none")  # of several recipients' reports the worst counts

LARGEST = 256 * 1024  # bytes of a report that are read; the mail that came back hangs at its end
MOST_PARTS = 30
MOST_BOUNDARIES = 40  # nested ones cost the parser their number for each line


def take(session: Session, token: MailToken, raw: bytes, now: datetime) -> str:
    """A mail that came to the bounce address of one of ours. Returns what it was: hard, soft, delayed or none."""
    kind, reason = classified(raw)
    if POINTS[kind] and token.account_id is not None:
        account = session.get(Account, token.account_id, with_for_update=True, populate_existing=True)
        if account is not None:
            _count(account, token.address, kind, reason, now)
    return kind


def locked(session: Session, delivery_id: str, outcome: str) -> Account | None:
    """The reader of a mail, where what came of it counts for or against his address. Locked before the row of the mail, as
    by whoever deletes or changes an account."""
    if outcome not in ("sent", "permanent"):
        return None
    wanted = select(Account).join(Delivery, Delivery.account_id == Account.id)
    wanted = wanted.where(Delivery.id == delivery_id, Delivery.channel == "email")
    if outcome == "sent":
        wanted = wanted.where(Account.mail_score > 0)
    return session.scalar(wanted.with_for_update(of=Account, key_share=True).execution_options(populate_existing=True))


def refused(account: Account, delivery: Delivery, reply: str, now: datetime) -> None:
    """The receiving server said at once that nobody lives there."""
    _count(account, delivery.address or account.email, "hard", reply, now)


def accepted(account: Account) -> None:
    """One point off: servers that accept first and complain later still come to their sum."""
    account.mail_score -= 1


def clear(account: Account) -> None:
    """The address was just proven, or is another one."""
    account.version += account.mail_dead_at is not None
    account.mail_score, account.mail_dead_at, account.mail_dead_reason = 0, None, None


def _count(account: Account, address: str | None, kind: str, reason: str, now: datetime) -> None:
    if account.email is None or account.email != address:
        return  # it has another one by now
    account.mail_score += POINTS[kind]
    if account.mail_score >= DEAD and account.mail_dead_at is None:
        account.mail_dead_at, account.mail_dead_reason = now, reason[:LONGEST]
        account.version += 1
        log.info("an address is dead", account=account.id, kind=kind)


def classified(raw: bytes) -> tuple[str, str]:
    """What a report says, and its words; never raises."""
    found = [_judged(fields) for fields in _recipients(raw[:LARGEST])]
    return min(found, key=lambda each: RANK.index(each[0]), default=("none", ""))


def _judged(fields: dict[str, str]) -> tuple[str, str]:
    action, status, diagnosis = (fields.get(name, "") for name in ("action", "status", "diagnostic-code"))
    said = f"{status} {diagnosis}".strip()
    if action == "delayed":
        return "delayed", said
    if action != "failed":
        return "none", said
    return ("hard" if refusals.of_the_address(diagnosis, status) else "soft"), said


def _recipients(raw: bytes) -> Iterator[dict[str, str]]:
    """The fields of each recipient in the machine's part of a report, in lower case."""
    for block in _blocks(raw):
        try:
            fields = {name.lower(): " ".join(str(value).split())[:LONGEST] for name, value in block.items()}
        except Exception:  # the library promises nothing of headers that are none
            continue
        if "action" in fields:
            fields["action"] = fields["action"].lower()
            yield fields


def _blocks(raw: bytes) -> Iterator[Message]:
    if raw.lower().count(b"boundary") > MOST_BOUNDARIES:
        return
    try:
        report = email.message_from_bytes(raw, policy=compat32)
        parts = [part for _, part in zip(range(MOST_PARTS), report.walk(), strict=False)]
        blocks = [part.get_payload() for part in parts if part.get_content_type() == "message/delivery-status"]
    except Exception:  # the parser promises not to raise, and does
        return
    for below in blocks:
        yield from (block for block in below if isinstance(block, Message)) if isinstance(below, list) else ()
