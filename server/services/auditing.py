"""The nightly audit: the log is the truth, and what is stored beside it must be what a replay of the log gives.

It changes nothing. A difference is a fault of ours, or somebody's hand in the database: it goes to the log as an error,
with ids and numbers only."""

from __future__ import annotations

import hashlib
import time

import structlog
from sqlalchemy import Select, select
from sqlalchemy.orm import Session, selectinload, undefer

import engine
from engine.leaving import CANCELLATION
from engine.records import Difference, play_again, result_of
from server.database import reading
from server.ids import new_id
from server.models import Decision, Event, Game, Move
from server.services import archive, games
from server.services.endings import BY_THE_RULES

log = structlog.get_logger(__name__)

AT_MOST = 500  # games of one run
SECONDS = 60.0  # after which a run begins no more: a task has 90


class Fault(Exception):
    """What of a game differs from its replay; `decision`: the move at fault, where it is known."""

    def __init__(self, what: str, decision: int | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.decision = decision


def run(at_most: int = AT_MOST, seconds: float = SECONDS) -> dict[str, int]:
    """Audits a random sample of the games that were ever dealt. Returns how many, and how many differ."""
    ends, audited, different = time.monotonic() + seconds, 0, 0
    for game_id in _sample(at_most):
        if time.monotonic() > ends:
            break
        audited += 1
        different += not audit(game_id)
    log.info("audit", games=audited, different=different)
    return {"games": audited, "different": different}


def _sample(at_most: int) -> list[str]:
    """Ids are random, so those that follow a random one in their order are a random sample, found by the index."""
    middle = new_id("g")
    dealt = (
        select(Game.id)
        .where(Game.status.in_(("running", "over", "cancelled")), Game.started_at.is_not(None))
        .order_by(Game.id)
    )
    with reading() as session:
        above = list(session.scalars(dealt.where(Game.id >= middle).limit(at_most)))
        return above + list(session.scalars(dealt.where(Game.id < middle).limit(at_most - len(above))))


def audit(game_id: str) -> bool:
    """Whether the game is what its replay gives. The moves of others meanwhile are not seen: this is one look."""
    with reading() as session:
        wanted = select(Game).where(Game.id == game_id).options(selectinload(Game.players))
        game = session.scalars(wanted.options(undefer(Game.seed), undefer(Game.state))).one()
        try:
            _compare(session, game)
        except Fault as fault:
            log.error("a stored game differs from its replay", game=game_id, what=fault.what, decision=fault.decision)
            return False
        except Exception as error:  # its text may quote a card; and one broken game must not end the audit
            log.error("a stored game cannot be replayed", game=game_id, error=type(error).__name__)
            return False
    return True


def _compare(session: Session, game: Game) -> None:
    """Raises Fault at the first difference."""
    _check(hashlib.sha256(game.seed).hexdigest() == game.commitment, "commitment")
    for addition in archive.entropy_of(game):
        text = addition["revealed"]
        _check(text is None or hashlib.sha256(text.encode()).hexdigest() == addition["commitment"], "entropy")
    state = archive.dealt(game)
    moves = archive.moves_of(session, game)
    try:
        play_again(state, moves, archive.log_of(session, game), archive.left(session, game))
    except Difference as difference:
        raise Fault("log", difference.decision) from difference
    _compare_rows(session, game, len(moves), state.ended != "")
    _compare_state(game, state)


def _compare_rows(session: Session, game: Game, moves: int, ended_early: bool) -> None:
    """What the log says a second time, in other columns."""
    for move, decision in session.execute(_answered(game)):
        told = (decision.answered_at is not None, move.seat, move.json.get("notation"))
        _check(told == (True, decision.seat, move.notation), "move", move.number)
    numbers = list(session.scalars(select(Event.number).where(Event.game_id == game.id).order_by(Event.number)))
    _check(numbers == list(range(1, game.last_event + 1)), "numbers of events")
    types = select(Event.number).where(Event.game_id == game.id, Event.type != Event.data["type"].as_string())
    _check(session.scalar(types.limit(1)) is None, "types of events")
    open_ = session.execute(
        select(Decision.number, Decision.seat, Decision.kind).where(
            Decision.game_id == game.id, Decision.answered_at.is_(None)
        )
    )
    expected = [] if game.decision is None else [(game.decision, game.asked_seat, game.question_kind)]
    if ended_early:
        _check([row.number for row in open_] == [moves + 1], "decision that was open at the end", moves + 1)
    else:
        _check([tuple(row) for row in open_] == expected, "open decision", game.decision)
    _check(game.decision in (None, moves + 1), "number of the open decision", game.decision)


def _answered(game: Game) -> Select[Move, Decision]:
    return (
        select(Move, Decision)
        .join(Decision, (Decision.game_id == Move.game_id) & (Decision.number == Move.number))
        .where(Move.game_id == game.id)
    )


def _compare_state(game: Game, state: engine.State) -> None:
    """The stored state may be of an older schema: it is compared as it loads."""
    _check(engine.dump(games.state_of(game)) == engine.dump(state), "state")
    question = engine.question(state)
    if question is None:
        _compare_end(game, state)
    else:
        asked = (games.LETTERS[question.seat], question.kind)
        _check((game.status, game.asked_seat, game.question_kind) == ("running", *asked), "question")


def _compare_end(game: Game, state: engine.State) -> None:
    cancelled = state.ended == CANCELLATION
    result = ("cancelled", None) if cancelled else ("over", result_of(state))
    _check((game.status, game.result) == result and game.asked_seat is None, "result")
    _check(game.ended_by in (None, state.ended or BY_THE_RULES), "what it ended by")  # older games don't say
    resigned = tuple(games.LETTERS.index(seat.letter) for seat in game.players if seat.resigned_at is not None)
    _check(resigned == state.resigned, "who resigned")


def _check(holds: bool, what: str, decision: int | None = None) -> None:
    if not holds:
        raise Fault(what, decision)
