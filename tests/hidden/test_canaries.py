"""Canary cards: where the name of a card turns up, the card is known. Whole games over HTTP with mail, webhooks and logs.

The suite plays 4 games; `HIDDEN_CANARY_GAMES=100` in the environment plays more.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

from tests.hidden.canaries import house, search_the_rest
from tests.hidden.canary_games import play, sign_in

GAMES = int(os.environ.get("HIDDEN_CANARY_GAMES", "4"))


def test_nothing_that_leaves_the_server_names_a_card_that_its_reader_may_not_know(
    tmp_path: Path, broker_url: str
) -> None:
    with house(tmp_path, broker_url) as running:
        sign_in(running)
        for number in range(GAMES):
            play(running, random.Random(number))
        search_the_rest(running)
        played_by_orders = running.row("SELECT count(*) FROM move WHERE by = 'orders'")[0]
        answered_letters = running.row("SELECT count(*) FROM delivery WHERE kind = 'reply' AND state = 'sent'")[0]
    count = running.count
    assert not running.leaks
    assert count["moves"] > 20 * GAMES and played_by_orders > GAMES and answered_letters > GAMES
    assert count["canaries seen by right"] > 100 * GAMES  # so there was something to be found
    assert min(count["mail"], count["page"], count["webhook"], count["log"]) > 2 * GAMES


LEAKS = {
    *("HTTP /view", "HTTP /view.txt", "HTTP /view.svg", "HTTP /events", "HTTP moves", "HTTP refusal"),
    *("mail", "page", "webhook", "log"),
}
MOST_GAMES_FOR_A_LEAK = 8  # the server deals, so a game may have no hand to leak when it is tried


def test_the_search_finds_every_kind_of_leak(tmp_path: Path, broker_url: str) -> None:
    found: set[str] = set()
    with house(tmp_path, broker_url, GALAPOST_CANARY_LEAKS="1") as running:
        sign_in(running)
        for number in range(MOST_GAMES_FOR_A_LEAK):
            play(running, random.Random(number))
            search_the_rest(running)
            found = {leak.where.partition("?")[0] for leak in running.leaks}
            if found >= LEAKS:
                break
    assert found >= LEAKS
