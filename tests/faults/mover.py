"""A player's process: `python -m tests.faults.inside tests.faults.mover GAME SEATS MOVES SEED` moves, and says what was
acknowledged. SEATS: letters and account ids, as JSON."""

from __future__ import annotations

import json
import random
import sys

import engine
from server import database, links
from server.config import Settings
from server.database import reading
from server.models import Game
from server.services import play
from server.services.accounts import Caller


def main(game_id: str, seats: dict[str, str], moves: int, dice: random.Random) -> None:
    settings = Settings.from_env()
    database.connect(settings.database)
    links.configure(settings.url)
    for _ in range(moves):
        with reading() as session:
            game = session.get_one(Game, game_id)
            if game.decision is None:
                return
            number, seat = game.decision, game.asked_seat
            move = dice.choice(engine.legal_moves(engine.load(game.state or "")))
        play.answer(Caller(seats[str(seat)], frozenset({"games:play"})), game_id, number, str(move))
        print(f"answered {number}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3]), random.Random(sys.argv[4]))
