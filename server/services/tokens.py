"""Tokens: made, shown once, listed, revoked, and read off a request. Stored are digests."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server import clock, sealing
from server.database import reading, transaction
from server.errors import InsufficientScope, NoSuchToken, TokenExpired, TokenRevoked, TokenUnknown, TooManyTokens
from server.ids import base32, is_id, new_id
from server.models import Token
from server.said import said
from server.services import accounts, repeating
from server.services.accounts import Caller
from server.services.repeating import Made

LIFE = timedelta(days=90)
LONGEST_LIFE = timedelta(days=365)
MOST = 50
LAST_USE_GRAIN = timedelta(minutes=5)  # a read shall not cost a write each time


def make(
    session: Session, account_id: str, name: str, scopes: list[str], life: timedelta, now: datetime
) -> tuple[Token, str]:
    """The row, and the text that nobody sees again."""
    text = f"gp_{base32(32)}"
    token = Token(
        id=new_id("t"),
        account_id=account_id,
        prefix=text[:11],
        digest=sealing.digest(text),
        name=name,
        scopes=scopes,
        expires_at=now + life,
        created_at=now,
    )
    session.add(token)
    return token, text


def authenticate(text: str) -> Caller:
    with reading() as session:
        now = clock.now()
        token = session.scalar(select(Token).where(Token.digest == sealing.digest(text)))
        if token is None:
            raise TokenUnknown(said("no such token"))
        if token.revoked_at is not None:
            raise TokenRevoked(said("revoked at {time}", time=token.revoked_at.isoformat()))
        if token.expires_at <= now:
            raise TokenExpired(said("expired at {time}", time=token.expires_at.isoformat()))
    if token.last_used_at is None or token.last_used_at < now - LAST_USE_GRAIN:
        _note_use(token.id, now)
    return Caller(token.account_id, frozenset(token.scopes), token.id)


def _note_use(token_id: str, now: datetime) -> None:
    """Unless it went away between the two looks."""
    with transaction() as session:
        token = session.get(Token, token_id, with_for_update=True)
        if token is not None:
            token.last_used_at = now


def create(caller: Caller, name: str, scopes: list[str], expires_in: timedelta) -> Made:
    """Another token of the caller's own, with no more scopes than the one he uses."""
    _check_scopes(caller, scopes)
    with transaction() as session:
        again = repeating.earlier(session, caller)
        if again is not None:
            return Made(with_secret(repeating.found(session, Token, again), None, caller), again=True)
        account = accounts.lock(session, caller)
        token, text = add(session, account.id, name, scopes, expires_in, clock.now())
        repeating.remember(session, caller, token.id)
    return Made(with_secret(token, text, caller))


def _check_scopes(caller: Caller, scopes: list[str]) -> None:
    missing = sorted(set(scopes) - caller.scopes)
    if missing:
        raise InsufficientScope(said("a token can't give what it has not: {missing}", missing=missing), needed=missing)


def add(
    session: Session, account_id: str, name: str, scopes: list[str], life: timedelta, now: datetime
) -> tuple[Token, str]:
    """To the tokens of an account whose row is locked: two at once shall not both be the last."""
    living = select(func.count()).where(
        Token.account_id == account_id, Token.revoked_at.is_(None), Token.expires_at > now
    )
    if (session.scalar(living) or 0) >= MOST:
        raise TooManyTokens(said("an account has at most {most:token|tokens}", most=MOST))
    return make(session, account_id, name, sorted(set(scopes)), life, now)


def revoke(caller: Caller, token_id: str) -> None:
    with transaction() as session:
        withdraw(session, caller.account_id, token_id, clock.now())


def withdraw(session: Session, account_id: str, token_id: str, now: datetime) -> None:
    token = session.get(Token, token_id, with_for_update=True) if is_id("t", token_id) else None
    if token is None or token.account_id != account_id or token.revoked_at is not None:
        raise NoSuchToken(said("there is no token {token} to revoke", token=token_id[:40]))
    token.revoked_at = now


def described(token: Token, caller: Caller) -> dict[str, Any]:
    return {
        "id": token.id,
        "name": token.name,
        "prefix": token.prefix,
        "scopes": token.scopes,
        "current": token.id == caller.token_id,
        "created_at": token.created_at,
        "expires_at": token.expires_at,
        "last_used_at": token.last_used_at,
    }


def with_secret(token: Token, text: str | None, caller: Caller) -> dict[str, Any]:
    """`text` None: it was shown before, and nobody has it any more."""
    return {**described(token, caller), "token": text}
