"""Reminders: rows written with the decision that they remind of, and swept when they are due.

A row says when to look, and no more: whether the decision is still open, and what its player wishes by now, is looked up
under the lock of the game. The time that a reminder waits tells those of one decision apart, so none is sent twice."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import ColumnElement, delete, exists, select, update
from sqlalchemy.orm import Session

from server import clock, kicking
from server.database import reading, transaction
from server.models import Account, Decision, Game, Seat, Timer
from server.services import games, notifying, wishes
from server.services.wishes import AN_HOUR

log = structlog.get_logger(__name__)

REMINDER = "reminder"
AT_ONCE = 200  # of one sweep


def start(session: Session, game: Game, decision: Decision, seat: Seat) -> None:
    """With the decision, in its transaction."""
    wish = wishes.of_account(session, seat.account_id)
    for wait, due in wish.reminders_after(decision.opened_at).items():
        session.add(_timer(game.id, decision, wait, due))


def _timer(game_id: str, decision: Decision, wait: timedelta, due: datetime) -> Timer:
    step = int(wait.total_seconds())
    return Timer(
        kind=REMINDER, game_id=game_id, decision=decision.number, seat=decision.seat, step=step, due_at=due
    )  # fmt: skip


def replan(session: Session, account: Account, now: datetime) -> None:
    """Other wishes: other reminders of what is open now. Those that were sent were sent."""
    moments = wishes.of_account(session, account.id)
    for decision in session.scalars(_owed_by(account)).all():
        known = _known(session, decision)
        session.execute(delete(Timer).where(*_of_decision(decision), Timer.fired_at.is_(None)))
        for wait, due in moments.reminders_after(decision.opened_at).items():
            fired = known.get(int(wait.total_seconds()))
            if fired is False or (fired is None and due > now):  # one that is overdue was put off, or we were away
                session.add(_timer(decision.game_id, decision, wait, max(due, now)))


def _known(session: Session, decision: Decision) -> dict[int, bool]:
    """By the time that they wait: whether they have fired."""
    timers = select(Timer.step, Timer.fired_at).where(*_of_decision(decision))
    return {step: fired_at is not None for step, fired_at in session.execute(timers)}


def _owed_by(account: Account) -> Any:
    """The decisions that it owes at this moment."""
    wanted = select(Decision).join(Game, (Game.id == Decision.game_id) & (Game.decision == Decision.number))
    seats = Seat, (Seat.game_id == Game.id) & (Seat.letter == Game.asked_seat)
    return wanted.join(*seats).where(Seat.account_id == account.id, Seat.played_by == "player").order_by(Game.id)


def _of_decision(decision: Decision) -> tuple[ColumnElement[bool], ...]:
    return (
        Timer.kind == REMINDER,
        Timer.game_id == decision.game_id,
        Timer.decision == decision.number,
        Timer.seat == decision.seat,
    )


def sweep() -> int:
    """Reminds whoever is to be reminded by now, each in a transaction of its own; returns how many that were."""
    now = clock.now()
    due = Timer.fired_at.is_(None) & (Timer.due_at <= now)
    open_ = exists().where(Game.id == Timer.game_id, Game.decision == Timer.decision, Game.asked_seat == Timer.seat)
    with reading() as session:
        if session.scalar(select(Timer.id).where(due).limit(1)) is None:
            return 0
        waiting = session.execute(
            select(Timer.id, Timer.game_id).where(due, open_).order_by(Timer.due_at, Timer.id).limit(AT_ONCE)
        ).all()
    sent = sum(_fire(timer_id, game_id, now) for timer_id, game_id in waiting)
    with transaction() as session:  # nobody waits for those any more
        session.execute(
            update(Timer).where(due, ~open_).values(fired_at=now), execution_options={"synchronize_session": False}
        )
    if sent:
        kicking.kick()
    log.info("reminders", sent=sent)
    return sent


def _fire(timer_id: int, game_id: str, now: datetime) -> bool:
    with transaction() as session:
        game = games.locked(session, game_id)
        timer = session.get(Timer, timer_id, with_for_update=True)
        if game is None or timer is None or timer.fired_at is not None:
            return False  # somebody else did, or its player wishes it otherwise by now
        decision = session.get_one(Decision, (game.id, timer.decision))
        if (game.status, game.decision, game.asked_seat) != ("running", timer.decision, timer.seat):
            timer.fired_at = now
            return False
        later = _later(session, game, timer, decision, now)
        if later is not None:
            timer.due_at = later
            return False
        alone = not _reminded_lately(session, decision, now)
        timer.fired_at = now
        if alone:
            notifying.reminder(session, game, decision, timer.step, now)
        return alone


def _later(session: Session, game: Game, timer: Timer, decision: Decision, now: datetime) -> datetime | None:
    """He has moved to another time zone, has hardly been told that it is his turn, or we were away until his night began."""
    reminded = next(seat for seat in game.players if seat.letter == timer.seat)
    wish = wishes.of_account(session, reminded.account_id)
    due = wish.reminders_after(decision.opened_at).get(timedelta(seconds=timer.step), now)
    told = notifying.turn_told_at(session, decision, now)
    if told is not None:
        due = max(due, told + AN_HOUR)
    return due if due > now else wish.quiet_until(now)


def _reminded_lately(session: Session, decision: Decision, now: datetime) -> bool:
    """We were away, and two of them have become due meanwhile."""
    lately = select(Timer.id).where(*_of_decision(decision), Timer.fired_at > now - AN_HOUR)
    return session.scalar(lately.limit(1)) is not None
