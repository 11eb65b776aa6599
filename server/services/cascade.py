"""The moment of an answer, and what follows it by force: the next decision, and the answers that nobody need be asked for.

Each function here works in the transaction of whoever calls it, who holds the lock of the game."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

import engine
from server.models import Decision, Event, Game, Move, Seat
from server.services import endings, feeds, games, notifying, timers
from server.services.orders.standing import BY_ORDERS, Standing

BY_HAND = "hand"
BY_THE_HOUSE = "house"
MOST_BY_ORDERS = 300  # answers of one transaction, which holds the lock of the game, and on SQLite of all games


@dataclass(frozen=True)
class Answer:
    """A decision that was just answered, and what came of it."""

    move: Move
    events: list[Event]


class Absent:
    """Who answers for players who need not be asked, in one transaction: the house, where it plays the seat, or orders.

    Orders answer so often and no more: then whoever is asked next is asked, whatever he ordered, and his orders go on with
    his next decision. The house goes on; but every game ends, and somebody plays it."""

    def __init__(self, session: Session, game: Game, now: datetime) -> None:
        self._standing = Standing(session, game, now)
        self._left = MOST_BY_ORDERS

    def answer(self, seat: Seat, state: engine.State) -> tuple[engine.Move, str] | None:
        """To the open decision of that seat, and who gave it."""
        if seat.played_by == "house":
            return engine.default_answer(state), BY_THE_HOUSE
        move = self._standing.answer(seat.letter, state) if self._left else None
        if move is None:
            return None
        self._left -= 1
        return move, BY_ORDERS


def play(
    session: Session,
    game: Game,
    state: engine.State,
    move: engine.Move,
    now: datetime,
    by: str = BY_HAND,
    follows: int | None = None,
) -> Answer:
    """Answers the open decision with a legal move; what came of it is in the log. `go_on` has to be called afterwards."""
    asked = session.get_one(Decision, (game.id, game.decision))
    happened = engine.apply(state, move)
    row = Move(
        game_id=game.id, number=asked.number, seat=asked.seat, notation=str(move), json=engine.move_json(move),
        made_at=now, by=by, follows=follows,
    )  # fmt: skip
    session.add(row)
    asked.answered_at = now
    return Answer(row, append(session, game, happened, asked.number, now))


def append(session: Session, game: Game, happened: list[engine.Event], cause: int, now: datetime) -> list[Event]:
    """To the log of the game. `cause`: the decision whose answer brought it about, the last one before it; 0: the deal."""
    rows = []
    for number, event in enumerate(happened, game.last_event + 1):
        data = engine.event_json(event)
        rows.append(Event(game_id=game.id, number=number, type=event.type, decision=cause, data=data, created_at=now))
    game.last_event += len(rows)
    session.add_all(rows)
    if rows:
        feeds.note(session, game, "events", now, rows[0].number, rows[-1].number)
    return rows


def go_on(
    session: Session,
    game: Game,
    state: engine.State,
    now: datetime,
    follows: int | None = None,
    led_here: Answer | None = None,
    by_hand: str | None = None,
    absent: Absent | None = None,
) -> list[Answer]:
    """Opens the decision that the state waits for, and the next one as long as nobody need be asked; or ends the game.

    `led_here`: the answer that did, `follows`: to which decision. Gives back the answers that were given at once.
    `by_hand`: the seat that will itself answer the next decision, should that be its own.
    """
    at_once: list[Answer] = []
    absent = absent or Absent(session, game, now)
    while (question := engine.question(state)) is not None:
        asked = _open(session, game, games.LETTERS[question.seat], question.kind, now)
        seat = seat_of(game, asked.seat)
        given = None if seat.letter == by_hand and not at_once else absent.answer(seat, state)
        if given is None:
            notifying.decision_opened(session, game, asked, now)
            timers.start(session, game, asked, seat)
            break
        move, by = given
        at_once.append(play(session, game, state, move, now, by, follows))
    else:
        endings.end(session, game, state, now)
    game.state = engine.dump(state)
    answers = at_once if led_here is None else [led_here, *at_once]
    notifying.attacks(session, game, [event for answer in answers for event in answer.events], now)
    return at_once


def look_again(session: Session, game: Game, state: engine.State, now: datetime) -> list[Answer]:
    """At the decision that is open already: its seat was handed over to the house, or has new orders. Nothing happens when
    it has to be asked all the same."""
    absent = Absent(session, game, now)
    given = absent.answer(seat_of(game, game.asked_seat), state)
    if given is None:
        return []
    move, by = given
    first = play(session, game, state, move, now, by)
    return [first, *go_on(session, game, state, now, led_here=first, absent=absent)]


def _open(session: Session, game: Game, letter: str, kind: str, now: datetime) -> Decision:
    game.decision = (game.decision or 0) + 1
    game.asked_seat, game.question_kind = letter, kind
    asked = Decision(game_id=game.id, number=game.decision, seat=letter, kind=kind, opened_at=now)
    session.add(asked)
    session.flush()
    return asked


def seat_of(game: Game, letter: str | None) -> Seat:
    return next(seat for seat in game.players if seat.letter == letter)
