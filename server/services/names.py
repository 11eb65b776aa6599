"""What an account may be called. When two names are the same to the eye `server.models.names` tells, and the database
decides who was first."""

from __future__ import annotations

import re
from typing import NoReturn

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from server.errors import InvalidBody, NameTaken
from server.ids import base32
from server.models import Account
from server.models.names import name_key
from server.said import Said, said

SHORTEST = 2
RESERVED = frozenset(("admin", "galapost", "house", "me", "nobody", "spectator", "system"))
OF_THE_DELETED = re.compile("deleted[a-z2-7]{8}")


def of_a_new_account() -> str:
    """For who wishes for none."""
    return f"player-{base32(5)}"


def of_a_deleted_account() -> str:
    """Nobody else can be called so."""
    return f"deleted-{base32(5)}"


def check(name: str) -> None:
    """What the eye makes of it; its characters were judged when it was read."""
    key = name_key(name)
    if key in RESERVED or OF_THE_DELETED.fullmatch(key):
        _refuse(said("{name} would be taken for a part of this server", name=name))
    if len(key) < SHORTEST:
        _refuse(said("at least {least} letters or digits are expected", least=SHORTEST))


def _refuse(detail: Said) -> NoReturn:
    raise InvalidBody(detail, errors=[{"in": "body", "pointer": "/name", "detail": detail}])


def give(session: Session, account: Account, name: str) -> None:
    """To an account that is new, or had another name. NameTaken rolls back whatever else was done for it."""
    account.name, account.name_key = name, name_key(name)
    session.add(account)
    try:
        session.flush()
    except IntegrityError as error:
        raise NameTaken(
            said("somebody is called {name} already, or by a name that looks the same", name=name)
        ) from error
