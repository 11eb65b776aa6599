"""That the game was fair, and the game itself once it is over."""

from __future__ import annotations

from typing import Any

from server.api.smorest import ANYBODY, Resource, known
from server.errors import GameNotOver, InsufficientScope, NoSpectators, TokenMissing, UnknownGame
from server.schemas import fairness as schemas
from server.services import fairness
from server.services.accounts import Caller

blueprint = Resource(
    "fairness",
    __name__,
    url_prefix="/v1/games/<string:game_id>",
    description="What binds the server and the players before the deal, and the proof after the end.",
)

CANT_LOOK = (UnknownGame, NoSpectators, TokenMissing, InsufficientScope, GameNotOver)


@blueprint.operation("GET", "/fairness", ANYBODY, answer=schemas.Fairness, versioned=True, can_fail=(UnknownGame,))
def get_fairness(caller: Caller | None, game_id: str) -> Any:
    """What binds the chance of this game

    The commitment to the seed and those of the players, with what they have revealed. The seed itself is shown when the
    game is over for all.
    """
    return fairness.fairness(caller, game_id, known)


@blueprint.operation("GET", "/record", ANYBODY, answer=schemas.Record, versioned=True, can_fail=CANT_LOOK)
def get_record(caller: Caller | None, game_id: str) -> Any:
    """The record of a finished game

    Everything, hidden cards included: for its players, and for everybody where spectators were let in. Save it, and
    `python -m engine verify RECORD.json` replays it and checks every card, die, move and point.
    """
    return fairness.record(caller, game_id, known)


@blueprint.operation("GET", "/record.txt", ANYBODY, media="text/plain", versioned=True, can_fail=CANT_LOOK)
def get_record_text(caller: Caller | None, game_id: str) -> Any:
    """The record for people to read

    The same as text: the moves in notation, and what came of each in a sentence.
    """
    return fairness.record_text(caller, game_id, known)
