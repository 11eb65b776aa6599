"""An answer that was given before gets the first response once more, made again from the log."""

from __future__ import annotations

from typing import NoReturn

from sqlalchemy.orm import Session

import engine
from server.errors import BadNotation, DecisionClosed, IllegalMove, NotYourDecision
from server.models import Decision, Game, Move
from server.said import said
from server.services import archive, cascade, games, looking
from server.services.reading_moves import Given, read
from server.services.steps import Step, played


def again(session: Session, game: Game, asked: Decision, letter: str, given: Given, later: bool) -> Step:
    """The step that this answer was, the table as it stood after it. Raises DecisionClosed when it was another one.

    `later`: it is not the first of several moves, so that what could not be played then is refused as it was then.
    """
    _check_own(asked, letter)
    answer = session.get_one(Move, (game.id, asked.number))
    state = archive.before(session, game, asked.number)
    if answer.by != cascade.BY_HAND or not _is_the_same(state, answer, given, later):
        raise _closed(answer)
    return _retold(session, game, state, answer)


def refuse(session: Session, asked: Decision, letter: str) -> NoReturn:
    """For who only wants to try what can no longer be played."""
    _check_own(asked, letter)
    raise _closed(session.get_one(Move, (asked.game_id, asked.number)))


def _check_own(asked: Decision, letter: str) -> None:
    if asked.seat != letter:
        raise NotYourDecision(
            said("decision {number} was seat {seat}'s, and you have seat {yours}", number=asked.number, seat=asked.seat, yours=letter)
        )  # fmt: skip


def _closed(answer: Move) -> DecisionClosed:
    number, move = answer.number, repr(answer.notation)
    if answer.by == cascade.BY_HAND:
        text = said("you answered decision {number} with {move}", number=number, move=move)
    else:
        text = said("decision {number} was answered for you with {move}", number=number, move=move)
    return DecisionClosed(text, answered=answer.notation)


def _is_the_same(state: engine.State, answer: Move, given: Given, later: bool) -> bool:
    """Short forms and objects are read as they were read then; what can't be read is another answer."""
    try:
        return str(read(state, given)) == answer.notation
    except (BadNotation, IllegalMove):
        if later:
            raise
        return False


def _retold(session: Session, game: Game, state: engine.State, answer: Move) -> Step:
    followers = archive.followers(session, game, answer.number)
    go = engine.feeding_go(state)
    caused = engine.apply(state, engine.read_move(state, answer.notation))
    went_on = engine.feeding_go(state) is go
    for follower in followers:
        engine.apply(state, engine.read_move(state, follower.notation))
    last = followers[-1].number if followers else answer.number
    viewer = games.seat_number(answer.seat)
    return Step(
        played=played(answer, viewer),
        cascade=[played(follower, viewer) for follower in followers],
        events=[looking.told(event, viewer) for event in archive.events_of(session, game, answer.number, last)],
        state=state,
        next=archive.asked_after(session, game, last),
        revealing=any(event.type in engine.REVEALING for event in caused),
        go_ended=go is not None and not went_on,
    )
