"""Accounts without passwords: a code sent to the address proves it, and buys a token."""

from __future__ import annotations

import secrets
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network
from typing import Any, NoReturn

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from server import clock, kicking, sealing
from server.database import reading, transaction
from server.errors import (
    CodeExpired,
    InsufficientScope,
    InvalidBody,
    NameTaken,
    RateLimited,
    TokenExpired,
    TokenRevoked,
    TokenUnknown,
    WrongCode,
)
from server.ids import base32, is_id, new_id
from server.models import Account, Token, Verification
from server.models.names import name_key
from server.services import notifying

SCOPES = ("account", "games:read", "games:play", "webhooks", "bots", "admin")
PERSONAL_SCOPES = [scope for scope in SCOPES if scope != "admin"]

TOKEN_LIFE = timedelta(days=90)
LAST_USE_GRAIN = timedelta(minutes=5)  # a read shall not cost a write each time

CODE_ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789"  # nothing that is read as something else
CODE_LENGTH = 8
CODE_LIFE = timedelta(minutes=15)
CODE_TRIES = 5

SHORTEST_NAME = 2
RESERVED = frozenset(("admin", "galapost", "house", "me", "nobody", "spectator", "system"))

MAIL_WINDOW = timedelta(hours=1)
MAILS_AN_ADDRESS = 3
MAILS_A_NETWORK = 20


@dataclass(frozen=True)
class Caller:
    """Who asks, and what his token allows."""

    account_id: str
    scopes: frozenset[str]

    def needs_one_of(self, *scopes: str) -> None:
        if self.scopes.isdisjoint(scopes):
            raise InsufficientScope(
                f"needs {' or '.join(scopes)}; this token has {', '.join(sorted(self.scopes))}", needed=list(scopes)
            )


def begin(email: str, language: str, address: str | None) -> str:
    """Sends a code, and returns the verification's id: the same for known and unknown addresses.

    Beyond the limit of an address no mail goes and nothing is stored (the codes already sent stay valid), and the caller
    can't tell. The limit of his own network he is told.
    """
    email = normalised(email)
    verification = Verification(id=new_id("v"), email=email, network=network_of(address), language=language)
    code = "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH))
    with transaction() as session:
        now = clock.now()
        _respect_the_network(session, verification.network, now)
        if _mails_since(session, now, Verification.email == email) < MAILS_AN_ADDRESS:
            _send_code(session, verification, code, now)
    kicking.kick()
    return verification.id


def normalised(email: str) -> str:
    return unicodedata.normalize("NFC", email).strip().lower()


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
            f"at most {MAILS_A_NETWORK} mails an hour for your network", retry_after=int(MAIL_WINDOW.total_seconds())
        )


def _mails_since(session: Session, now: datetime, whose: Any) -> int:
    recent = select(func.count()).select_from(Verification).where(whose, Verification.created_at > now - MAIL_WINDOW)
    return session.scalar(recent) or 0


def _send_code(session: Session, verification: Verification, code: str, now: datetime) -> None:
    verification.code_digest = _code_digest(verification.id, code)
    verification.created_at, verification.expires_at = now, now + CODE_LIFE
    session.add(verification)
    session.flush()
    notifying.verification(session, verification, verification.email, code, verification.language, now)


def _code_digest(verification_id: str, code: str) -> str:
    return sealing.keyed_digest(f"{verification_id} {code.strip().upper()}")


def prove(verification: str, code: str, name: str | None = None) -> dict[str, Any]:
    """Exchanges a code for a token; makes the account if the address is new. A failed try counts, so it is committed."""
    with transaction() as session:
        now = clock.now()
        asked = _still_valid(session, verification, now)
        if sealing.same(asked.code_digest, _code_digest(asked.id, code)):
            asked.used_at = now
            return _signed_in(session, _account_of(session, asked, name, now), now)
        asked.tries += 1
        left = CODE_TRIES - asked.tries
    raise WrongCode(
        f"this is not the code that was sent; {left} {'try' if left == 1 else 'tries'} left", tries_left=left
    )


def _signed_in(session: Session, account: Account, now: datetime) -> dict[str, Any]:
    token = _new_token(session, account, now)
    return {"token": token, "scopes": PERSONAL_SCOPES, "expires_at": now + TOKEN_LIFE, "account": described(account)}


def _still_valid(session: Session, verification_id: str, now: datetime) -> Verification:
    verification = (
        session.get(Verification, verification_id, with_for_update=True) if is_id("v", verification_id) else None
    )
    if verification is None:
        raise WrongCode("no such verification is waiting for a code")
    if verification.used_at is not None or verification.expires_at <= now or verification.tries >= CODE_TRIES:
        raise CodeExpired("this code is too old, was used, or was tried too often")
    if _newest(session, verification.email) != verification.id:
        raise CodeExpired("a newer code was sent to this address")
    return verification


def _newest(session: Session, email: str) -> str | None:
    return session.scalar(
        select(Verification.id).where(Verification.email == email).order_by(Verification.created_at.desc()).limit(1)
    )


def _account_of(session: Session, verification: Verification, name: str | None, now: datetime) -> Account:
    """The account of a proven address; to one that exists the wish for a name is nothing."""
    account = session.scalar(select(Account).where(Account.email == verification.email))
    if account is not None:
        return account
    if name is not None:
        _check_name(name)
    account = Account(
        id=new_id("u"),
        name=name or f"player-{base32(5)}",
        email=verification.email,
        language=verification.language,
        kind="person",
        created_at=now,
        verified_at=now,
    )
    _add_named(session, account)
    return account


def _check_name(name: str) -> None:
    """What the eye makes of it; its characters were judged when it was read."""
    if name_key(name) in RESERVED:
        _refuse_name(f"{name!r} would be taken for a part of this server")
    if len(name_key(name)) < SHORTEST_NAME:
        _refuse_name(f"at least {SHORTEST_NAME} letters or digits are expected")


def _refuse_name(detail: str) -> NoReturn:
    raise InvalidBody(f"/name: {detail}", errors=[{"in": "body", "pointer": "/name", "detail": detail}])


def _add_named(session: Session, account: Account) -> None:
    """The database decides who was first; raising rolls the use of the code back."""
    session.add(account)
    try:
        session.flush()
    except IntegrityError as error:
        raise NameTaken(f"somebody is called {account.name!r} already, or by a name that looks the same") from error


def _new_token(session: Session, account: Account, now: datetime) -> str:
    text = f"gp_{base32(32)}"
    session.add(
        Token(
            id=new_id("t"),
            account_id=account.id,
            prefix=text[:11],
            digest=sealing.digest(text),
            name="sign-in",
            scopes=PERSONAL_SCOPES,
            expires_at=now + TOKEN_LIFE,
            created_at=now,
        )
    )
    return text


def authenticate(text: str) -> Caller:
    with reading() as session:
        now = clock.now()
        token = session.scalar(select(Token).where(Token.digest == sealing.digest(text)))
        if token is None:
            raise TokenUnknown("no such token")
        if token.revoked_at is not None:
            raise TokenRevoked(f"revoked at {token.revoked_at.isoformat()}")
        if token.expires_at <= now:
            raise TokenExpired(f"expired at {token.expires_at.isoformat()}")
    if token.last_used_at is None or token.last_used_at < now - LAST_USE_GRAIN:
        _note_use(token.id, now)
    return Caller(token.account_id, frozenset(token.scopes))


def _note_use(token_id: str, now: datetime) -> None:
    with transaction() as session:
        session.get_one(Token, token_id).last_used_at = now


def about_me(caller: Caller) -> dict[str, Any]:
    with reading() as session:
        return described(session.get_one(Account, caller.account_id))


def described(account: Account) -> dict[str, Any]:
    """As its owner sees it."""
    return {
        "id": account.id,
        "name": account.name,
        "email": account.email,
        "language": account.language,
        "kind": account.kind,
        "created_at": account.created_at,
    }
