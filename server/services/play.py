"""A move's journey: one transaction from the lock of the game to the rows of the outbox (ARCHITECTURE.md 4)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

import engine
from engine.questions import Question
from server import clock, kicking
from server.database import transaction
from server.errors import BadNotation, DecisionClosed, DecisionNotOpen, GameOver, IllegalMove, NotYourDecision
from server.models import Decision, Event, Game, Move
from server.services import archive, games, looking, notifying
from server.services.accounts import Caller
from server.services.looking import Version


@dataclass(frozen=True)
class Answered:
    body: dict[str, Any]
    version: Version | None = None  # of the view in the body; None when this very answer was given before


def answer(caller: Caller, game_id: str, number: int, given: Any) -> Answered:
    """Plays a move as the answer to decision `number`; the same answer once more gets the first response once more."""
    with transaction() as session:
        now = clock.now()
        game = games.lock(session, game_id, caller)
        letter = games.own_letter(game, caller)
        state = games.state_of(game)
        earlier = session.get(Decision, (game.id, number))
        if earlier is not None and earlier.answered_at is not None:
            return Answered(_first_response(session, game, earlier, letter, given))
        _check_open(game, number, letter)
        answered = Answered(_play(session, game, state, given, now), looking.view_version(game, letter))
    kicking.kick()
    return answered


def _check_open(game: Game, number: int, letter: str) -> None:
    """Whether this is the decision that the game waits for, and that seat's."""
    if game.decision is None:
        raise GameOver("nothing more is asked of anybody")
    if number != game.decision:
        raise DecisionNotOpen(f"decision {number} is not open; {game.decision} is", open=game.decision)
    if letter != game.asked_seat:
        raise NotYourDecision(f"decision {number} is seat {game.asked_seat}'s, and you have seat {letter}")


def _play(session: Session, game: Game, state: engine.State, given: Any, now: datetime) -> dict[str, Any]:
    asked = session.get_one(Decision, (game.id, game.decision))
    move = _read_move(state, given)
    happened = engine.apply(state, move)
    session.add(_move_row(game, move, now))
    events = append(session, game, happened, now)
    asked.answered_at = now
    game.version += 1
    keep(session, game, state, now)
    return _response(asked, move, events, state, games.waiting_for(game))


def _read_move(state: engine.State, given: Any) -> engine.Move:
    """Notation or object → a legal move, with the engine's reasons as ours."""
    try:
        return engine.read_move(state, given)
    except engine.BadNotation as error:
        raise BadNotation(error.detail, candidates=error.candidates) from error
    except engine.IllegalMove as error:
        raise IllegalMove(error.detail, reason=error.reason) from error


def _move_row(game: Game, move: engine.Move, now: datetime) -> Move:
    return Move(
        game_id=game.id,
        number=game.decision,
        seat=game.asked_seat,
        notation=str(move),
        json=engine.move_json(move),
        made_at=now,
    )


def append(session: Session, game: Game, happened: list[engine.Event], now: datetime) -> list[Event]:
    """To the log of the game, as caused by the open decision; 0 before the first."""
    rows = []
    for number, event in enumerate(happened, game.last_event + 1):
        data, cause = engine.event_json(event), game.decision or 0
        rows.append(Event(game_id=game.id, number=number, type=event.type, decision=cause, data=data, created_at=now))
    game.last_event += len(rows)
    session.add_all(rows)
    return rows


def keep(session: Session, game: Game, state: engine.State, now: datetime) -> None:
    """Stores the state, and opens the decision that it waits for, or ends the game. The caller holds the lock."""
    game.state = engine.dump(state)
    question = engine.question(state)
    if question is None:
        _end(session, game, state, now)
    else:
        _open_decision(session, game, question, now)


def _end(session: Session, game: Game, state: engine.State, now: datetime) -> None:
    table = engine.view(state, None)
    game.status, game.ended_at = "over", now
    game.decision = game.asked_seat = game.question_kind = None
    game.result = {"winners": table["winners"], "scores": {seat["seat"]: seat["score"] for seat in table["seats"]}}
    notifying.game_over(session, game, now)


def _open_decision(session: Session, game: Game, question: Question, now: datetime) -> None:
    game.decision = (game.decision or 0) + 1
    game.asked_seat, game.question_kind = games.LETTERS[question.seat], question.kind
    decision = Decision(
        game_id=game.id, number=game.decision, seat=game.asked_seat, kind=game.question_kind, opened_at=now
    )
    session.add(decision)
    session.flush()
    notifying.decision_opened(session, game, decision, now)


def _response(
    asked: Decision,
    move: engine.Move,
    events: list[Event],
    state: engine.State,
    following: dict[str, Any] | None,
) -> dict[str, Any]:
    """What the player is told: his move, what came of it, the table as it is now, who is asked next."""
    viewer = games.seat_number(asked.seat)
    return {
        "played": [{"decision": asked.number, "seat": asked.seat, "move": engine.move_json(move)}],
        "events": [looking.told(event, viewer) for event in events],
        "view": looking.table(asked.game_id, following["decision"] if following else None, state, asked.seat),
        "next": following,
    }


def _first_response(session: Session, game: Game, asked: Decision, letter: str, given: Any) -> dict[str, Any]:
    """What was answered then, made again from the log: the table as it stood after that move, and what followed."""
    if asked.seat != letter:
        raise NotYourDecision(f"decision {asked.number} was seat {asked.seat}'s, and you have seat {letter}")
    state = archive.before(session, game, asked.number)
    played = session.get_one(Move, (game.id, asked.number))
    if not _is_the_same(state, played, given):
        raise DecisionClosed(f"you answered decision {asked.number} with {played.notation!r}", answered=played.notation)
    move = engine.read_move(state, played.notation)
    engine.apply(state, move)
    return _response(asked, move, archive.events_of(session, asked), state, archive.asked_after(session, asked))


def _is_the_same(state: engine.State, move: Move, given: Any) -> bool:
    """Short forms and objects are read as they were read then; what can't be read is another answer."""
    try:
        return str(_read_move(state, given)) == move.notation
    except (BadNotation, IllegalMove):
        return False
