"""The log is the truth: games as they stood, played again from seed and moves."""

from __future__ import annotations

from itertools import takewhile
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

import engine
from engine.records import Left, entropy_by_seat
from server.models import Decision, Event, Game, Move
from server.services import games

CANCELLED: Final = "game_cancelled"
LEAVING: Final = ("resigned", CANCELLED)  # events that no answer causes: they stand behind what the last one caused


def entropy_of(game: Game) -> list[dict[str, Any]]:
    """What the seats committed to add to the chance of the game, in table order; `revealed` None: not (yet) revealed."""
    return [
        {"seat": seat.letter, "commitment": seat.entropy_commitment, "revealed": seat.entropy}
        for seat in game.players
        if seat.entropy_commitment is not None
    ]


def dealt(game: Game) -> engine.State:
    """The game as it is dealt."""
    return engine.new_game(game.seed, game.seats, game.options, entropy_by_seat(entropy_of(game)))


def answers(session: Session, game: Game, after: int, limit: int) -> list[tuple[Move, Decision]]:
    """The answers to the decisions after number `after`, in order."""
    answered = select(Move, Decision).join(
        Decision, (Decision.game_id == Move.game_id) & (Decision.number == Move.number)
    )
    later = answered.where(Move.game_id == game.id, Move.number > after).order_by(Move.number).limit(limit)
    return [(move, decision) for move, decision in session.execute(later)]


def has_answer_after(session: Session, game: Game, number: int) -> bool:
    later = select(Move.number).where(Move.game_id == game.id, Move.number > number).limit(1)
    return session.scalar(later) is not None


def moves_of(session: Session, game: Game) -> list[dict[str, Any]]:
    """The answers, each with its decision, in the form that records have."""
    answered = (
        select(Move, Decision.seat, Decision.kind)
        .join(Decision, (Decision.game_id == Move.game_id) & (Decision.number == Move.number))
        .where(Move.game_id == game.id)
        .order_by(Move.number)
    )
    return [
        {"decision": move.number, "seat": seat, "kind": kind, "move": move.notation}
        for move, seat, kind in session.execute(answered)
    ]


def log_of(session: Session, game: Game) -> list[dict[str, Any]]:
    """All that happened, every secret included, in the form that records have."""
    logged = select(Event).where(Event.game_id == game.id).order_by(Event.number)
    return [{"decision": event.decision, **event.data} for event in session.scalars(logged)]


def left(session: Session, game: Game) -> list[Left]:
    """Who left the game, after how many moves, in the form that a replay takes."""
    leaving = select(Event).where(Event.game_id == game.id, Event.type.in_(LEAVING)).order_by(Event.number)
    return [(event.decision, _who_left(event)) for event in session.scalars(leaving)]


def _who_left(event: Event) -> int | None:
    return None if event.type == CANCELLED else games.seat_number(event.data["facts"]["seat"])


def resignations_of(session: Session, game: Game) -> list[dict[str, Any]]:
    """In the form that records have."""
    return [{"seat": games.LETTERS[seat], "after": after} for after, seat in left(session, game) if seat is not None]


def before(session: Session, game: Game, number: int, when_asked: bool = False) -> engine.State:
    """The state in which decision `number` was answered, or in which it was asked: somebody may have resigned meanwhile."""
    state = dealt(game)
    leaving = [one for one in left(session, game) if one[0] < number - when_asked]
    _leave(state, leaving, 0)
    earlier = select(Move.notation).where(Move.game_id == game.id, Move.number < number).order_by(Move.number)
    for after, notation in enumerate(session.scalars(earlier), 1):
        engine.apply(state, engine.read_move(state, notation))
        _leave(state, leaving, after)
    return state


def _leave(state: engine.State, leaving: list[Left], after: int) -> None:
    for _, seat in [one for one in leaving if one[0] == after]:
        if seat is None:
            engine.cancel(state)
        else:
            engine.resign(state, seat)


def followers(session: Session, game: Game, number: int) -> list[Move]:
    """The answers that were given at once when decision `number` was answered."""
    at_once = select(Move).where(Move.game_id == game.id, Move.follows == number).order_by(Move.number)
    return list(session.scalars(at_once))


def events_of(session: Session, game: Game, first: int, last: int) -> list[Event]:
    """What the answers to these decisions caused; not who left afterwards."""
    caused = select(Event).where(Event.game_id == game.id, Event.decision.between(first, last)).order_by(Event.number)
    return list(takewhile(lambda event: event.type not in LEAVING, session.scalars(caused)))


def asked_after(session: Session, game: Game, number: int) -> dict[str, Any] | None:
    """The decision that the answer opened, as it was announced then; None when that ended the game."""
    following = session.get(Decision, (game.id, number + 1))
    return None if following is None else games.announced(following.number, following.seat, following.kind)
