"""The log of the answers, and the table as it was seen then."""

from __future__ import annotations

import pytest
from flask import Flask

import engine
from engine import Move
from tests.engine.play import random_play
from tests.hidden.tables import Table, account_ids, clear_away, lay_out, table_after
from tests.playing import Person, on_one_database, problem, running_game, signed_in, whose_turn

pytestmark = on_one_database


@pytest.fixture
def game(ann: Person, bob: Person) -> str:
    return running_game(ann, bob, spectators="public")


def play(game: str, moves: int, *players: Person) -> None:
    """The first legal move each time: there are animals among them."""
    for _ in range(moves):
        player, number = whose_turn(game, *players)
        player.made(f"/games/{game}/moves", {"decision": number, "move": player.legal(game)[0]})


# The log


def test_the_log_has_every_answer_with_its_decision(game: str, ann: Person, bob: Person) -> None:
    play(game, 6, ann, bob)
    items = ann.seen(f"/games/{game}/moves")["items"]
    assert [item["decision"] for item in items] == [1, 2, 3, 4, 5, 6]
    assert {item["kind"] for item in items} == {"develop"} and all(item["at"] for item in items)


def test_a_card_face_down_is_named_to_its_player_only(
    game: str, ann: Person, bob: Person, eve: Person, nobody: Person
) -> None:
    play(game, 4, ann, bob)
    for who, seat in ((ann, "A"), (bob, "B"), (eve, None), (nobody, None)):
        for item in who.seen(f"/games/{game}/moves")["items"]:
            assert item["move"]["type"] == "animal"
            own = item["seat"] == seat
            assert (item["move"]["card"] is not None, item["by"]) == ((True, "hand") if own else (False, None))
            assert own or item["move"]["notation"] == "animal ?"


def test_what_lies_open_is_told_to_all(game: str, ann: Person, bob: Person, nobody: Person) -> None:
    for _ in range(60):
        play(game, 1, ann, bob)
    mine, foreign = ann.seen(f"/games/{game}/moves")["items"], nobody.seen(f"/games/{game}/moves")["items"]
    open_to_all = [
        (one["move"], other["move"])
        for one, other in zip(mine, foreign, strict=True)
        if one["move"]["type"] != "animal"
    ]
    assert open_to_all and all(one == other for one, other in open_to_all)


def test_it_is_a_feed_that_skips_nothing(game: str, ann: Person, bob: Person) -> None:
    play(game, 7, ann, bob)
    whole = ann.seen(f"/games/{game}/moves")
    assert (whole["next_after"], whole["more"]) == (7, False)
    part = ann.get(f"/games/{game}/moves?after=2&limit=3")
    assert [item["decision"] for item in part.json["items"]] == [3, 4, 5]
    assert (part.json["next_after"], part.json["more"]) == (5, True) and 'rel="next"' in part.headers["Link"]
    assert ann.seen(f"/games/{game}/moves?after=7") == {"items": [], "next_after": 7, "more": False}


def test_before_the_start_it_is_empty_and_the_closed_table_keeps_it(
    ann: Person, bob: Person, eve: Person, nobody: Person
) -> None:
    waiting = ann.made("/games", {"seats": 2})["id"]
    assert ann.seen(f"/games/{waiting}/moves")["items"] == []
    closed = running_game(ann, bob)
    problem(eve.get(f"/games/{closed}/moves"), 403, "no-spectators")
    problem(nobody.get(f"/games/{closed}/moves"), 401, "token-missing")
    problem(nobody.get("/games/g_nothing/moves"), 404, "unknown-game")


@pytest.mark.parametrize(
    "query", ["after=-1", "after=x", "limit=0", "limit=501", "after=1&after=2", "after=2147483648"]
)
def test_odd_queries_are_refused(query: str, game: str, ann: Person) -> None:
    problem(ann.get(f"/games/{game}/moves?{query}"), 422, "invalid-query")


# The table then


def test_the_table_is_shown_as_it_was_seen_then(app: Flask) -> None:
    """At every decision that there was, to each of the players and to a spectator."""
    ann, bob, eve = (signed_in(app, name) for name in ("Anna", "Bobby", "Evan"))
    game = running_game(ann, bob, spectators="public")
    seen = {}
    for _ in range(45):
        decision = ann.seen(f"/games/{game}")["waiting_for"]["decision"]
        seen[decision] = [who.seen(f"/games/{game}/view") for who in (ann, bob, eve)]
        play(game, 1, ann, bob)
    for decision, views in seen.items():
        assert [who.seen(f"/games/{game}/view?at={decision}") for who in (ann, bob, eve)] == views


def test_the_open_decision_may_be_asked_for_too(game: str, ann: Person, bob: Person) -> None:
    play(game, 3, ann, bob)
    assert ann.seen(f"/games/{game}/view?at=4") == ann.seen(f"/games/{game}/view")


def test_what_was_never_asked_is_unknown(game: str, ann: Person, bob: Person) -> None:
    play(game, 3, ann, bob)
    for number in (5, 999, 2**31 - 1):
        problem(ann.get(f"/games/{game}/view?at={number}"), 404, "unknown-decision")
    waiting = ann.made("/games", {"seats": 2})["id"]
    problem(ann.get(f"/games/{waiting}/view?at=1"), 409, "game-not-started")


@pytest.mark.parametrize("query", ["at=0", "at=-3", "at=x", "at=", "at=1.0", "at=1&at=2", "at=2147483648"])
def test_odd_numbers_are_refused(query: str, game: str, ann: Person) -> None:
    problem(ann.get(f"/games/{game}/view?{query}"), 422, "invalid-query")


def test_who_has_it_already_gets_304_whatever_happened_since(game: str, ann: Person, bob: Person) -> None:
    play(game, 3, ann, bob)
    first = ann.get(f"/games/{game}/view?at=2")
    play(game, 3, ann, bob)
    again = ann.get(f"/games/{game}/view?at=2", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    tags = {who.get(f"/games/{game}/view?at={number}").headers["ETag"] for who in (ann, bob) for number in (1, 2, 3)}
    assert len(tags) == 6


def test_a_decision_stays_as_it_was_asked_when_somebody_resigned_at_it(game: str, ann: Person, bob: Person) -> None:
    play(game, 5, ann, bob)
    before = bob.seen(f"/games/{game}/view")
    ann.made(f"/games/{game}/resignation")
    assert bob.seen(f"/games/{game}/view?at=6") == before


Facts = tuple[str, ...]


def ways_to_questions() -> dict[Facts, tuple[Table, Move]]:
    """Of every kind of question, by what there is to tell of it, one of random games: the table before, and the move that
    leads there."""
    ways: dict[Facts, tuple[Table, Move]] = {}
    for number in (0, 1, 9, 106):  # of two seats to four; the last one has scavengers
        before: Move | None = None
        for made, (state, move) in enumerate(random_play(number)):
            facts = tuple(name for name, value in engine.view(state, 0)["question"].items() if value)
            if before is not None and facts not in ways:
                ways[facts] = table_after(number, made - 1), before
            before = move
    return ways


def test_the_table_is_the_same_however_it_is_asked_for(app: Flask) -> None:
    """With all that the question is about: as the answer to a move, and to a dry run, and to a GET, of now and of then."""
    ways, people = ways_to_questions(), [signed_in(app, name) for name in ("Ann", "Bob", "Eve", "Dan")]
    told = {"extra_action_made", "main_action_made", "carnivore", "prey", "ran", "animals", "pending"}
    assert {name for facts in ways for name in facts} == told | {"kind", "seat"}
    for table, move in ways.values():
        lay_out(table, account_ids([person.name for person in people]), table.state)
        seat, door = engine.asked(table.state), f"/games/{table.id}"
        assert seat is not None
        answer = people[seat].made(f"{door}/moves", {"decision": table.decision, "move": str(move)})
        assert answer["view"] == people[seat].seen(f"{door}/view")
        following = answer["view"]["decision"]
        next_one = people["ABCD".index(answer["view"]["question"]["seat"])]
        trial = {"decision": following, "move": next_one.legal(table.id)[0], "dry_run": True}
        tried = next_one.post(f"{door}/moves", trial).json["view"]
        assert tried == next_one.seen(f"{door}/view") == next_one.seen(f"{door}/view?at={following}")
        assert tried["question"] == answer["view"]["question"]
        clear_away()
