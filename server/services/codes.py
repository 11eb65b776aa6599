"""Codes that prove an address: sent by mail, compared in constant time, good for a while, for a few tries and one use."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from server import clock, sealing
from server.database import transaction
from server.errors import CodeExpired, DomainError, RateLimited, WrongCode
from server.ids import is_id, new_id
from server.models import Verification
from server.said import said
from server.services import notifying

ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789"  # nothing that is read as something else
LENGTH = 8
LIFE = timedelta(minutes=15)
TRIES = 5

MAIL_WINDOW = timedelta(hours=1)
KEPT = timedelta(days=1)  # longer than the limits look back: an address that nobody proved is nobody's we know
MAILS_AN_ADDRESS = 3
MAILS_A_NETWORK = 20


def send(
    session: Session, email: str, language: str, came_from: str | None, now: datetime, account_id: str | None = None
) -> str:
    """Sends a code, and returns the verification's id: the same for known and unknown addresses.

    Beyond the limit of an address no mail goes and nothing is stored (the codes already sent stay valid), and the caller
    can't tell. The limit of his own network he is told. `account_id`: whose address is to become this one; None: somebody
    signs in.
    """
    network = network_of(came_from)
    verification = Verification(id=new_id("v"), email=email, network=network, language=language, account_id=account_id)
    code = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
    _respect_the_network(session, network, now)
    if _mails_since(session, now, Verification.email == email) < MAILS_AN_ADDRESS:
        _keep_and_mail(session, verification, code, now)
    return verification.id


def network_of(address: str | None) -> str | None:
    """The /24 or /48 of a caller. None for this machine itself: that is a proxy in front of us, or a developer."""
    try:
        ip = ip_address(address or "")
    except ValueError:
        return None
    if ip.is_loopback:
        return None
    return str(ip_network(f"{ip}/{24 if ip.version == 4 else 48}", strict=False))


def _respect_the_network(session: Session, network: str | None, now: datetime) -> None:
    if network is not None and _mails_since(session, now, Verification.network == network) >= MAILS_A_NETWORK:
        raise RateLimited(
            said("at most {most:mail|mails} an hour for your network", most=MAILS_A_NETWORK),
            retry_after=int(MAIL_WINDOW.total_seconds()),
        )


def _mails_since(session: Session, now: datetime, whose: Any) -> int:
    recent = select(func.count()).select_from(Verification).where(whose, Verification.created_at > now - MAIL_WINDOW)
    return session.scalar(recent) or 0


def _keep_and_mail(session: Session, verification: Verification, code: str, now: datetime) -> None:
    verification.code_digest = _digest(verification.id, code)
    verification.created_at, verification.expires_at = now, now + LIFE
    session.add(verification)
    session.flush()
    notifying.verification(session, verification, verification.email, code, verification.language, now)


def _digest(verification_id: str, code: str) -> str:
    return sealing.keyed_digest(f"{verification_id} {code.strip().upper()}")


def spend(
    session: Session, verification_id: str, code: str, now: datetime, account_id: str | None = None
) -> Verification | WrongCode:
    """Uses the code up. A wrong one is a try less, and comes back to be raised when that is committed."""
    asked = _still_valid(session, verification_id, account_id, now)
    if sealing.same(asked.code_digest, _digest(asked.id, code)):
        asked.used_at = now
        return asked
    asked.tries += 1
    left = TRIES - asked.tries
    return WrongCode(said("this is not the code that was sent; {left:try|tries} left", left=left), tries_left=left)


def _still_valid(session: Session, verification_id: str, account_id: str | None, now: datetime) -> Verification:
    verification = (
        session.get(Verification, verification_id, with_for_update=True) if is_id("v", verification_id) else None
    )
    if verification is None or verification.account_id != account_id:
        raise WrongCode(said("no such verification is waiting for a code"))
    if reason := _why_void(session, verification, now):
        raise reason
    return verification


def _why_void(session: Session, verification: Verification, now: datetime) -> DomainError | None:
    if verification.used_at is not None or verification.expires_at <= now or verification.tries >= TRIES:
        return CodeExpired(said("this code is too old, was used, or was tried too often"))
    if _newest(session, verification) != verification.id:
        return CodeExpired(said("a newer code was sent to this address"))
    return None


def _newest(session: Session, verification: Verification) -> str | None:
    """For the same purpose: whoever signs in must not spoil another one's change of address."""
    alike = (
        Verification.email == verification.email,
        Verification.account_id.is_not_distinct_from(verification.account_id),
    )
    return session.scalar(
        select(Verification.id).where(*alike).order_by(Verification.created_at.desc(), Verification.id).limit(1)
    )


def forget_expired() -> None:
    """Addresses that were typed, with codes that are void by now."""
    with transaction() as session:
        session.execute(delete(Verification).where(Verification.created_at <= clock.now() - KEPT))
