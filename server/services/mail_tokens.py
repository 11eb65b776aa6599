"""Addresses of ours that answer: a letter that says what for, and 128 random bits that say who may.

`m-` a reply to a decision, `i-` an invitation, `c-` a confirmation, `d-` a digest, `u-` unsubscribing, `b-` a bounce."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from server import clock, sealing
from server.config import Settings
from server.database import transaction
from server.ids import base32
from server.models import Game, MailToken

_SHAPE = re.compile(r"([micdub])-([a-z2-7]{26})")

RESIGNATION = "resignation"  # what a confirmation is about, if not the id of a letter
KEPT_AFTER_THE_GAME = timedelta(days=180)
KEPT_WITHOUT_A_GAME = timedelta(days=365)
KEPT_FOR_BOUNCES = timedelta(days=60)  # servers give up after a week or so


def mint(
    kind: str,
    *,
    now: datetime,
    account_id: str | None = None,
    game_id: str | None = None,
    decision: int | None = None,
    about: str | None = None,
    printed: Sequence[str] | None = None,
    delivery_id: str | None = None,
    address: str | None = None,
) -> tuple[str, MailToken]:
    """The token's text, and its row, which is the caller's to add; the text is kept nowhere but in the mail."""
    text = base32(16)
    row = MailToken(
        digest=sealing.digest(text), kind=kind, account_id=account_id, address=address, game_id=game_id,
        decision=decision, about=about, printed=None if printed is None else list(printed), delivery_id=delivery_id,
        created_at=now,
    )  # fmt: skip
    return text, row


def find(session: Session, local_part: str) -> MailToken | None:
    """What stands before the @ of an address that was written to; its case does not matter."""
    shape = _SHAPE.fullmatch(local_part.lower()) if local_part.isascii() else None
    row = session.get(MailToken, sealing.digest(shape[2])) if shape else None
    return row if row is not None and shape is not None and row.kind == shape[1] else None


def address(kind: str, text: str) -> str:
    return f"{kind}-{text}@{domain()}"


@functools.cache
def domain() -> str:
    """Of all addresses that answer."""
    return Settings.from_env().mail_domain


def forget_expired() -> None:
    """Nobody answers a mail of half a year ago, once the game is over."""
    now = clock.now()
    ended = select(Game.id).where(Game.ended_at <= now - KEPT_AFTER_THE_GAME)
    expired = (
        MailToken.game_id.in_(ended),
        MailToken.game_id.is_(None) & (MailToken.created_at <= now - KEPT_WITHOUT_A_GAME),
        (MailToken.kind == "b") & (MailToken.created_at <= now - KEPT_FOR_BOUNCES),
    )
    for rows in expired:  # each in a transaction of its own, since on SQLite a long one locks the players out
        with transaction() as session:
            session.execute(delete(MailToken).where(rows), execution_options={"synchronize_session": False})
