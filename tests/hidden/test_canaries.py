"""Canary cards: where the name of a card turns up, the card is known. Whole games over HTTP with mail, webhooks and logs.

The suite plays 12 games, half a minute of two cores; `HIDDEN_CANARY_GAMES=100` in the environment plays more.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

from tests.hidden.canaries import house, play, search_the_rest, sign_in

GAMES = int(os.environ.get("HIDDEN_CANARY_GAMES", "12"))


def test_nothing_that_leaves_the_server_names_a_card_that_its_reader_may_not_know(
    tmp_path: Path, broker_url: str
) -> None:
    with house(tmp_path, broker_url) as running:
        sign_in(running)
        for number in range(GAMES):
            play(running, random.Random(number))
        search_the_rest(running)
    assert not running.leaks
    assert running.count["moves"] > 20 * GAMES
    assert running.count["canaries seen by right"] > 100 * GAMES  # so there was something to be found
    assert running.count["mail"] > 2 * GAMES and running.count["webhook"] > GAMES and running.count["log"] > GAMES


LEAKS = {"HTTP /view", "HTTP /events", "HTTP moves", "HTTP refusal", "mail", "webhook", "log"}
MOST_GAMES_FOR_A_LEAK = 8


def test_the_search_finds_every_kind_of_leak(tmp_path: Path, broker_url: str) -> None:
    with house(tmp_path, broker_url, GALAPOST_CANARY_LEAKS="1") as running:
        sign_in(running)
        for number in range(
            MOST_GAMES_FOR_A_LEAK
        ):  # the server deals, so a game may have no hand to leak when it is tried
            play(running, random.Random(number))
            search_the_rest(running)
            found = {leak.where.partition("?")[0] for leak in running.leaks}
            if found >= LEAKS:
                break
    assert found >= LEAKS
