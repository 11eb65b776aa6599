"""What everybody may know about an account: its name, and how it has played, in numbers."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.database import reading
from server.errors import UnknownUser
from server.models import Account, Bot, Game, Seat
from server.models.names import name_key
from server.said import said

LONGEST_NAME = 40


def show(name: str) -> dict[str, Any]:
    """By the name as it is written, or else by one that looks the same.

    Games that no list shows are in the numbers, and in nothing else: a number does not tell which games, nor with whom.
    """
    with reading() as session:
        account = _called(session, name)
        counts = _counts(session, account)
        begun = counts["finished"] + counts["resigned"]
        return {
            "name": account.name,
            "kind": account.kind,
            "owner": _owner(session, account),
            "created_at": account.created_at,
            "games": counts,
            "reliability": round(counts["finished"] / begun, 3) if begun else None,
        }


def _called(session: Session, name: str) -> Account:
    """Two accounts of before look-alikes were refused may share a key: then each is found by its very name."""
    living = select(Account).where(Account.deleted_at.is_(None))
    account = None
    if len(name) <= LONGEST_NAME and name.isprintable():
        account = session.scalar(living.where(Account.name == name)) or session.scalar(
            living.where(Account.name_key == name_key(name))
        )
    if account is None:
        raise UnknownUser(said("nobody is called {name}", name=name[:LONGEST_NAME]))
    return account


def _owner(session: Session, account: Account) -> str | None:
    return session.scalar(
        select(Account.name).join(Bot, Bot.owner_id == Account.id).where(Bot.account_id == account.id)
    )


def _counts(session: Session, account: Account) -> dict[str, int]:
    counts = dict.fromkeys(("running", "finished", "won", "resigned", "cancelled"), 0)
    for letter, resigned_at, status, result in session.execute(_begun(account)):
        if resigned_at is not None:
            counts["resigned"] += 1
        elif status == "over":
            counts["finished"] += 1
            counts["won"] += letter in result["winners"]
        else:
            counts[status] += 1
    return counts


def _begun(account: Account) -> Any:
    """His seats in games that have begun."""
    seats = select(Seat.letter, Seat.resigned_at, Game.status, Game.result).join(Game, Game.id == Seat.game_id)
    return seats.where(Seat.account_id == account.id, Game.started_at.is_not(None))
