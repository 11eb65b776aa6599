"""Golden games: whole games that are stored with their end, and must be played for ever as they were."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine import OPTIONS, Event, IllegalMove, State, asked, dump, legal_moves, read_move
from engine.expectations import expectations
from engine.vocabulary import OVER, TRAITS
from tests.golden.book import (
    GoldenGame,
    Step,
    begin,
    fingerprint,
    parting,
    play_exactly,
    position,
    read_game,
    replay,
    result,
    stored_games,
    write_game,
)
from tests.golden.endings import endings
from tests.golden.make import all_wanted
from tests.golden.proofs import why_refused

GAMES = {path.stem: path for path in stored_games()}
ENDINGS = {
    "clear win",
    "tie broken by the pile",
    "shared victory",
    "everybody dead",
    "deck emptied exactly",
    "deck emptied short",
}


@cache
def stored(name: str) -> GoldenGame:
    return read_game(GAMES[name])


def proofs(key: str) -> list[dict[str, Any]]:
    return [stored(name).proof for name in GAMES if key in stored(name).proof]


def games(key: str) -> list[str]:
    return [name for name in GAMES if key in stored(name).proof]


def test_there_are_at_least_forty_of_them_and_all_that_are_wanted() -> None:
    assert len(GAMES) >= 40
    assert {wanted.name for wanted in all_wanted()} <= GAMES.keys()


def test_every_trait_acts_in_one() -> None:
    assert {proof["trait"] for proof in proofs("trait")} == set(TRAITS)


def test_every_way_to_end_is_there() -> None:
    assert {proof["ending"] for proof in proofs("ending")} == ENDINGS


def test_both_decks_are_played_by_two_three_four_and_six() -> None:
    tables = {(proof["seats"], proof["deck"]) for proof in proofs("seats")}
    assert tables >= {(seats, deck) for seats in (2, 3, 4, 6) for deck in OPTIONS["deck"]}
    assert {seats for seats, _ in tables} == {2, 3, 4, 5, 6, 7, 8}


def test_every_value_of_every_house_rule_makes_a_difference_in_one() -> None:
    values = {(proof["option"], proof["value"]) for proof in proofs("option")}
    assert values == {(option, value) for option, known in OPTIONS.items() for value in known}


@pytest.mark.parametrize("name", GAMES)
def test_it_is_played_as_it_was(name: str) -> None:
    game = stored(name)
    state = begin(game)
    positions = [position(state)]
    for text in game.moves:
        play_exactly(state, text)
        positions.append(position(state))
    assert state.phase == OVER
    assert asked(state) is None
    assert result(state) == {"scores": game.scores, "piles": game.piles, "winners": game.winners}
    assert fingerprint(positions[-1:]) == game.final
    assert fingerprint(positions) == game.course


@pytest.mark.parametrize("name", games("trait"))
def test_the_trait_acts_at_the_move_that_is_named(name: str) -> None:
    proof = stored(name).proof
    step = next(step for step in replay(stored(name)) if step.number == proof["move"])
    for expected, what_came in expectations(proof.get("before", "")):
        assert what_came(step.state) == expected
    if "event" in proof:
        assert any(tells(event, proof["event"]) for event in events_of(step))
    else:
        assert why_refused(step.state, proof["refused"]) == proof["reason"]
        hunter = proof["refused"].split()[1]
        legal = [str(move) for move in legal_moves(step.state)]
        assert any(move.startswith(f"attack {hunter} ") for move in legal), "it could attack another"


def events_of(step: Step) -> list[Event]:
    return play_exactly(step.state, step.move)


def tells(event: Event, wanted: dict[str, Any]) -> bool:
    facts = {"type": event.type, **event.facts}
    return all(facts.get(key) == value for key, value in wanted.items())


@pytest.mark.parametrize("name", games("ending"))
def test_the_game_ends_as_it_says(name: str) -> None:
    state, events = played(stored(name))
    assert stored(name).proof["ending"] in endings(state, events)


def played(game: GoldenGame) -> tuple[State, list[Event]]:
    state = begin(game)
    return state, [event for text in game.moves for event in play_exactly(state, text)]


@pytest.mark.parametrize("name", games("seats"))
def test_the_table_is_as_it_says(name: str) -> None:
    state = begin(stored(name))
    assert len(state.players) == stored(name).proof["seats"]
    assert state.book.options["deck"] == stored(name).proof["deck"]


@pytest.mark.parametrize("name", games("option"))
def test_the_same_moves_lead_elsewhere_under_the_other_value(name: str) -> None:
    game = stored(name)
    proof = game.proof
    assert begin(game).book.options[proof["option"]] == proof["value"] != proof["under"]
    assert parting(game, proof["option"], proof["under"]) == proof["parts_at"]
    assert parting(game, proof["option"], proof["value"]) is None


def test_a_move_that_is_changed_is_found() -> None:
    """What would be wrong with a golden game is found: another move, another seed, another end."""
    game = stored("table-2-third-edition")
    state = begin(game)
    other = next(str(move) for move in legal_moves(state) if str(move) != game.moves[0])
    play_exactly(state, other)
    with pytest.raises(IllegalMove):
        for text in game.moves[1:]:
            play_exactly(state, text)


def test_a_short_form_is_not_what_was_stored() -> None:
    state = begin(stored("table-2-third-edition"))
    double = next(str(move) for move in legal_moves(state) if "/" in str(move))
    short = double.partition("/")[0]
    before = dump(state)
    assert read_move(state, short) is not None
    with pytest.raises(IllegalMove):
        play_exactly(state, short)
    assert dump(state) == before


def test_a_stored_game_is_never_written_anew() -> None:
    path = GAMES["table-2-third-edition"]
    before = path.read_bytes()
    with pytest.raises(FileExistsError):
        write_game(path, stored("table-3-classic"))
    assert path.read_bytes() == before


def test_every_file_is_a_game(tmp_path: Path) -> None:
    """As it was written, and no file beside the games."""
    for name, path in GAMES.items():
        copy = tmp_path / path.name
        write_game(copy, stored(name))
        assert copy.read_bytes() == path.read_bytes()
    assert {path.suffix for path in path.parent.iterdir()} == {".json"}
