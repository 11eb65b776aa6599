"""A move's journey: one transaction from the lock of the game to the rows of the outbox (ARCHITECTURE.md 4).

Several moves in one request are several such journeys: each is committed before the next is looked at, so that what has
drawn chance or shown a card is never taken back because a later move was refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

import engine
from server import clock, kicking, language
from server.database import reading, transaction
from server.errors import (
    PROBLEMS,
    BadNotation,
    DecisionClosed,
    DecisionNotOpen,
    DomainError,
    GameOver,
    IllegalMove,
    NotYourDecision,
)
from server.models import Decision, Game
from server.said import said
from server.services import cascade, games, looking, retelling
from server.services.accounts import Caller
from server.services.looking import Version
from server.services.reading_moves import Given, read
from server.services.steps import Step, played

# What ends a list of moves without being the fault of the request: the moves before are played, and it says why.
STOPPING = (BadNotation, IllegalMove, NotYourDecision, DecisionClosed, DecisionNotOpen, GameOver)

Noting = Callable[[Session], None]


@dataclass(frozen=True)
class Answered:
    """`version`: of the view in the body, when something was played; `again`: all of it was played before."""

    body: dict[str, Any]
    version: Version | None = None
    again: bool = False


def answer(
    caller: Caller,
    game_id: str,
    number: int,
    move: Given | None = None,
    moves: Sequence[Given] = (),
    dry_run: bool = False,
    noting: Noting | None = None,
) -> Answered:
    """Plays a move as the answer to decision `number`, or several as the answers to it and those that follow.

    `noting`: what else is to be written in the transaction of every move that is played. The same once more gets the first response once more, and plays what a crash of ours had left undone.
    """
    given = list(moves) if move is None else [move]
    if dry_run:
        return Answered(_try(caller, game_id, number, given[0]))
    steps: list[Step] = []
    stopped = None
    while given and stopped is None:
        try:
            steps.append(_step(caller, game_id, number + len(steps), given, bool(steps), noting))
        except STOPPING as refusal:
            if not steps:
                raise
            stopped = _refused(refusal)
        else:
            given = _left(given[1:], steps[-1].go_ended)
            stopped = _stop(steps[-1]) if given else None
    kicking.kick()
    version = next((step.version for step in reversed(steps) if step.version is not None), None)
    return Answered(_told(game_id, steps, given, stopped), version, again=version is None)


def _step(
    caller: Caller, game_id: str, number: int, given: Sequence[Given], later: bool, noting: Noting | None
) -> Step:
    """One move, the first of those, in one transaction."""
    with transaction() as session:
        game = games.lock(session, game_id, caller)
        letter = games.own_letter(game, caller)
        state = games.state_of(game)
        asked = session.get(Decision, (game.id, number))
        if asked is not None and asked.answered_at is not None:
            return retelling.again(session, game, asked, letter, given[0], later)
        _check_open(game, number, letter)
        step = _play(session, game, state, given)
        if noting is not None:
            noting(session)
        return step


def _check_open(game: Game, number: int, letter: str) -> None:
    """Whether this is the decision that the game waits for, and that seat's."""
    if game.decision is None:
        raise GameOver(said("nothing more is asked of anybody"))
    if number != game.decision:
        text = said("decision {number} is not open; {open} is", number=number, open=game.decision)
        raise DecisionNotOpen(text, open=game.decision)
    if letter != game.asked_seat:
        raise NotYourDecision(
            said("decision {number} is seat {seat}'s, and you have seat {yours}", number=number, seat=game.asked_seat, yours=letter)
        )  # fmt: skip


def _play(session: Session, game: Game, state: engine.State, given: Sequence[Given]) -> Step:
    now, number, letter = clock.now(), game.decision, game.asked_seat
    move, go = read(state, given[0]), engine.feeding_go(state)
    answer = cascade.play(session, game, state, move, now)
    go_ended = go is not None and engine.feeding_go(state) is not go
    revealing = any(event.type in engine.REVEALING for event in answer.events)
    # What he sends now comes before what he ordered earlier.
    by_hand = letter if _left(given[1:], go_ended) and not revealing else None
    followed = cascade.go_on(session, game, state, now, follows=number, led_here=answer, by_hand=by_hand)
    game.version += 1
    viewer = games.seat_number(letter)
    return Step(
        played=played(answer.move, viewer),
        cascade=[played(follower.move, viewer) for follower in followed],
        events=[looking.told(event, viewer) for one in (answer, *followed) for event in one.events],
        state=state,
        next=games.waiting_for(game),
        revealing=revealing,
        go_ended=go_ended,
        version=looking.view_version(game, letter),
    )


def _left(given: Sequence[Given], go_ended: bool) -> list[Given]:
    """The moves to come, without an `end` that the go did not wait for: it would be another go's."""
    return [] if len(given) == 1 and go_ended and engine.closes_a_go(given[0]) else list(given)


def _stop(step: Step) -> dict[str, Any] | None:
    """Why the moves to come are not played, though nobody has looked at them yet."""
    if step.next is None:
        return _stopped(PROBLEMS[GameOver].code, said("the game is over"))
    if step.revealing:
        return _stopped("chance", said("dice were rolled or cards drawn: look at the table first"))
    if [*step.cascade, step.next][0]["seat"] != step.played["seat"]:
        return _stopped(PROBLEMS[NotYourDecision].code, said("another seat was asked"))
    return None


def _refused(refusal: DomainError) -> dict[str, Any]:
    return _stopped(PROBLEMS[type(refusal)].code, refusal.detail, refusal.members.get("reason"))


def _stopped(reason: str, detail: str, rule: str | None = None) -> dict[str, Any]:
    return {"reason": reason, "detail": language.translated(detail), "rule": rule}


def _told(game_id: str, steps: list[Step], left: list[Given], stopped: dict[str, Any] | None) -> dict[str, Any]:
    """What the player is told: his moves, what came of them, the table as it is now, who is asked next."""
    last = steps[-1]
    following = last.next["decision"] if last.next else None
    return {
        "played": [step.played for step in steps],
        "not_played": left,
        "stopped": stopped,
        "cascade": last.cascade,
        "events": [event for step in steps for event in step.events],
        "view": looking.table(game_id, following, last.state, last.played["seat"]),
        "next": last.next,
    }


def _try(caller: Caller, game_id: str, number: int, given: Given) -> dict[str, Any]:
    """Whether the move is legal, and nothing else: nothing is changed, and no chance is looked at."""
    with reading() as session:
        game = games.find(session, game_id, caller)
        letter = games.own_letter(game, caller)
        state = games.state_of(game)
        asked = session.get(Decision, (game.id, number))
        if asked is not None and asked.answered_at is not None:
            retelling.refuse(session, asked, letter)
        _check_open(game, number, letter)
        move = read(state, given)
        return {
            "legal": True,
            "notation": str(move),
            "played": [],
            "not_played": [engine.move_json(move)],
            "stopped": _stopped("dry-run", said("the move is legal, and was not played")),
            "cascade": [],
            "events": [],
            "view": looking.table(game_id, game.decision, state, letter),
            "next": games.waiting_for(game),
        }
