"""Moves in a letter: numbers are turned into the moves that were printed beside them, and all are played as one list.

Each move is committed together with a mark on the letter that it came by. So whoever takes up a letter that has the mark
tells the same list again, which plays nothing twice; and whoever takes up one without it plays only if the decision that the
letter answers is open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy.orm import Session

from server.database import reading
from server.errors import PROBLEMS, DomainError
from server.models import Game, Letter, Move
from server.said import Said, said
from server.services import outbox
from server.services import play as answering
from server.services.inbound.verdicts import Case

if TYPE_CHECKING:
    from server.services.inbound.table import Desk


class _NoSuchNumber(Exception):
    def __init__(self, item: str) -> None:
        self.item = item


def play(desk: Desk, items: Sequence[str]) -> None:
    decision = desk.case.token.decision
    if decision is None:
        desk.tell("refused", said("the letter that you answered asked for no move"))
        return
    if not _has_begun(desk.case) and (reason := _closed(desk, decision)):
        desk.tell("stale", reason)
        return
    try:
        _play_list(desk, decision, _as_printed(desk.case.token.printed or [], items))
    except _NoSuchNumber as error:
        last = len(desk.case.token.printed or [])
        desk.tell(
            "refused",
            said("nothing was played: the letter that you answered has the moves 1 to {last}, and no {number}", last=last, number=error.item),
        )  # fmt: skip


def _as_printed(printed: Sequence[str], items: Sequence[str]) -> list[str]:
    moves = []
    for item in items:
        if item.isdigit() and not 1 <= int(item) <= len(printed):
            raise _NoSuchNumber(item)
        moves.append(printed[int(item) - 1] if item.isdigit() else item)
    return moves


def _has_begun(case: Case) -> bool:
    return case.letter.decision is not None


def _closed(desk: Desk, decision: int) -> Said | None:
    """Why nothing is played, as it is when the letter is looked at."""
    with reading() as session:
        game = session.get_one(Game, desk.game_id)
        if (game.status, game.decision, game.asked_seat) == ("running", decision, desk.seat):
            return None
        answer = session.get(Move, (game.id, decision))
        if answer is not None and answer.seat == desk.seat:
            return said(
                "nothing was played: decision {number}, which your letter answers, is closed; its answer was {move}",
                number=decision, move=answer.notation,
            )  # fmt: skip
        return said("nothing was played: decision {number}, which your letter answers, is closed", number=decision)


def _play_list(desk: Desk, decision: int, moves: list[str]) -> None:
    try:
        body = answering.answer(desk.caller, desk.game_id, decision, moves=moves, noting=_mark(desk, decision)).body
    except DomainError as refusal:
        desk.problem = PROBLEMS[type(refusal)].code
        desk.tell("refused", said("{move} was not played: {why}", move=moves[0], why=refusal.detail))
        if candidates := refusal.members.get("candidates"):
            desk.tell("refused", said("perhaps you meant: {candidates}", candidates=candidates))
        return
    _tell(desk, body)


def _tell(desk: Desk, body: dict[str, Any]) -> None:
    played = [step["move"]["notation"] for step in body["played"]]
    desk.tell("played", said("played: {moves}", moves=played))
    if body["stopped"] is not None:
        desk.problem = body["stopped"]["reason"]
        desk.tell(
            "played",
            said("the rest was not played ({moves}): {why}", moves=body["not_played"], why=body["stopped"]["detail"]),
        )  # fmt: skip


def _mark(desk: Desk, decision: int) -> Any:
    """On the letter, in the transaction of each move. The answer to the letter tells of his next decision, if he has one,
    so he gets no other mail about that."""

    def note(session: Session) -> None:
        session.flush()
        letter = session.get(Letter, desk.case.letter.id, with_for_update=True)
        if letter is not None:
            letter.decision = decision
        outbox.replace_turn_notice(session, desk.game_id, desk.caller.account_id, desk.case.now)

    return note
