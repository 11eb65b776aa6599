"""Push bots: the answer to a webhook may hold the move. It is played by the very call that the API uses, before the
attempt is settled: if we die in between the notice is looked at again, and found answered. The number of the decision makes
sure that it is played once, however often it comes."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import structlog

from server.errors import PROBLEMS, DecisionClosed, DomainError, GameOver, NotYourDecision
from server.services import play
from server.services.accounts import Caller
from server.services.settling import Outcome

log = structlog.get_logger(__name__)

LONGEST = 4096  # bytes of an answer
LATER = 202  # the receiver will post its answer itself
TOLD = 500  # characters of a detail that are kept
CLOSED = (DecisionClosed, GameOver, NotYourDecision)  # somebody was quicker: the owner by hand, or the house


@dataclass(frozen=True)
class Asked:
    """The decision that a webhook tells of, and whose it is."""

    account_id: str
    game_id: str
    decision: int


class _Unreadable(Exception):
    """No answer, and no silence either."""


def take(asked: Asked, outcome: Outcome) -> Outcome:
    """Plays the move in a reply, if there is one; the outcome tells what became of it. Never raises."""
    if outcome.kind != "sent":
        return outcome
    if outcome.status == LATER:
        return replace(outcome, answer="later")
    if (
        not outcome.whole and len(outcome.body) < LONGEST
    ):  # it broke off: the move in it would be lost, so it is asked for again
        return replace(outcome, kind="ambiguous", answer="unreadable", detail="the body broke off")
    try:
        given = _read(outcome)
    except _Unreadable as error:
        return replace(outcome, answer="unreadable", detail=_kept(str(error)))
    return outcome if given is None else _played(asked, given, outcome)


def _played(asked: Asked, given: dict[str, Any], outcome: Outcome) -> Outcome:
    caller = Caller(asked.account_id, frozenset({"games:play"}))
    try:
        stopped = play.answer(caller, asked.game_id, asked.decision, **given).body["stopped"]
    except CLOSED:
        return replace(outcome, answer="closed")
    except DomainError as error:
        code = PROBLEMS[type(error)].code
        return replace(outcome, answer="refused", problem=code, detail=_kept(error.detail))
    except Exception as error:
        log.exception("an answer could not be played", game=asked.game_id, decision=asked.decision)
        detail = f"a fault of ours: {type(error).__name__}"
        return replace(outcome, kind="ambiguous", ours=True, answer="failed", detail=detail)
    if stopped is None:
        return replace(outcome, answer="played")
    return replace(outcome, answer="played", problem=stopped["reason"], detail=_kept(stopped["detail"]))


def _read(outcome: Outcome) -> dict[str, Any] | None:
    """`{"move": …}` or `{"moves": […]}`; None when nothing is answered at all."""
    if not outcome.whole:
        raise _Unreadable(f"more than {LONGEST} bytes")
    if not outcome.body.strip():
        return None
    given = _parsed(outcome.body)
    if not isinstance(given, dict):
        raise _Unreadable("an object is expected")
    if not given.keys() & {"move", "moves"}:
        return None
    if len(given) > 1:
        raise _Unreadable("`move` or `moves` is expected, and nothing beside it")
    _check_moves(given["moves"] if "moves" in given else [given["move"]])
    return given


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body.decode(), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise _Unreadable("JSON in UTF-8 is expected") from error


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON")


def _check_moves(moves: Any) -> None:
    if not isinstance(moves, list) or not moves or not all(isinstance(move, str | dict) for move in moves):
        raise _Unreadable("a move is text or an object; `moves` a list of at least one")


def _kept(text: str) -> str:
    """As a database takes it: what a bot says may hold signs that are none."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")[:TOLD]
