"""Accounts without passwords: a code sent to the address proves it, and buys a token."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from server import clock, kicking
from server.database import transaction
from server.errors import WrongCode
from server.ids import new_id
from server.models import Account, Verification
from server.services import accounts, bounces, codes, names, tokens
from server.services.accounts import PERSONAL_SCOPES, described


def begin(email: str, language: str, came_from: str | None) -> str:
    """Sends a code, and returns the verification's id: the same for known and unknown addresses."""
    with transaction() as session:
        verification = codes.send(session, accounts.normalised(email), language, came_from, clock.now())
    kicking.kick()
    return verification


def prove(verification: str, code: str, name: str | None = None) -> dict[str, Any]:
    """Exchanges a code for a token; makes the account if the address is new. A failed try counts, so it is committed."""
    with transaction() as session:
        now = clock.now()
        proven = codes.spend(session, verification, code, now)
        if not isinstance(proven, WrongCode):
            return _signed_in(session, _account_of(session, proven, name, now), now)
    raise proven


def _signed_in(session: Session, account: Account, now: datetime) -> dict[str, Any]:
    token, text = tokens.make(session, account.id, "sign-in", PERSONAL_SCOPES, tokens.LIFE, now)
    return {"token": text, "scopes": token.scopes, "expires_at": token.expires_at, "account": described(account)}


def _account_of(session: Session, verification: Verification, name: str | None, now: datetime) -> Account:
    """The account of a proven address; to one that exists the wish for a name is nothing."""
    account = session.scalar(select(Account).where(Account.email == verification.email))
    if account is not None:
        bounces.clear(account)  # the code came through
        return account
    if name is not None:
        names.check(name)
    account = Account(
        id=new_id("u"),
        email=verification.email,
        language=verification.language,
        kind="person",
        created_at=now,
        verified_at=now,
    )
    names.give(session, account, name or names.of_a_new_account())
    return account
