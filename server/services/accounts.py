"""Who asks, and what his token allows; what all that is done with accounts has in common."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from server.errors import InsufficientScope, TokenRevoked
from server.models import Account
from server.said import said
from server.services.repeating import Asked

SCOPES = ("account", "games:read", "games:play", "webhooks", "bots", "admin")
PERSONAL_SCOPES = [scope for scope in SCOPES if scope != "admin"]


@dataclass(frozen=True)
class Caller:
    """Who asks, and what his token allows."""

    account_id: str
    scopes: frozenset[str]
    token_id: str = ""
    repetition: Asked | None = None  # of a request that creates something, if it has an Idempotency-Key

    def needs_one_of(self, *scopes: str) -> None:
        if self.scopes.isdisjoint(scopes):
            raise InsufficientScope(
                said(
                    "it takes one of the scopes {needed}; this token has {has}", needed=scopes, has=sorted(self.scopes)
                ),
                needed=list(scopes),
            )


def lock(session: Session, caller: Caller) -> Account:
    """The caller's account, until the end of the transaction; it may have been deleted since his token was read."""
    account = session.get_one(Account, caller.account_id, with_for_update=True, populate_existing=True)
    if account.deleted_at is not None:
        raise TokenRevoked(said("the account of this token was deleted"))
    return account


def normalised(email: str) -> str:
    return unicodedata.normalize("NFC", email).strip().lower()


def version(account: Account) -> tuple[str | int | None, ...]:
    """What the account as its owner sees it depends on."""
    return ("account", account.id, account.version)


def described(account: Account) -> dict[str, Any]:
    """As its owner sees it."""
    return {
        **introduced(account),
        "email": account.email,
        "time_zone": account.time_zone,
        "created_at": account.created_at,
        "mail": _mail(account),
    }


def introduction(account: Account) -> tuple[str | int | None, ...]:
    """What that depends on which any of its tokens may know: nothing else that its owner changes is to be noticed."""
    return ("introduction", account.id, account.name, account.language)


def introduced(account: Account) -> dict[str, Any]:
    """As whoever holds one of its tokens sees it, whatever that allows."""
    return {"id": account.id, "name": account.name, "language": account.language, "kind": account.kind}


def _mail(account: Account) -> dict[str, Any] | None:
    """Whether mail reaches it; a bot gets none."""
    if account.email is None:
        return None
    state = "ok" if account.mail_dead_at is None else "dead"
    return {"state": state, "since": account.mail_dead_at, "reason": account.mail_dead_reason}
