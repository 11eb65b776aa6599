"""The lobby."""

from __future__ import annotations

from typing import Any

from server import queries
from server.api.paging import page
from server.api.smorest import ANYBODY, Resource, known
from server.errors import (
    AlreadySeated,
    BadOption,
    GameStarted,
    InvitationNeeded,
    NoEntropyCommitted,
    NoFreeSeat,
    NotAPlayer,
    NotTheHost,
    SeatsStillFree,
    TokenMissing,
    TooFewPlayers,
    UnknownGame,
    WrongEntropy,
)
from server.schemas import games as schemas
from server.services import lobby, looking
from server.services.accounts import Caller

blueprint = Resource(
    "games",
    __name__,
    url_prefix="/v1/games",
    description="The lobby: games before their first move, and what is public about all of them.",
)


@blueprint.operation("GET", "", ANYBODY, query=schemas.GameQuery, answer=schemas.GameList, can_fail=(TokenMissing,))
def list_games(caller: Caller | None, query: dict[str, Any]) -> Any:
    """Games, the newest first

    Those that are listed, and my own. The filters narrow each other down.
    """
    return page(queries.list_games(caller, **query))


@blueprint.operation(
    "POST", "", "games:play", body=schemas.NewGame, answer=schemas.Game, status=201, can_fail=(BadOption,)
)
def create_game(caller: Caller, body: dict[str, Any]) -> Any:
    """Make a game

    I become its host and have seat A. The `commitment` in the answer binds the server to all the chance that will come;
    with `entropy_commitment` I bind myself to what I shall add to it.
    """
    game = lobby.create(caller, **body)
    return game, {"Location": game["links"]["game"]}


@blueprint.operation("GET", "/<string:game_id>", ANYBODY, answer=schemas.Game, versioned=True, can_fail=(UnknownGame,))
def get_game(caller: Caller | None, game_id: str) -> Any:
    """What is public about a game

    A game that is not shown to the caller is 404, here as everywhere.
    """
    return looking.summary(caller, game_id, known)


@blueprint.operation(
    "POST",
    "/<string:game_id>/seats",
    "games:play",
    body=schemas.NewSeat,
    answer=schemas.Game,
    status=201,
    can_fail=(UnknownGame, AlreadySeated, NoFreeSeat, GameStarted, InvitationNeeded),
)
def join_game(caller: Caller, game_id: str, body: dict[str, Any]) -> Any:
    """Take the next free seat

    The last seat starts the game, unless its host wants to do that himself, or somebody has entropy to reveal.
    """
    return lobby.join(caller, game_id, **body)


@blueprint.operation(
    "POST",
    "/<string:game_id>/seats/me/entropy",
    "games:play",
    body=schemas.Entropy,
    answer=schemas.Game,
    can_fail=(UnknownGame, NotAPlayer, NoEntropyCommitted, SeatsStillFree, GameStarted, WrongEntropy),
)
def reveal_entropy(caller: Caller, game_id: str, body: dict[str, Any]) -> Any:
    """Reveal the entropy that I committed to

    Between the last seat taken and the deal. A game that starts by itself waits until all is revealed, or its host starts
    it; what is not revealed then is left out. The same text may be sent again.
    """
    return lobby.reveal(caller, game_id, **body)


@blueprint.operation(
    "POST",
    "/<string:game_id>/start",
    "games:play",
    answer=schemas.Game,
    can_fail=(UnknownGame, NotTheHost, GameStarted, TooFewPlayers, BadOption),
)
def start_game(caller: Caller, game_id: str) -> Any:
    """Start with the players who are there

    For the host alone, with two players at least; seats that are still free go away. If entropy can be revealed only now,
    since they have gone, the game stays `open` and waits for that; a second call does not wait.
    """
    return lobby.start(caller, game_id)
