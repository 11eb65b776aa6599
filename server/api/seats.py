"""The lobby: who sits at a table."""

from __future__ import annotations

from typing import Any

from server.api.smorest import Resource
from server.errors import (
    AlreadySeated,
    BotDeclines,
    EntropyCommitted,
    EntropyRevealed,
    GameOver,
    GameStarted,
    HostKeepsSeat,
    InvitationNeeded,
    NoEntropyCommitted,
    NoFreeSeat,
    NotAPlayer,
    NotTheHost,
    SamePerson,
    SeatsStillFree,
    UnknownGame,
    UnknownSeat,
    WrongEntropy,
)
from server.schemas import games as schemas
from server.services import seating, starting
from server.services.accounts import Caller
from server.services.looking import Expects

blueprint = Resource(
    "seats",
    __name__,
    url_prefix="/v1/games/<string:game_id>/seats",
    description="Who sits at a table before the game starts, and what each adds to its chance.",
)


@blueprint.operation(
    "POST",
    "",
    "games:play",
    body=schemas.NewSeat,
    answer=schemas.Game,
    status=201,
    repeatable=True,
    can_fail=(
        UnknownGame,
        AlreadySeated,
        NoFreeSeat,
        GameStarted,
        GameOver,
        InvitationNeeded,
        BotDeclines,
        SamePerson,
    ),
)
def join_game(caller: Caller, game_id: str, body: dict[str, Any]) -> Any:
    """Take the next free seat

    The last seat starts the game, unless its host wants to do that himself, or somebody has entropy to reveal. An invitation
    to my account or its address is used up by it.
    """
    made = seating.join(caller, game_id, **body)
    return made, {"Location": made.body["links"]["game"]}


@blueprint.operation(
    "DELETE",
    "/me",
    "games:play",
    status=204,
    conditional=True,
    can_fail=(UnknownGame, NotAPlayer, HostKeepsSeat, GameStarted, GameOver),
)
def leave_game(caller: Caller, game_id: str, expects: Expects) -> None:
    """Leave before the start

    The players after me move up by a letter. If entropy was revealed already, what was shown is void, and those who
    showed it may commit to another text. The host can't leave: he deletes the game.
    """
    seating.leave(caller, game_id, expects)


@blueprint.operation(
    "DELETE",
    "/<string:letter>",
    "games:play",
    answer=schemas.Game,
    conditional=True,
    can_fail=(UnknownGame, NotTheHost, UnknownSeat, HostKeepsSeat, GameStarted, GameOver),
)
def unseat_player(caller: Caller, game_id: str, letter: str, expects: Expects) -> Any:
    """Take a player's seat away before the start

    For the host alone. Letters move up when somebody leaves, so send `If-Match` with the ETag of the game that you saw.
    """
    return seating.unseat(caller, game_id, letter, expects)


@blueprint.operation(
    "PUT",
    "/me/entropy-commitment",
    "games:play",
    body=schemas.Commitment,
    answer=schemas.Game,
    conditional=True,
    can_fail=(UnknownGame, NotAPlayer, EntropyCommitted, EntropyRevealed, GameStarted, GameOver),
)
def commit_entropy(caller: Caller, game_id: str, body: dict[str, Any], expects: Expects) -> Any:
    """Commit to entropy after sitting down

    For who did not do it with his seat, or whose text was shown in vain because somebody left. As long as nobody has
    revealed a text.
    """
    return starting.commit(caller, game_id, **body, expects=expects)


@blueprint.operation(
    "POST",
    "/me/entropy",
    "games:play",
    body=schemas.Entropy,
    answer=schemas.Game,
    can_fail=(UnknownGame, NotAPlayer, NoEntropyCommitted, SeatsStillFree, GameStarted, GameOver, WrongEntropy),
)
def reveal_entropy(caller: Caller, game_id: str, body: dict[str, Any]) -> Any:
    """Reveal the entropy that I committed to

    Between the last seat taken and the deal. A game that starts by itself waits until all is revealed, or its host starts
    it; what is not revealed then is left out. The same text may be sent again.
    """
    return starting.reveal(caller, game_id, **body)
