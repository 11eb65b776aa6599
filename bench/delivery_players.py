"""Those who move: `python -m bench.delivery_players GAMES RATE SECONDS BEGINS` prints a line for each commit of a move."""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.orm import Session

import engine
from server import database, links
from server.config import Settings
from server.database import reading, transaction
from server.models import Game
from server.services import lobby, play, seating
from server.services.accounts import Caller
from tests.workers import rows

SWITCHES = {"listed": True, "join": "open", "spectators": "public", "start": "automatic"}
SCOPES = frozenset({"games:play"})


def opened_games(count: int, mail: int, hook: str, dice: random.Random) -> list[dict[str, Any]]:
    """Games of two, whose players are told by mail (so many of a hundred) or by webhook."""
    games = []
    for number in range(count):
        with transaction() as session:
            players = []
            for letter in "ab":
                by_mail = dice.randrange(100) < mail
                player = rows.account(session, f"{letter}{number}", "" if by_mail else None)
                if not by_mail:
                    rows.endpoint(session, player, f"{hook}/{letter}{number}", "turn.opened")
                players.append(player.id)
        game = lobby.create(Caller(players[0], SCOPES), 2, {}, **SWITCHES).body["id"]
        seating.join(Caller(players[1], SCOPES), game)
        games.append({"game": game, "players": players})
    return games


def main(games: list[dict[str, Any]], rate: float, seconds: float, begins: float) -> None:
    """One move each beat, in the game whose go is longest ago; a late one makes no other late."""
    settings = Settings.from_env()
    database.connect(settings.database)
    links.configure(settings.url)
    committed = [0.0]
    event.listen(Session, "after_commit", lambda _: committed.__setitem__(0, time.time()))
    dice = random.Random(begins)
    for beat in range(int(rate * seconds)):
        due = begins + beat / rate
        time.sleep(max(0.0, due - time.time()))
        if time.time() > begins + seconds:
            return
        asked = _move(games[beat % len(games)], dice)
        if asked is not None:
            print("moved", *asked, committed[0], max(0.0, committed[0] - due), flush=True)


def _move(table: dict[str, Any], dice: random.Random) -> tuple[str, int] | None:
    """The decision that the move has opened."""
    with reading() as session:
        game = session.get_one(Game, table["game"])
        if game.decision is None or game.asked_seat is None:
            return None
        number, seat = game.decision, game.asked_seat
        move = dice.choice(engine.legal_moves(engine.load(game.state or "")))
    player = Caller(table["players"]["AB".index(seat)], SCOPES)
    following = play.answer(player, table["game"], number, str(move)).body["next"]
    return (table["game"], following["decision"]) if following else None


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text()), *map(float, sys.argv[2:]))
