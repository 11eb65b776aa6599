"""The table: looking at it, and playing."""

from __future__ import annotations

from typing import Any

from flask import request

from server.api.paging import feed, waited
from server.api.repetition import REPLAYED
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
    UnknownDecision,
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
    "GET",
    "/view",
    ANYBODY,
    query=schemas.ViewQuery,
    answer=schemas.View,
    versioned=True,
    can_fail=(*CANT_LOOK, GameNotStarted, UnknownDecision),
)
def get_view(caller: Caller | None, game_id: str, query: dict[str, Any]) -> Any:
    """The table as I may see it

    A player sees his hand and his own pile; anybody else sees what a spectator sees, if the game lets spectators in. With
    `at` the table as I saw it when that decision was asked.
    """
    return looking.view(caller, game_id, known, **query)


@blueprint.operation(
    "GET",
    "/view.txt",
    ANYBODY,
    query=schemas.ViewQuery,
    media="text/plain",
    versioned=True,
    can_fail=(*CANT_LOOK, GameNotStarted, UnknownDecision),
)
def get_view_text(caller: Caller | None, game_id: str, query: dict[str, Any]) -> Any:
    """The table drawn in plain text

    The same for people, at most 78 columns wide, in the language asked for: food as filled and empty circles, fat as filled
    and empty squares.
    """
    return looking.drawn(caller, game_id, known, **query)


@blueprint.operation(
    "GET",
    "/view.svg",
    ANYBODY,
    query=schemas.PictureQuery,
    media="image/svg+xml",
    versioned=True,
    can_fail=(*CANT_LOOK, GameNotStarted, UnknownDecision),
)
def get_view_svg(caller: Caller | None, game_id: str, query: dict[str, Any]) -> Any:
    """The table as a picture

    SVG without anything from outside: seats by shape and letter, animals with their traits, food in red (the bank) and blue,
    fat in yellow, paired cards as lines, whose go it is, and my own hand.
    """
    return looking.picture(caller, game_id, known, **query)


@blueprint.operation(
    "GET",
    "/view.png",
    ANYBODY,
    query=schemas.PictureQuery,
    media="image/png",
    versioned=True,
    can_fail=(*CANT_LOOK, GameNotStarted, UnknownDecision),
)
def get_view_png(caller: Caller | None, game_id: str, query: dict[str, Any]) -> Any:
    """The same picture as PNG"""
    return looking.photograph(caller, game_id, known, **query)


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

    `moves` plays several in a row. Each is final before the next is looked at. It stops, keeping what was played, when dice
    were rolled or cards drawn, when another seat is asked, or at a move that can't be played: `not_played` and `stopped`
    say so. An `end` or `pass` at the close of the list is dropped when the go has ended by itself. Only if the first move
    can't be played is the whole refused. What was played is never taken back: send the same list again after a lost answer.

    Standing orders, mine too, answer within the same request: see `cascade`. They wait while there are `moves` left to play.

    `dry_run` tells whether `move` is legal, as 200, and changes nothing.
    """
    return _told(play.answer(caller, game_id, body.pop("decision"), **body))


def _told(answered: play.Answered) -> Any:
    if answered.version is not None:
        return answered.body, 201, {"ETag": etag(answered.version)}
    return answered.body, 200, REPLAYED if answered.again else {}


@blueprint.operation("GET", "/moves", ANYBODY, query=schemas.AnswerQuery, answer=schemas.AnswerList, can_fail=CANT_LOOK)
def list_moves(caller: Caller | None, game_id: str, query: dict[str, Any]) -> Any:
    """The answers that were given, in order, as I may know them

    Which card another seat plays face down as an animal is not told: `animal ?`. A feed to be resumed: ask again with
    `next_after` as `after`.
    """
    return feed(looking.moves(caller, game_id, **query))


@blueprint.operation(
    "GET",
    "/events",
    ANYBODY,
    query=schemas.EventQuery,
    answer=schemas.EventList,
    waits=True,
    can_fail=CANT_LOOK,
)
def list_events(caller: Caller | None, game_id: str, query: dict[str, Any]) -> Any:
    """What happened, in order, as I may know it

    A feed to be resumed: ask again with `next_after` as `after`. With `wait` the request is held until there is something,
    else the answer is 204, and `after` is still good. Your client's read timeout must be longer than `wait`.
    """
    return waited(feed, looking.events(caller, game_id, request.remote_addr, **query))
