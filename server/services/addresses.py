"""What is kept of addresses that were written to uninvited: digests, since most of them are of nobody whom we know."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from server import sealing
from server.database import one_at_a_time
from server.models import Invitation, NeverInvite


def digest(address: str) -> str:
    return sealing.keyed_digest(f"address {address}")


def mails_since(session: Session, address: str, since: datetime) -> int:
    """How many invitations went to the address of that digest. Until the end of the transaction nobody else counts them."""
    one_at_a_time(session, f"mails to {address}")
    sent = select(func.count()).where(Invitation.email_digest == address, Invitation.mailed_at > since)
    return session.scalar(sent) or 0


def wants_none(session: Session, address: str) -> bool:
    return session.get(NeverInvite, address) is not None


def never_again(session: Session, address: str, now: datetime) -> None:
    """No invitation is ever sent to the address of that digest. Said twice, even at once, it is the same."""
    try:
        with session.begin_nested():
            session.add(NeverInvite(email_digest=address, created_at=now))
    except IntegrityError:
        return  # it is known already
