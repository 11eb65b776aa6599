"""Several moves in one request, and a move that is only tried."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import text

from server import database
from server.services import cascade
from tests.playing import Person, on_one_database, problem, running_game, whose_turn

pytestmark = on_one_database


@pytest.fixture
def game(ann: Person, bob: Person) -> str:
    return running_game(ann, bob)


@pytest.fixture
def alone(game: str, ann: Person, bob: Person) -> tuple[Person, int]:
    """The first player has passed in the first turn: all decisions of this phase are the other's, who is given."""
    first, number = whose_turn(game, ann, bob)
    first.made(f"/games/{game}/moves", {"decision": number, "move": "pass"})
    return whose_turn(game, ann, bob)


def animals(player: Person, game: str, many: int) -> list[str]:
    """Cards of his hand, each played as an animal."""
    you = player.seen(f"/games/{game}/view")
    (hand,) = [seat["hand"] for seat in you["seats"] if seat["hand"] is not None]
    return [f"animal {card}" for card in hand[:many]]


def send(player: Person, game: str, number: int, *moves: Any) -> Any:
    return player.post(f"/games/{game}/moves", {"decision": number, "moves": list(moves)})


def notations(told: Any) -> list[str]:
    return [played["move"]["notation"] for played in told["played"]]


def test_all_are_played_and_each_answers_a_decision_of_its_own(game: str, alone: tuple[Person, int]) -> None:
    player, number = alone
    moves = animals(player, game, 3)
    answer = send(player, game, number, *moves)
    assert answer.status_code == 201
    assert (notations(answer.json), answer.json["not_played"], answer.json["stopped"]) == (moves, [], None)
    assert [played["decision"] for played in answer.json["played"]] == [number, number + 1, number + 2]
    assert answer.json["next"]["decision"] == number + 3
    assert answer.json["view"] == player.seen(f"/games/{game}/view")
    assert answer.json["events"] == player.seen(f"/games/{game}/events")["items"][-len(answer.json["events"]) :]
    assert answer.headers["ETag"] == player.get(f"/games/{game}/view").headers["ETag"]


def test_notation_and_objects_may_be_mixed(game: str, alone: tuple[Person, int]) -> None:
    player, number = alone
    first, second = animals(player, game, 2)
    card = second.removeprefix("animal ")
    assert notations(send(player, game, number, first, {"type": "animal", "card": card}).json) == [first, second]


def test_it_stops_where_chance_was_drawn(game: str, alone: tuple[Person, int]) -> None:
    player, number = alone
    moves = [*animals(player, game, 3), "pass", "feed A1", "end"]
    told = send(player, game, number, *moves).json
    assert (notations(told), told["not_played"]) == (moves[:4], ["feed A1", "end"])
    assert told["stopped"]["reason"] == "chance" and told["events"][-1]["type"] == "bank_rolled"


def test_it_stops_at_the_decision_of_another_seat(game: str, ann: Person, bob: Person) -> None:
    player, number = whose_turn(game, ann, bob)
    moves = [*animals(player, game, 1), "pass"]
    told = send(player, game, number, *moves).json
    assert (notations(told), told["not_played"]) == (moves[:1], ["pass"])
    assert told["stopped"]["reason"] == "not-your-decision"


@pytest.mark.parametrize(
    ("odd", "reason", "rule"),
    [("attack A1 B1", "illegal-move", "not-this-phase"), ("fly home", "bad-notation", None)],
)
def test_it_stops_at_a_move_that_can_not_be_played_and_keeps_what_was(
    odd: str, reason: str, rule: str | None, game: str, alone: tuple[Person, int]
) -> None:
    player, number = alone
    (first, last) = animals(player, game, 2)
    told = send(player, game, number, first, odd, last)
    assert told.status_code == 201
    assert (notations(told.json), told.json["not_played"]) == ([first], [odd, last])
    assert told.json["stopped"]["reason"] == reason
    assert rule is None or told.json["stopped"]["rule"] in (rule, "no-such-animal")
    assert told.json["next"]["decision"] == number + 1


def test_if_the_first_can_not_be_played_nothing_happens(game: str, alone: tuple[Person, int]) -> None:
    player, number = alone
    before = everything()
    problem(send(player, game, number, "yield A1", *animals(player, game, 1)), 422, "illegal-move")
    problem(send(player, game, number, "fly home"), 422, "bad-notation")
    problem(send(player, game, number + 1, "pass"), 409, "decision-not-open")
    assert everything() == before


def everything() -> dict[str, list[Any]]:
    """All of the database, but for when a token was last used."""
    with database.engine().connect() as connection:
        tables = connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'table'")).scalars().all()
        return {
            name: sorted(map(str, connection.execute(text(f'SELECT * FROM "{name}"')).all()))
            for name in tables
            if name != "token"
        }


def test_the_same_list_again_gets_the_first_response_again(
    game: str, alone: tuple[Person, int], ann: Person, bob: Person
) -> None:
    player, number = alone
    moves = [*animals(player, game, 2), "pass", "feed A1"]
    first = send(player, game, number, *moves)
    other, next_number = whose_turn(game, ann, bob)
    other.made(f"/games/{game}/moves", {"decision": next_number, "move": other.legal(game)[0]})
    again = send(player, game, number, *moves)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.data == first.data


def test_a_list_that_stopped_at_an_illegal_move_stops_there_again_later(game: str, alone: tuple[Person, int]) -> None:
    player, number = alone
    one, other = animals(player, game, 2)
    first = send(player, game, number, one, "yield A1")
    send(player, game, number + 1, other)
    again = send(player, game, number, one, "yield A1")
    assert (again.status_code, again.data) == (200, first.data)


def test_another_list_is_told_where_it_differs(game: str, alone: tuple[Person, int]) -> None:
    player, number = alone
    one, other, third = animals(player, game, 3)
    send(player, game, number, one, other)
    told = send(player, game, number, one, "pass", third)
    assert told.status_code == 200
    assert (notations(told.json), told.json["not_played"]) == ([one], ["pass", third])
    assert told.json["stopped"]["reason"] == "decision-closed"
    problem(send(player, game, number, "pass"), 409, "decision-closed")


def test_what_a_crash_left_undone_the_same_list_finishes_and_plays_nothing_twice(
    game: str, alone: tuple[Person, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    player, number = alone
    moves = animals(player, game, 3)
    honest, calls = cascade.go_on, []

    def crash(*args: Any, **kwargs: Any) -> Any:
        calls.append(args)
        if len(calls) == 2:
            raise RuntimeError("the power is out")
        return honest(*args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(cascade, "go_on", crash)
        assert send(player, game, number, *moves).status_code == 500
    assert player.seen(f"/games/{game}")["waiting_for"]["decision"] == number + 1
    finished = send(player, game, number, *moves)
    assert finished.status_code == 201 and notations(finished.json) == moves
    again = send(player, game, number, *moves)
    assert (again.status_code, again.data) == (200, finished.data)
    log = player.seen(f"/games/{game}/moves")["items"]
    assert [item["move"]["notation"] for item in log[-3:]] == moves and len(log) == number + 2


@pytest.mark.parametrize("closing", ["end", "pass", {"type": "end"}, " END "])
def test_an_end_is_dropped_when_the_go_has_ended_by_itself(closing: Any, game: str, alone: tuple[Person, int]) -> None:
    """The next go is his, too, since the other has no animal: the end must not be played as a pass in it."""
    player, number = alone
    send(player, game, number, *animals(player, game, 4), "pass")
    number += 5
    meal = player.legal(game)[0]
    assert meal.startswith("feed")
    told = send(player, game, number, meal, closing).json
    assert (notations(told), told["not_played"], told["stopped"]) == ([meal], [], None)
    assert told["next"]["kind"] == "feed" and told["next"]["seat"] == told["played"][0]["seat"]


def test_a_pass_in_development_is_never_dropped(game: str, ann: Person, bob: Person, alone: tuple[Person, int]) -> None:
    player, number = alone
    moves = [*animals(player, game, 1), "pass"]
    assert notations(send(player, game, number, *moves).json) == moves


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"move": "pass", "moves": ["pass"]},
        {"moves": []},
        {"moves": ["pass"] * 51},
        {"moves": "pass"},
        {"moves": [7]},
        {"moves": [None]},
        {"moves": ["x" * 501]},
        {"moves": None},
        {"move": "pass", "dry_run": "true"},
        {"moves": ["pass"], "dry_run": True},
    ],
)
def test_bad_input_is_refused(body: dict[str, Any], game: str, alone: tuple[Person, int]) -> None:
    player, number = alone
    refused = problem(player.post(f"/games/{game}/moves", {"decision": number, **body}), 422, "invalid-body")
    assert refused["errors"]


def test_a_dry_run_tells_that_a_move_is_legal_and_changes_nothing(game: str, alone: tuple[Person, int]) -> None:
    player, number = alone
    move = player.legal(game)[0]
    before = everything()
    tried = player.post(f"/games/{game}/moves", {"decision": number, "move": f" {move.upper()}", "dry_run": True})
    assert tried.status_code == 200 and "Idempotency-Replayed" not in tried.headers
    assert (tried.json["legal"], tried.json["notation"], tried.json["played"]) == (True, move, [])
    assert tried.json["stopped"]["reason"] == "dry-run" and tried.json["next"]["decision"] == number
    assert everything() == before
    assert player.post(f"/games/{game}/moves", {"decision": number, "move": move}).status_code == 201


def test_a_dry_run_does_not_look_at_chance(game: str, alone: tuple[Person, int]) -> None:
    """The pass would roll the dice of the food bank."""
    player, number = alone
    before = player.seen(f"/games/{game}/view")
    tried = player.post(f"/games/{game}/moves", {"decision": number, "move": "pass", "dry_run": True}).json
    assert (tried["events"], tried["view"]) == ([], before)


def test_a_dry_run_is_refused_as_the_move_would_be(
    game: str, alone: tuple[Person, int], ann: Person, bob: Person
) -> None:
    player, number = alone
    other = bob if player is ann else ann

    def tried(who: Person, decision: int, move: str) -> Any:
        return who.post(f"/games/{game}/moves", {"decision": decision, "move": move, "dry_run": True})

    before = everything()
    assert problem(tried(player, number, "yield A1"), 422, "illegal-move")["reason"]
    problem(tried(player, number, "fly home"), 422, "bad-notation")
    problem(tried(player, number + 1, "pass"), 409, "decision-not-open")
    problem(tried(player, number - 1, "pass"), 409, "not-your-decision")
    problem(tried(other, number, "pass"), 409, "not-your-decision")
    assert problem(tried(other, number - 1, "pass"), 409, "decision-closed")["answered"] == "pass"
    assert everything() == before
