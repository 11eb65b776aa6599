"""Ending a game before its time."""

from __future__ import annotations

from typing import Any

from server.api.smorest import Resource
from server.errors import GameNotStarted, GameOver, HasResigned, NotAPlayer, UnknownGame
from server.schemas import games as schemas
from server.services import leaving
from server.services.accounts import Caller
from server.services.looking import Expects

blueprint = Resource(
    "leaving",
    __name__,
    url_prefix="/v1/games/<string:game_id>",
    description="Ending a game before its time: one resigns, or all agree to cancel.",
)

CAN_FAIL = (UnknownGame, NotAPlayer, GameNotStarted, GameOver)


@blueprint.operation("POST", "/resignation", "games:play", answer=schemas.Game, can_fail=CAN_FAIL)
def resign(caller: Caller, game_id: str) -> Any:
    """Resign

    For good. Of two players the other one has won: the game is over, with the points of the table as it lies. Of more the
    house plays my seat by the published default answers, I can't win any more, and the others go on until one is left or
    the game ends by its rules. To resign again changes nothing.
    """
    return leaving.resign(caller, game_id)


@blueprint.operation("POST", "/cancellation", "games:play", answer=schemas.Game, can_fail=(*CAN_FAIL, HasResigned))
def agree_to_cancel(caller: Caller, game_id: str) -> Any:
    """Agree to cancel the game

    When all who still play agree, the game is cancelled at once: nobody wins, and its record is open. Until then it goes on,
    everybody sees in `players` who `cancels`, and I may withdraw. To agree again changes nothing.
    """
    return leaving.agree_to_cancel(caller, game_id)


@blueprint.operation("DELETE", "/cancellation", "games:play", answer=schemas.Game, conditional=True, can_fail=CAN_FAIL)
def withdraw_cancellation(caller: Caller, game_id: str, expects: Expects) -> Any:
    """Withdraw my agreement to cancel the game

    Whoever has not agreed changes nothing.
    """
    return leaving.withdraw(caller, game_id, expects)
