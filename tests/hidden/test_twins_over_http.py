"""Non-interference through HTTP: a game in the database and its twin give the same bytes at every door.

Seats, a bot in one of them, its owner, a spectator without an account look, are refused, write letters, look again after a
move, and read their mail: bodies, ETags, lengths and all other headers but `Date` are the same, in both languages.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from sqlalchemy import select

from engine import apply, question
from server.database import reading
from server.models import Game
from server.services import games, looking, notifying
from server.services.letters import about_game, templates, writing
from tests.hidden.houses import OWNER, House, all_answers, moment, open_by_right
from tests.hidden.tables import clear_away, lay_out
from tests.hidden.twins import twin_for_a_move
from tests.playing import on_one_database

# Tables of two to eight; what is asked there, and what comes of the answer, is of all kinds (a test says of which).
TELLING = (112, 33, 42, 59, 30, 474, 34)
TABLES = int(os.environ.get("HIDDEN_TABLES", len(TELLING)))  # others beside these, if it is more
BATCHES = 2


def compare(house: House, numbers: Iterable[int]) -> int:
    """How many answers were the same in twins. Raises AssertionError at the first that were not."""
    same = 0
    for number in numbers:
        table, move, chance = moment(number)
        for watcher in house.watchers(table, chance):
            person, seat, _ = watcher
            hides, tried = chance.random(), chance.random()
            lay_out(table, house.accounts, table.state)
            found = all_answers(house, table, watcher, move, random.Random(tried))
            clear_away()
            other, its_move = twin_for_a_move(table.state, move, seat, chance)
            lay_out(table, house.accounts, other, seat, hides)
            its = all_answers(house, table, watcher, its_move, random.Random(tried))
            clear_away()
            assert found.keys() == its.keys()
            for door, thing in found.items():
                if not open_by_right(door, person, table, move):
                    assert thing == its[door], f"table {number}, viewer {person.name}, {door}"
                    same += 1
    return same


@on_one_database
@pytest.mark.parametrize("batch", range(BATCHES))
def test_a_game_and_its_twin_give_the_same_bytes_at_every_door(
    house: House, batch: int, record_property: Callable[[str, object], None]
) -> None:
    numbers = [*TELLING, *range(1000, 1000 + TABLES)][:TABLES][batch::BATCHES]
    same = compare(house, numbers)
    record_property("answers that were the same", same)
    assert same > 300 * len(numbers)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_and_so_they_do_on_the_other_database(house: House) -> None:
    assert compare(house, [316])


def test_the_moments_are_of_every_kind() -> None:
    """Questions, numbers of seats, and events: dice, draws, cards played face down, losses, the end."""
    kinds: set[Any] = set()
    for number in TELLING:
        table, move, _ = moment(number)
        open_question = question(table.state)
        kinds |= {open_question and open_question.kind, len(table.state.players), table.spectators}
        kinds |= {event.type for event in apply(table.state, move)}
    assert {"develop", "feed", "defend", "share", "scavenge"} <= kinds
    assert {2, 4, 5, 7, 8} | {"none", "public"} <= kinds
    assert {"animal_played", "bank_rolled", "cards_drawn", "attacked", "killed", "tail_dropped", "shared"} <= kinds
    assert {"died", "turn_began", "game_ended", "food_taken", "scavenged"} <= kinds


# That the comparison finds a leak: in a header, in a length, in the log of the game, in a picture, in each part of a letter.


def _etag_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = looking.view_version
    monkeypatch.setattr(looking, "view_version", lambda game, letter: (*honest(game, letter), hash(game.state)))


def _length_of_the_deck_in_text(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = looking.table
    monkeypatch.setattr(
        looking,
        "table",
        lambda game, decision, state, letter: {
            **honest(game, decision, state, letter),
            "position": "x" * sum(state.deck),
        },
    )


def _unprojected_events(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = looking.told
    monkeypatch.setattr(
        looking, "told", lambda event, viewer: {**honest(event, viewer), "text": str(event.data.get("secrets"))}
    )


def _hands_in_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(about_game, "one_line", lambda name: f"{name} {games_in_hand()}")


def _hands_in_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = writing.pictures
    monkeypatch.setattr(
        writing,
        "pictures",
        lambda view, names, language: honest(view, {seat: games_in_hand()[-300:] for seat in names}, language),
    )


def _hands_in_the_page_of_a_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text says nothing of it."""
    honest = templates.page
    monkeypatch.setattr(
        templates, "page", lambda language, values: honest(language, {**values, "opening": games_in_hand()[-300:]})
    )


def _a_hand_in_the_picture_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody's picture is that of the player in the first seat."""
    honest = looking._svg
    monkeypatch.setattr(
        looking,
        "_svg",
        lambda game, table, width: honest(
            game, looking.table(game.id, game.decision, games.state_of(game), "A"), width
        ),
    )


def _state_in_webhooks(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = notifying.payloads.about_game
    monkeypatch.setattr(
        notifying.payloads, "about_game", lambda kind, endpoint, game, *more, **others: honest(
            kind, endpoint, game, *more, **others, state=game.state
        ),
    )  # fmt: skip


def games_in_hand() -> str:
    """What is in the hands of all games."""
    with reading() as session:
        return "".join(str(state).partition("players")[2] for state in session.scalars(select(Game.state)))


LEAKS: list[Callable[[pytest.MonkeyPatch], None]] = [
    _etag_of_the_table,
    _length_of_the_deck_in_text,
    _unprojected_events,
    _hands_in_letters,
    _hands_in_pictures,
    _hands_in_the_page_of_a_letter,
    _a_hand_in_the_picture_of_another,
    _state_in_webhooks,
]


@on_one_database
@pytest.mark.parametrize("leak", LEAKS)
def test_the_comparison_finds(
    leak: Callable[[pytest.MonkeyPatch], None], house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    leak(monkeypatch)
    with pytest.raises(AssertionError, match="viewer"):
        compare(house, [316])


@on_one_database
def test_the_comparison_finds_a_bots_hand_that_its_owner_sees(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = games.viewer_of
    monkeypatch.setattr(games, "viewer_of", lambda game, caller: honest(game, caller) or (caller and "C"))
    with pytest.raises(AssertionError, match=f"viewer {OWNER}"):
        compare(house, [8])
