"""Talk at the table: for its players alone, from the first seat taken until a week after the end."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server import clock, kicking
from server.database import reading, transaction
from server.errors import TalkOver
from server.models import Game, Message
from server.said import said
from server.services import feeds, games, notifying, repeating
from server.services.accounts import Caller
from server.services.repeating import Made

AFTERWARDS = timedelta(days=7)


def say(caller: Caller, game_id: str, text: str) -> Made:
    """A message to the table; its number is given under the lock of the game."""
    with transaction() as session:
        again = repeating.earlier(session, caller)
        if again is not None:
            game = games.find(session, game_id, caller)
            return Made(_told(game, session.get_one(Message, (game.id, int(again)))), again=True)
        now = clock.now()
        game = games.lock(session, game_id, caller)
        games.own_seat(game, caller)
        _may_talk(game, now)
        message = Message(
            game_id=game.id, number=_newest(session, game) + 1, account_id=caller.account_id, text=text, created_at=now
        )
        session.add(message)
        feeds.note(session, game, "message", now, message.number, message.number)
        notifying.message(session, game, message, now)
        repeating.remember(session, caller, str(message.number))
        session.flush()
        told = _told(game, message)
    kicking.kick()
    return Made(told)


def _may_talk(game: Game, now: datetime) -> None:
    if game.ended_at is not None and now > game.ended_at + AFTERWARDS:
        raise TalkOver(said("the game has been over for more than {days:day|days}", days=AFTERWARDS.days))


def _newest(session: Session, game: Game) -> int:
    return session.scalar(select(func.max(Message.number)).where(Message.game_id == game.id)) or 0


def messages(caller: Caller, game_id: str, after: int, limit: int) -> dict[str, Any]:
    """What was said after message number `after`."""
    with reading() as session:
        game = games.find(session, game_id, caller)
        games.own_seat(game, caller)
        later = select(Message).where(Message.game_id == game.id, Message.number > after).order_by(Message.number)
        items = [_told(game, message) for message in session.scalars(later.limit(limit))]
        read_to = items[-1]["number"] if items else after
        return {"items": items, "next_after": read_to, "more": read_to < _newest(session, game)}


def _told(game: Game, message: Message) -> dict[str, Any]:
    """`seat`: where its author sits now; nowhere, when he left the table before the start."""
    seat = next((seat.letter for seat in game.players if seat.account_id == message.account_id), None)
    return {
        "number": message.number,
        "seat": seat,
        "name": message.account.name,
        "text": message.text,
        "at": message.created_at,
    }
