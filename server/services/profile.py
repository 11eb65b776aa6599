"""The account as its owner sees it, and what he may change of it by himself."""

from __future__ import annotations

from typing import Any

from server import clock
from server.database import reading, transaction
from server.models import Account
from server.services import accounts, names, planning, timers
from server.services.accounts import Caller, described, introduced
from server.services.looking import Expects, Known, Versioned

OWN = ("language", "time_zone")


def about_me(caller: Caller, known: Known) -> Versioned:
    """With the scope `account` all of it; any other token learns whose it is: a bot has no other way to."""
    version_of, tell = (accounts.introduction, introduced)
    if "account" in caller.scopes:
        version_of, tell = (accounts.version, described)
    with reading() as session:
        account = session.get_one(Account, caller.account_id)
        version = version_of(account)
        return Versioned(version, None if known(version) else tell(account))


def change(caller: Caller, changes: dict[str, Any], expects: Expects) -> Versioned:
    """`changes`: of name, language and time_zone those that are to be another."""
    with transaction() as session:
        account = accounts.lock(session, caller)
        expects(accounts.version(account))
        for what in OWN:
            setattr(account, what, changes.get(what, getattr(account, what)))
        if "name" in changes:
            names.check(changes["name"])
            names.give(session, account, changes["name"])
        account.version += 1
        if "time_zone" in changes:
            planning.replan(session, account, clock.now())
            timers.replan(session, account, clock.now())
    return Versioned(accounts.version(account), described(account))
