"""What the greedy bot thinks of: tried on the engine, without a server."""

from __future__ import annotations

import random
from typing import Any

from engine.flow import legal_moves
from engine.game import apply, asked, new_game
from engine.notation import move_json
from engine.scoring import winners
from engine.view import view
from tests.examples.programs import load

GAMES = 20

greedy = load("bots/greedy_bot.py")


def choice(state: Any) -> Any:
    """As the bot would answer if it were asked."""
    moves = legal_moves(state)
    listed = [{"number": number, "move": move_json(move)} for number, move in enumerate(moves)]
    return moves[greedy.best(listed, greedy.Table(view(state, asked(state))))["number"]]


def wins(seed: int) -> bool:
    """Against one that plays at random; they take turns in the first seat."""
    state, chance, seat = new_game(str(seed).encode(), 2, {}), random.Random(seed), seed % 2
    random.seed(seed)  # of its own ties
    while asked(state) is not None:
        apply(state, choice(state) if asked(state) == seat else chance.choice(legal_moves(state)))
    return winners(state) == [seat]


def test_greed_beats_chance() -> None:
    won = sum(map(wins, range(GAMES)))
    print(f"greedy: {won} of {GAMES} games won against random play")
    assert won >= 0.75 * GAMES


def test_a_move_that_it_has_never_heard_of_does_not_stop_it() -> None:
    table = greedy.Table(view(new_game(b"1", 2, {}), 0))
    unheard, known = ({"move": {"type": "juggle", "notation": "juggle A1"}}, {"move": {"type": "pass"}})
    assert greedy.best([unheard], table) == unheard
    assert greedy.best([unheard, known], table) in (unheard, known)
