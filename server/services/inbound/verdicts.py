"""What became of a letter, to be written down in one transaction together with the mails that answer it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from server.models import Account, Letter, MailToken
from server.services.inbound.commands import Command
from server.services.inbound.reading import Letter as Read


@dataclass(frozen=True)
class Case:
    """A letter and all that is known of it before anything is done."""

    letter: Letter
    token: MailToken
    account: Account | None  # whose token it is; None of an invitation to an address that has no account
    read: Read
    commands: list[Command]
    now: datetime

    @property
    def address(self) -> str | None:
        """Where all answers go, and who may write without being asked whether it was he."""
        return self.account.email if self.account is not None else self.token.address

    @property
    def language(self) -> str:
        """Of the account; else the one that the letter is written in."""
        if self.account is not None:
            return self.account.language
        return "ru" if any("а" <= sign <= "я" for sign in self.read.text[:200].lower()) else "en"


@dataclass(frozen=True)
class Mail:
    """An answer. It goes to an account, or to the address that an invitation was sent to, whoever wrote."""

    kind: str
    payload: dict[str, Any]
    account_id: str | None = None
    address: str | None = None
    game_id: str | None = None
    seat: str | None = None


@dataclass(frozen=True)
class Verdict:
    """`also` is done in the transaction that writes the verdict down; what it returns is put into the detail."""

    state: str  # settled, held, dropped, quarantined
    outcome: str
    detail: str | None = None
    mails: tuple[Mail, ...] = ()
    also: Callable[[Session], str | None] | None = None
    account_id: str | None = None  # that an accepted invitation made


def dropped(reason: str, detail: str | None = None) -> Verdict:
    return Verdict("dropped", reason, detail)
