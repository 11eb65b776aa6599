"""That nobody chose the chance of a game: what everybody may check while it runs, and everything once it is over."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from engine.chance import stream_key
from engine.records import entropy_by_seat, make_record, print_record
from server import links
from server.database import reading
from server.errors import DomainError, GameNotOver
from server.models import Game
from server.said import said
from server.services import archive, games
from server.services.accounts import Caller
from server.services.looking import Known, Version, Versioned


def fairness(caller: Caller | None, game_id: str, known: Known) -> Versioned:
    """What the server and the players bound themselves to; with the proof for those to whom the record is shown."""
    with reading() as session:
        game = games.find(session, game_id, caller)
        proven = _is_finished(game) and _may_look(game, caller)
        version = ("fairness", game.id, game.version, proven)
        if known(version):
            return Versioned(version)
        return Versioned(
            version,
            {
                "game": game.id,
                "status": game.status,
                "commitment": game.commitment,
                "entropy": archive.entropy_of(game),
                "proof": _proof(game) if proven else None,
            },
        )


def _may_look(game: Game, caller: Caller | None) -> bool:
    try:
        games.viewer_of(game, caller)
    except DomainError:
        return False
    return True


def _proof(game: Game) -> dict[str, Any]:
    """Only of a game that is over for all: whoever has the seed knows every card and every die."""
    key = stream_key(game.seed, entropy_by_seat(archive.entropy_of(game)))
    return {"seed": game.seed.hex(), "key": key.hex(), "record": links.of_game(game.id)["record"]}


def record(caller: Caller | None, game_id: str, known: Known) -> Versioned:
    """The complete game, to be replayed and checked."""
    with reading() as session:
        game, version = _finished(session, caller, game_id, "json")
        return Versioned(version, None if known(version) else _record(session, game))


def record_text(caller: Caller | None, game_id: str, known: Known) -> Versioned:
    """The same for people to read."""
    with reading() as session:
        game, version = _finished(session, caller, game_id, "text")
        return Versioned(version, None if known(version) else print_record(_record(session, game)))


def _finished(session: Session, caller: Caller | None, game_id: str, form: str) -> tuple[Game, Version]:
    game = games.find(session, game_id, caller)
    games.viewer_of(game, caller)
    if not _is_finished(game):
        raise GameNotOver(said("it is {status}; the record is made of a game that is over", status=game.status))
    return game, ("record", game.id, game.version, form, *games.names(game))


def _is_finished(game: Game) -> bool:
    """Played to some end: one that was called off before it began has nothing to show."""
    return game.status in ("over", "cancelled") and game.started_at is not None


def _record(session: Session, game: Game) -> dict[str, Any]:
    return make_record(
        about=_about(game),
        seed=game.seed,
        seats=game.seats,
        options=game.options,
        entropy=archive.entropy_of(game),
        moves=archive.moves_of(session, game),
        events=archive.log_of(session, game),
        end=games.state_of(game),
        resignations=archive.resignations_of(session, game),
    )


def _about(game: Game) -> dict[str, Any]:
    return {
        "game": game.id,
        "players": [{"seat": seat.letter, "name": seat.account.name} for seat in game.players],
        "started_at": _time(game.started_at),
        "ended_at": _time(game.ended_at),
    }


def _time(at: datetime | None) -> str | None:
    """As everywhere in the API."""
    return None if at is None else at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
