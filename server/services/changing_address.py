"""Another address for an account: a code proves the new one, and the old one is told."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import delete, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from server import clock, kicking
from server.database import transaction
from server.errors import AddressTaken, WrongCode
from server.models import Account, Delivery, Verification
from server.said import said
from server.services import accounts, bounces, codes, notifying
from server.services.accounts import Caller, described


def begin(caller: Caller, email: str, came_from: str | None) -> str:
    """Sends a code to the new address. Whether somebody has it already nobody learns but who reads its mail."""
    with transaction() as session:
        account = accounts.lock(session, caller)
        email = accounts.normalised(email)
        verification = codes.send(session, email, account.language, came_from, clock.now(), account.id)
    kicking.kick()
    return verification


def prove(caller: Caller, verification: str, code: str) -> dict[str, Any]:
    """Makes the proven address that of the account. A failed try counts, so it is committed."""
    with transaction() as session:
        now = clock.now()
        account = accounts.lock(session, caller)
        proven = codes.spend(session, verification, code, now, account.id)
        if not isinstance(proven, WrongCode):
            _move(session, account, proven, now)
    if isinstance(proven, WrongCode):
        raise proven
    kicking.kick()
    return described(account)


def _move(session: Session, account: Account, proven: Verification, now: datetime) -> None:
    old = account.email
    if old == proven.email:
        return
    account.email, account.verified_at = proven.email, now
    account.version += 1
    bounces.clear(account)
    _flush(session)
    if old is not None:
        _hand_down(session, account, old)
        notifying.email_changed(session, account, old, proven, now)


def _hand_down(session: Session, account: Account, old: str) -> None:
    """What was kept by the old address alone is the account's from now on; codes that went there sign nobody in."""
    session.execute(delete(Verification).where(Verification.email == old, Verification.account_id.is_(None)))
    mails = update(Delivery).where(Delivery.address == old, Delivery.account_id.is_(None))
    session.execute(mails.values(account_id=account.id), execution_options={"synchronize_session": False})


def _flush(session: Session) -> None:
    """The database decides who has an address; raising rolls the use of the code back."""
    try:
        session.flush()
    except IntegrityError as error:
        raise AddressTaken(said("another account has this address; sign in with it to get there")) from error
