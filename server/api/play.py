"""The table: looking at it, and playing."""

from __future__ import annotations

from typing import Any

from server.api.paging import feed
from server.api.smorest import ANYBODY, Resource, etag, known
from server.errors import (
    BadNotation,
    DecisionClosed,
    DecisionNotOpen,
    GameNotStarted,
    GameOver,
    IllegalMove,
    InsufficientScope,
    NoSpectators,
    NotAPlayer,
    NotYourDecision,
    TokenMissing,
    UnknownGame,
)
from server.schemas import play as schemas
from server.services import looking, play
from server.services.accounts import Caller

blueprint = Resource(
    "play", __name__, url_prefix="/v1/games/<string:game_id>", description="The table: looking at it, and playing."
)

CANT_LOOK = (UnknownGame, NoSpectators, TokenMissing, InsufficientScope)


@blueprint.operation(
    "GET", "/view", ANYBODY, answer=schemas.View, versioned=True, can_fail=(*CANT_LOOK, GameNotStarted)
)
def get_view(caller: Caller | None, game_id: str) -> Any:
    """The table as I may see it

    A player sees his hand and his own pile; anybody else sees what a spectator sees, if the game lets spectators in.
    """
    return looking.view(caller, game_id, known)


@blueprint.operation(
    "GET",
    "/legal-moves",
    "games:play",
    "games:read",
    answer=schemas.LegalMoveList,
    can_fail=(UnknownGame, NotAPlayer, NotYourDecision, GameNotStarted, GameOver),
)
def list_legal_moves(caller: Caller, game_id: str) -> Any:
    """The answers to my open decision

    Numbered from 1, each as notation, as JSON object and as a sentence. Only for whoever the game waits for.
    """
    return looking.legal_moves(caller, game_id)


@blueprint.operation(
    "POST",
    "/moves",
    "games:play",
    body=schemas.NewMove,
    answer=schemas.MoveAnswer,
    status=201,
    replays=True,
    can_fail=(
        UnknownGame,
        NotAPlayer,
        NotYourDecision,
        DecisionClosed,
        DecisionNotOpen,
        GameNotStarted,
        GameOver,
        IllegalMove,
        BadNotation,
    ),
)
def play_move(caller: Caller, game_id: str, body: dict[str, Any]) -> Any:
    """Answer a decision

    Safe to repeat: the same answer to the same decision gets the first response once more, as 200 with
    `Idempotency-Replayed: true`; another answer is `decision-closed`. An illegal move changes nothing and says which rule
    (`reason`).
    """
    return _told(play.answer(caller, game_id, body["decision"], body["move"]))


def _told(answered: play.Answered) -> Any:
    if answered.version is None:
        return answered.body, 200, {"Idempotency-Replayed": "true"}
    return answered.body, 201, {"ETag": etag(answered.version)}


@blueprint.operation("GET", "/events", ANYBODY, query=schemas.EventQuery, answer=schemas.EventList, can_fail=CANT_LOOK)
def list_events(caller: Caller | None, game_id: str, query: dict[str, Any]) -> Any:
    """What happened, in order, as I may know it

    A feed to be resumed: ask again with `next_after` as `after`.
    """
    return feed(looking.events(caller, game_id, **query))
