"""The lobby: games."""

from __future__ import annotations

from typing import Any

from server import queries
from server.api.paging import page
from server.api.smorest import ANYBODY, Resource, known
from server.errors import (
    BadOption,
    BotDeclines,
    GameNotOver,
    GameOver,
    GameStarted,
    InvitationNeeded,
    NoFreeSeat,
    NotAPlayer,
    NotTheHost,
    RulesFixed,
    SamePerson,
    SeatsTaken,
    TokenMissing,
    TooFewPlayers,
    UnknownGame,
)
from server.schemas import games as schemas
from server.services import lobby, looking, rematch, starting
from server.services.accounts import Caller
from server.services.looking import Expects

blueprint = Resource(
    "games",
    __name__,
    url_prefix="/v1/games",
    description="The lobby: games before their first move, and what is public about all of them.",
)

NOT_MINE_TO_CHANGE = (UnknownGame, NotTheHost, GameStarted, GameOver)


@blueprint.operation("GET", "", ANYBODY, query=schemas.GameQuery, answer=schemas.GameList, can_fail=(TokenMissing,))
def list_games(caller: Caller | None, query: dict[str, Any]) -> Any:
    """Games, the newest first

    Those that are listed, my own, and those that I am invited to. The filters narrow each other down.
    """
    return page(queries.list_games(caller, **query))


@blueprint.operation(
    "POST",
    "",
    "games:play",
    body=schemas.NewGame,
    answer=schemas.Game,
    status=201,
    repeatable=True,
    can_fail=(BadOption, BotDeclines),
)
def create_game(caller: Caller, body: dict[str, Any]) -> Any:
    """Make a game

    I become its host and have seat A. The `commitment` in the answer binds the server to all the chance that will come;
    with `entropy_commitment` I bind myself to what I shall add to it. A game that does not start within 14 days is cancelled.

    Three switches say how private it is: `listed`, `join`, `spectators`.
    """
    made = lobby.create(caller, **body)
    return made, {"Location": made.body["links"]["game"]}


@blueprint.operation("GET", "/<string:game_id>", ANYBODY, answer=schemas.Game, versioned=True, can_fail=(UnknownGame,))
def get_game(caller: Caller | None, game_id: str) -> Any:
    """What is public about a game

    A game that is not shown to the caller is 404, here as everywhere.
    """
    return looking.summary(caller, game_id, known)


@blueprint.operation(
    "PATCH",
    "/<string:game_id>",
    "games:play",
    body=schemas.GameChanges,
    answer=schemas.Game,
    conditional=True,
    can_fail=(*NOT_MINE_TO_CHANGE, RulesFixed, SeatsTaken, BadOption, BotDeclines),
)
def update_game(caller: Caller, game_id: str, body: dict[str, Any], expects: Expects) -> Any:
    """Change a game of mine before it starts

    What is left out stays. `options`, `own_bots` and `spectators` are what the others sat down to: they can be changed only
    while nobody else sits there. A full table starts when I no longer want to start it myself.
    """
    return lobby.change(caller, game_id, body, expects)


@blueprint.operation(
    "DELETE", "/<string:game_id>", "games:play", status=204, conditional=True, can_fail=NOT_MINE_TO_CHANGE
)
def cancel_game(caller: Caller, game_id: str, expects: Expects) -> None:
    """Call off a game of mine before it starts

    It stays to be seen as `cancelled`, and those who sat there are told. A game that has started ends by its rules, or by
    the agreement of all.
    """
    lobby.cancel(caller, game_id, expects)


@blueprint.operation(
    "POST",
    "/<string:game_id>/start",
    "games:play",
    answer=schemas.Game,
    can_fail=(*NOT_MINE_TO_CHANGE, TooFewPlayers, BadOption, BotDeclines),
)
def start_game(caller: Caller, game_id: str) -> Any:
    """Start with the players who are there

    For the host alone, with two players at least; seats that are still free go away. If entropy can be revealed only now,
    since they have gone, the game stays `open` and waits for that; a second call does not wait.
    """
    return starting.start(caller, game_id)


@blueprint.operation(
    "POST",
    "/<string:game_id>/rematch",
    "games:play",
    body=schemas.NewSeat,
    answer=schemas.Game,
    status=201,
    repeatable=True,
    replays=True,
    can_fail=(
        UnknownGame,
        NotAPlayer,
        GameNotOver,
        InvitationNeeded,
        NoFreeSeat,
        GameStarted,
        GameOver,
        BotDeclines,
        SamePerson,
    ),
)
def make_rematch(caller: Caller, game_id: str, body: dict[str, Any]) -> Any:
    """The same table again

    For the players of a game that is over. Whoever calls first makes the new game (201): same seats, options and switches, for
    the players of the old one, each of whom is invited. Whoever calls later sits down there and gets the same game (200),
    and so does whoever calls again.
    """
    made = rematch.rematch(caller, game_id, **body)
    return made.game, 201 if made.new else 200, {"Location": made.game.body["links"]["game"]}
