"""Seats whose player has left for good: the house plays on for them, as long as there is somebody to play with.

Each function here works in the transaction of whoever calls it, who holds the lock of the game."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

import engine
from server.models import Game, Seat
from server.services import cascade, endings, feeds, games
from server.services.orders import standing


def hand_over(session: Session, game: Game, seat: Seat, now: datetime) -> None:
    """Of a running game: the player resigns, and can't win any more. What is asked of the seat the house answers at once.

    The game ends when one player is left: he has won. It is cancelled when nobody is left who plays himself, or when all who
    are left have agreed to that before. Who has resigned already changes nothing.
    """
    if seat.resigned_at is not None:
        return
    state = games.state_of(game)
    seat.played_by, seat.resigned_at, seat.cancels_at = "house", now, None
    standing.forget(session, game, seat.letter)
    game.version += 1
    feeds.note(session, game, "resigned", now)
    number = games.seat_number(seat.letter)
    cascade.append(session, game, engine.resign(state, number or 0), last_answered(game), now)
    if engine.question(state) is None:
        endings.end(session, game, state, now)
    elif all_cancel(game):
        call_off(session, game, state, now)
    else:
        game.state = engine.dump(state)
        cascade.look_again(session, game, state, now)  # what is open may be asked of the seat that was handed over


def all_cancel(game: Game) -> bool:
    """Whether all who play themselves have agreed to cancel; so it is too when nobody does."""
    return all(seat.cancels_at is not None for seat in game.players if seat.played_by != "house")


def call_off(session: Session, game: Game, state: engine.State, now: datetime) -> None:
    """A running game: nobody wins."""
    cascade.append(session, game, engine.cancel(state), last_answered(game), now)
    endings.end(session, game, state, now)


def last_answered(game: Game) -> int:
    """The decision before the one that is open; 0: none was answered yet."""
    return (game.decision or 1) - 1
