"""Standing orders: what a player leaves to be played for him."""

from __future__ import annotations

from typing import Any

from server.api.smorest import Resource, known
from server.errors import BadOrders, GameNotStarted, GameOver, HasResigned, NotAPlayer, UnknownGame
from server.schemas import orders as schemas
from server.services.accounts import Caller
from server.services.looking import Expects
from server.services.orders import keeping

blueprint = Resource(
    "orders", __name__, url_prefix="/v1/games/<string:game_id>", description="What I leave to be played for me."
)

CAN_FAIL = (UnknownGame, NotAPlayer, GameNotStarted, GameOver, HasResigned)


@blueprint.operation(
    "GET", "/orders", "games:play", "games:read", answer=schemas.Orders, versioned=True, can_fail=CAN_FAIL
)
def get_orders(caller: Caller, game_id: str) -> Any:
    """My standing orders, and what they did

    Nobody else is told what they are, or that there are any. That an answer was theirs only I am told: in `acted`, which
    begins anew when I move myself, and as `by` in `GET …/moves`. What GET answers can be sent back. When the game ends they
    are deleted.
    """
    return keeping.look(caller, game_id, known)


@blueprint.operation(
    "PUT",
    "/orders",
    "games:play",
    body=schemas.NewOrders,
    answer=schemas.Orders,
    conditional=True,
    can_fail=(*CAN_FAIL, BadOrders),
)
def put_orders(caller: Caller, game_id: str, body: dict[str, Any], expects: Expects) -> Any:
    """Leave orders, in place of those there were

    They act at the moment when a decision becomes mine, before anybody is notified; at once, if one is mine already. I am
    asked where they have no answer. A line each:

    - `play camouflage A1, pass`: moves, played one by one when they are legal; one of another phase waits for that.
      In feeding a second main action ends the go, and waits for the next one;
    - `defend run, drop tail-loss, mimic`, `defend A2 drop camouflage`: how to answer an attack, of all animals or of one;
    - `scavenge A3, A1`: who eats a carcass; `share cooperation, communication A1>A2`: which pair fires first;
    - `pass development after 2` cards of a turn, `pass development when hand empty`, `pass feeding when nothing to receive`;
    - `stop when attacked`, `stop when bank below 3`, `stop when turn changed` since I gave them: ends the queue of moves;
    - `if illegal skip`: a move that is illegal when its time has come is left out; without this line it ends the queue, and
      `stopped` says why.

    Send the `ETag` of what I have seen as `If-Match`, and a request that is sent twice is not carried out twice.
    """
    return keeping.give(caller, game_id, body["lines"], expects)


@blueprint.operation(
    "PATCH",
    "/orders",
    "games:play",
    body=schemas.NewOrders,
    answer=schemas.Orders,
    conditional=True,
    can_fail=(*CAN_FAIL, BadOrders),
)
def add_orders(caller: Caller, game_id: str, body: dict[str, Any], expects: Expects) -> Any:
    """Leave further orders

    Moves are put behind those of the queue, defences behind those there are; another line of a kind that there is once
    takes its place. What `stop when` looks at counts from now. With `If-Match` nothing is added twice.
    """
    return keeping.add(caller, game_id, body["lines"], expects)


@blueprint.operation("DELETE", "/orders", "games:play", status=204, conditional=True, can_fail=CAN_FAIL)
def delete_orders(caller: Caller, game_id: str, expects: Expects) -> None:
    """Withdraw my orders

    What they have done stays done. Without orders this changes nothing.
    """
    keeping.withdraw(caller, game_id, expects)
