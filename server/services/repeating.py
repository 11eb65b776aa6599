"""The same request twice, one thing: what a request with an Idempotency-Key made is noted in the transaction that makes it.

A service that creates something asks `earlier` first, before it locks anything; if that gives an id it builds its answer
from it anew, else it makes the thing and calls `remember`:

    with transaction() as session:
        again = repeating.earlier(session, caller)
        if again is not None:
            return Made(_summary(session, repeating.found(session, Game, again)), again=True)
        …
        repeating.remember(session, caller, game.id)
    return Made(_summary(session, game))
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import delete
from sqlalchemy.orm import Session

from server import clock
from server.database import one_at_a_time, transaction
from server.errors import KeyReused, MadeAndGone
from server.models import Repetition
from server.said import said

if TYPE_CHECKING:
    from server.services.accounts import Caller

Row = TypeVar("Row")
KEPT = timedelta(hours=48)


@dataclass(frozen=True)
class Asked:
    """A request that may have been made before."""

    operation: str  # which, and on which path
    key: str
    fingerprint: str  # of the body


@dataclass(frozen=True)
class Made:
    """What a request made. `again`: it was made before, and this is what has become of it."""

    body: dict[str, Any]
    again: bool = False


def earlier(session: Session, caller: Caller) -> str | None:
    """Id of what this very request made before. Holds up others with this key until the end of the transaction."""
    asked = caller.repetition
    if asked is None:
        return None
    one_at_a_time(session, f"{caller.account_id} {asked.operation} {asked.key}")
    row = session.get(Repetition, (caller.account_id, asked.operation, asked.key))
    if row is None:
        return None
    if row.created_at <= clock.now() - KEPT:
        session.delete(row)
        session.flush()
        return None
    if row.fingerprint != asked.fingerprint:
        raise KeyReused(said("the same key came with another body; take a new key for a new request"))
    return row.made


def remember(session: Session, caller: Caller, made: str) -> None:
    """Notes what was made, in the transaction that makes it. Without a key there is nothing to note."""
    asked = caller.repetition
    if asked is not None:
        row = Repetition(account_id=caller.account_id, **vars(asked), made=made, created_at=clock.now())
        session.add(row)


def found(session: Session, kind: type[Row], made: str) -> Row:
    """What was made then; it may have been deleted since."""
    row = session.get(kind, made)
    if row is None:
        raise MadeAndGone(said("it was made at the first request, and has been deleted since"))
    return row


def forget_expired() -> None:
    """What nobody may repeat any more."""
    with transaction() as session:
        session.execute(delete(Repetition).where(Repetition.created_at <= clock.now() - KEPT))
