"""Ending a game before its time: one resigns, or all agree to cancel."""

from __future__ import annotations

from typing import Any

from server import clock, kicking
from server.database import transaction
from server.errors import GameNotStarted, GameOver, HasResigned
from server.models import Game
from server.said import said
from server.services import feeds, games, houses, looking, notifying
from server.services.accounts import Caller
from server.services.looking import Expects


def resign(caller: Caller, game_id: str) -> dict[str, Any]:
    """The caller gives up. To do it again changes nothing."""
    with transaction() as session:
        game = games.lock(session, game_id, caller)
        seat = games.own_seat(game, caller)
        if seat.resigned_at is None:
            _must_run(game)
            now = clock.now()
            houses.hand_over(session, game, seat, now)
            notifying.player_resigned(session, game, seat, now)
        answer = games.about(session, game)
    kicking.kick()
    return answer


def agree_to_cancel(caller: Caller, game_id: str) -> dict[str, Any]:
    """The last one who agrees cancels the game. To agree again changes nothing."""
    with transaction() as session:
        now = clock.now()
        game = games.lock(session, game_id, caller)
        seat = games.own_seat(game, caller)
        if seat.cancels_at is None:
            _must_run(game)
            if seat.resigned_at is not None:
                raise HasResigned(said("you have resigned: the others decide how the game ends"))
            seat.cancels_at = now
            game.version += 1
            feeds.note(session, game, "cancellation", now)
            if houses.all_cancel(game):
                houses.call_off(session, game, games.state_of(game), now)
        answer = games.about(session, game)
    kicking.kick()
    return answer


def withdraw(caller: Caller, game_id: str, expects: Expects) -> dict[str, Any]:
    """The caller does not agree to cancel any more. Whoever never did changes nothing."""
    with transaction() as session:
        game = games.lock(session, game_id, caller)
        seat = games.own_seat(game, caller)
        expects(looking.summary_version(game))
        _must_run(game)
        if seat.cancels_at is not None:
            seat.cancels_at = None
            game.version += 1
            feeds.note(session, game, "cancellation", clock.now())
        return games.about(session, game)


def _must_run(game: Game) -> None:
    if game.status == "open":
        raise GameNotStarted(said("the game has not begun: leave your seat, or have the host call it off"))
    if game.status == "cancelled":
        raise GameOver(said("the game was cancelled"))
    if game.status != "running":
        raise GameOver(said("the game is over"))
