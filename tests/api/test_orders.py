"""Standing orders over HTTP: given, looked at, added to, withdrawn; and what they do, to whom it is told."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import func, select

from server.database import reading, transaction
from server.models import Delivery, StandingOrders
from tests.playing import Person, on_one_database, problem, running_game, whose_turn

pytestmark = on_one_database


@pytest.fixture
def game(ann: Person, bob: Person) -> str:
    return running_game(ann, bob, spectators="public")


@pytest.fixture
def turn(game: str, ann: Person, bob: Person) -> tuple[Person, Person, int]:
    """Who is asked, the other one, and the number of the decision."""
    asked, number = whose_turn(game, ann, bob)
    return asked, bob if asked is ann else ann, number


def hand(player: Person, game: str) -> list[str]:
    (cards,) = [seat["hand"] for seat in player.seen(f"/games/{game}/view")["seats"] if seat["hand"] is not None]
    return list(cards)


def seat(player: Person) -> str:
    return "A" if player.name == "Ann" else "B"


def put(player: Person, game: str, *lines: str, **headers: str) -> Any:
    return player.ask("PUT", f"/games/{game}/orders", json={"lines": list(lines)}, headers=headers)


def given(player: Person, game: str, *lines: str) -> Any:
    answer = put(player, game, *lines)
    assert answer.status_code == 200, answer.text
    return answer.json


def orders(player: Person, game: str) -> Any:
    return player.seen(f"/games/{game}/orders")


def answers(told: Any) -> list[tuple[int, str]]:
    return [(one["decision"], one["move"]["notation"]) for one in told]


def turn_notices(game: str) -> list[tuple[str, int]]:
    wanted = select(Delivery.seat, Delivery.decision).where(Delivery.game_id == game, Delivery.kind == "your_turn")
    with reading() as session:
        return [tuple(row) for row in session.execute(wanted.order_by(Delivery.decision))]


def test_whoever_has_left_no_orders_has_none(game: str, ann: Person) -> None:
    nothing = {"lines": [], "queue": [], "defend": [], "scavenge": [], "share": [], "stop_when": [], "skipped": []}
    nothing |= {"acted": [], "pass_after": None, "pass_when_empty": False, "pass_when_fed": False}
    assert orders(ann, game) == nothing | {"if_illegal": "stop", "given_at": None, "stopped": None}


def test_what_was_ordered_is_told_line_by_line_and_in_parts(game: str, turn: tuple[Person, Person, int]) -> None:
    _, other, _ = turn
    lines = ["defend run, drop хищник", "feed a1; END", "pass development after 2", "stop when bank below 3"]
    told = given(other, game, *lines, "share communication A1>A2", "scavenge A3", "if illegal skip")
    assert told["queue"] == ["feed a1", "end"]
    assert (told["defend"], told["scavenge"]) == (["run", "drop carnivorous"], ["A3"])
    assert (told["share"], told["stop_when"], told["pass_after"]) == (["communication A1>A2"], ["bank below 3"], 2)
    assert (told["if_illegal"], told["stopped"], told["acted"]) == ("skip", None, [])
    assert orders(other, game) == told
    assert given(other, game, *told["lines"]) | {"given_at": None} == told | {"given_at": None}


def test_they_answer_in_the_transaction_that_asks_and_nobody_is_told_before(
    game: str, turn: tuple[Person, Person, int]
) -> None:
    asked, other, number = turn
    first, second = hand(other, game)[:2]
    given(other, game, f"animal {first}", f"animal {second}", "pass")
    told = asked.made(f"/games/{game}/moves", {"decision": number, "move": f"animal {hand(asked, game)[0]}"})
    assert answers(told["cascade"]) == [(number + 1, "animal ?")]
    assert (told["next"]["seat"], told["next"]["decision"]) == (seat(asked), number + 2)
    assert [event["decision"] for event in told["events"]] == [number, number + 1]
    assert turn_notices(game) == [(seat(asked), number), (seat(asked), number + 2)]
    left = orders(other, game)
    assert answers(left["acted"]) == [(number + 1, f"animal {first}")]
    assert left["lines"] == [f"animal {second}", "pass"]


def test_who_answered_is_told_to_its_owner_only(
    game: str, turn: tuple[Person, Person, int], nobody: Person, eve: Person
) -> None:
    asked, other, number = turn
    given(other, game, f"animal {hand(other, game)[0]}")
    asked.made(f"/games/{game}/moves", {"decision": number, "move": "pass"})

    def marks(person: Person) -> list[str | None]:
        return [answer["by"] for answer in person.seen(f"/games/{game}/moves")["items"]]

    assert marks(other) == [None, "orders"]
    assert marks(asked) == ["hand", None]
    assert marks(nobody) == marks(eve) == [None, None]


def test_orders_for_a_decision_that_is_open_act_at_once(game: str, turn: tuple[Person, Person, int]) -> None:
    asked, other, number = turn
    first, second = hand(asked, game)[:2]
    told = given(asked, game, f"animal {first}", f"animal {second}")
    assert answers(told["acted"]) == [(number, f"animal {first}")]
    assert told["lines"] == [f"animal {second}"]
    assert turn_notices(game) == [(seat(asked), number), (seat(other), number + 1)]
    assert other.seen("/me/decisions")["items"][0]["decision"] == number + 1
    problem(asked.post(f"/games/{game}/moves", {"decision": number, "move": "pass"}), 409, "decision-closed")


def test_orders_of_both_go_on_until_somebody_has_to_be_asked(game: str, turn: tuple[Person, Person, int]) -> None:
    asked, other, number = turn
    given(other, game, *(f"animal {card}" for card in hand(other, game)))
    told = given(asked, game, *(f"animal {card}" for card in hand(asked, game)[:3]))
    assert [decision for decision, _ in answers(told["acted"])] == [number, number + 2, number + 4]
    assert [decision for decision, _ in answers(orders(other, game)["acted"])] == [number + 1, number + 3, number + 5]
    assert asked.owed()[0]["decision"] == number + 6


def test_an_illegal_move_ends_the_queue_and_says_why(game: str, turn: tuple[Person, Person, int]) -> None:
    asked, other, number = turn
    given(other, game, f"play running {seat(other)}9", "pass", "defend run")
    asked.made(f"/games/{game}/moves", {"decision": number, "move": "pass"})
    assert turn_notices(game)[-1] == (seat(other), number + 1)
    told = orders(other, game)
    assert (told["lines"], told["queue"]) == (["defend run"], [])
    assert told["stopped"]["decision"] == number + 1 and "could not be played" in told["stopped"]["text"]
    russian = other.get(f"/games/{game}/orders", headers={"Accept-Language": "ru"}).json["stopped"]["text"]
    assert "сыграть не удалось" in russian and any("а" <= sign <= "я" for sign in russian.split(": ", 1)[1])
    assert given(other, game, "defend run")["stopped"] is None


def test_or_it_is_left_out(game: str, turn: tuple[Person, Person, int]) -> None:
    asked, other, number = turn
    card = hand(other, game)[0]
    given(other, game, "play running H9", f"animal {card}", "if illegal skip")
    asked.made(f"/games/{game}/moves", {"decision": number, "move": "pass"})
    told = orders(other, game)
    assert told["skipped"] == [{"decision": number + 1, "order": "play running H9"}]
    assert answers(told["acted"]) == [(number + 1, f"animal {card}")]
    other.made(f"/games/{game}/moves", {"decision": number + 2, "move": "pass"})
    told = orders(other, game)
    assert (told["skipped"], told["acted"]) == ([], [])


@pytest.mark.parametrize(
    ("lines", "line", "column"),
    [(["feed A1", "dance"], 1, 1), (["feed A1, dance A2"], 0, 10), (["defend run, hide"], 0, 13)],
)
def test_what_is_no_order_is_refused_with_its_place_and_changes_nothing(
    lines: list[str], line: int, column: int, game: str, ann: Person
) -> None:
    before = given(ann, game, "defend run")
    for verb in ("PUT", "PATCH"):
        answer = ann.ask(verb, f"/games/{game}/orders", json={"lines": lines}, headers={"Accept-Language": "ru"})
        (fault,) = problem(answer, 422, "bad-orders")["errors"]
        assert (fault["in"], fault["pointer"], fault["column"]) == ("body", f"/lines/{line}", column)
        assert any("а" <= sign <= "я" for sign in fault["detail"])
    assert orders(ann, game) == before


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"lines": "pass"},
        {"lines": [1]},
        {"lines": ["pass\nend"]},
        {"lines": ["pass"] * 501},
        {"lines": ["x" * 2001]},
    ],
)
def test_a_body_of_another_form_is_refused(body: Any, game: str, ann: Person) -> None:
    problem(ann.ask("PUT", f"/games/{game}/orders", json=body), 422, "invalid-body")


def test_more_is_added_behind_what_is_left(game: str, turn: tuple[Person, Person, int]) -> None:
    _, other, _ = turn
    given(other, game, "feed A1", "defend run", "pass development after 2")
    further = {"lines": ["feed A2", "defend yield", "pass development after 3"]}
    told = other.ask("PATCH", f"/games/{game}/orders", json=further).json
    assert (told["queue"], told["defend"], told["pass_after"]) == (["feed A1", "feed A2"], ["run", "yield"], 3)


def test_they_are_withdrawn(game: str, turn: tuple[Person, Person, int]) -> None:
    asked, other, number = turn
    given(other, game, "pass")
    assert other.ask("DELETE", f"/games/{game}/orders").status_code == 204
    assert orders(other, game)["lines"] == [] and orders(other, game)["given_at"] is None
    asked.made(f"/games/{game}/moves", {"decision": number, "move": "pass"})
    assert other.owed()[0]["decision"] == number + 1


def test_nothing_is_changed_that_was_not_seen(game: str, turn: tuple[Person, Person, int]) -> None:
    asked, other, number = turn
    path, before = f"/games/{game}/orders", other.get(f"/games/{game}/orders").headers["ETag"]
    first = put(other, game, f"animal {hand(other, game)[0]}", "defend run", **{"If-Match": before})
    assert first.status_code == 200 and first.headers["ETag"] != before
    assert other.get(path, headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
    asked.made(f"/games/{game}/moves", {"decision": number, "move": "pass"})
    assert other.get(path, headers={"If-None-Match": first.headers["ETag"]}).status_code == 200, "they have acted"
    for verb in ("PUT", "PATCH", "DELETE"):
        how = {} if verb == "DELETE" else {"json": {"lines": ["pass"]}}
        problem(other.ask(verb, path, headers={"If-Match": first.headers["ETag"]}, **how), 412, "precondition-failed")


def test_a_version_does_not_come_again(game: str, turn: tuple[Person, Person, int]) -> None:
    _, other, _ = turn
    tags = [other.get(f"/games/{game}/orders").headers["ETag"]]
    for _ in range(2):
        tags.append(put(other, game, "defend run").headers["ETag"])
        assert other.ask("DELETE", f"/games/{game}/orders").status_code == 204
        tags.append(other.get(f"/games/{game}/orders").headers["ETag"])
    assert len(set(tags)) == len(tags)


def test_only_a_player_of_a_running_game_leaves_orders(ann: Person, bob: Person, eve: Person) -> None:
    waiting = ann.made("/games", {"seats": 2})["id"]
    running = running_game(ann, bob, spectators="public")
    over = running_game(ann, bob)
    bob.made(f"/games/{over}/resignation")
    three = running_game(ann, bob, eve)
    bob.made(f"/games/{three}/resignation")
    for who, game, status, code in (
        (ann, waiting, 409, "game-not-started"), (ann, over, 409, "game-over"), (eve, running, 403, "not-a-player"),
        (bob, three, 409, "resigned"),
    ):  # fmt: skip
        path = f"/games/{game}/orders"
        problem(who.get(path), status, code)
        problem(put(who, game, "defend run"), status, code)
        problem(who.ask("PATCH", path, json={"lines": ["defend run"]}), status, code)
        problem(who.ask("DELETE", path), status, code)


def test_they_are_gone_with_their_player_and_with_the_game(ann: Person, bob: Person, eve: Person) -> None:
    game = running_game(ann, bob, eve)
    for player in (ann, bob, eve):
        given(player, game, "defend run")
    assert _left(game) == ["A", "B", "C"]
    bob.made(f"/games/{game}/resignation")
    assert _left(game) == ["A", "C"]
    eve.made(f"/games/{game}/resignation")
    assert _left(game) == []


def _left(game: str) -> list[str]:
    with reading() as session:
        rows = select(StandingOrders.seat).where(StandingOrders.game_id == game).order_by(StandingOrders.seat)
        return list(session.scalars(rows))


def test_what_is_sent_now_is_played_before_what_was_ordered(game: str, turn: tuple[Person, Person, int]) -> None:
    asked, other, number = turn
    first, second, third = (f"animal {card}" for card in hand(other, game)[:3])
    given(other, game, f"play running {seat(other)}1", third)  # the first of them is illegal before there is an animal
    asked.made(f"/games/{game}/moves", {"decision": number, "move": "pass"})
    assert orders(other, game)["stopped"] is not None
    _order_without_acting(other, game, third)
    told = other.made(f"/games/{game}/moves", {"decision": number + 1, "moves": [first, second]})
    assert answers(told["played"]) == [(number + 1, first), (number + 2, second)]
    assert answers(told["cascade"]) == [(number + 3, third)], "then it is the turn of his orders"
    again = other.post(f"/games/{game}/moves", {"decision": number + 1, "moves": [first, second]})
    assert (again.status_code, again.json) == (200, told)


def _order_without_acting(player: Person, game: str, *lines: str) -> None:
    """As if they had been given while somebody else was asked."""
    with transaction() as session:
        session.get_one(StandingOrders, (game, seat(player))).lines = list(lines)


def test_a_list_stops_where_another_was_asked_though_his_orders_answered_at_once(
    game: str, turn: tuple[Person, Person, int]
) -> None:
    asked, other, number = turn
    first, second = (f"animal {card}" for card in hand(asked, game)[:2])
    given(other, game, *(f"animal {card}" for card in hand(other, game)))
    body = {"decision": number, "moves": [first, second]}
    told = asked.made(f"/games/{game}/moves", body)
    assert answers(told["played"]) == [(number, first)] and told["not_played"] == [second]
    assert told["stopped"]["reason"] == "not-your-decision" and told["next"]["seat"] == seat(asked)
    again = asked.post(f"/games/{game}/moves", body)
    assert (again.status_code, again.json) == (200, told)


def test_passing_after_so_many_cards_of_a_turn(game: str, turn: tuple[Person, Person, int]) -> None:
    asked, other, number = turn
    given(other, game, "pass development after 2")
    asked.made(f"/games/{game}/moves", {"decision": number, "move": "pass"})
    first, second = (f"animal {card}" for card in hand(other, game)[:2])
    other.made(f"/games/{game}/moves", {"decision": number + 1, "move": first})
    told = other.made(f"/games/{game}/moves", {"decision": number + 2, "move": second})
    assert answers(told["cascade"]) == [(number + 3, "pass")]


def test_they_stop_when_the_turn_has_changed(game: str, turn: tuple[Person, Person, int]) -> None:
    asked, other, number = turn
    given(other, game, "pass, pass, pass", "stop when turn changed")
    number = asked.made(f"/games/{game}/moves", {"decision": number, "move": "pass"})["next"]["decision"]
    assert len(orders(other, game)["acted"]) == 1
    while orders(other, game)["stopped"] is None:
        number = asked.made(f"/games/{game}/moves", {"decision": number, "move": asked.legal(game)[-1]})["next"][
            "decision"
        ]
    assert orders(other, game)["stopped"]["text"] == "a new turn has begun"
    assert orders(other, game)["queue"] == [] and other.owed()[0]["decision"] == number


def test_the_export_has_what_is_left_of_them(game: str, turn: tuple[Person, Person, int]) -> None:
    _, other, _ = turn
    given(other, game, "defend run")
    (row,) = [row for row in other.seen("/me/export")["games"] if row["game"]["id"] == game]
    assert row["seat"]["orders"]["lines"] == ["defend run"]


def test_orders_that_cannot_be_read_any_more_hold_nobody_up(game: str, turn: tuple[Person, Person, int]) -> None:
    asked, other, number = turn
    given(other, game, "defend run")
    _order_without_acting(other, game, "levitate")
    assert orders(other, game)["lines"] == []
    asked.made(f"/games/{game}/moves", {"decision": number, "move": "pass"})
    assert other.owed()[0]["decision"] == number + 1
    assert "levitate" in orders(other, game)["stopped"]["text"]


def test_no_notice_is_left_of_a_decision_that_orders_answered(game: str, turn: tuple[Person, Person, int]) -> None:
    asked, other, number = turn
    given(other, game, f"animal {hand(other, game)[0]}")
    asked.made(f"/games/{game}/moves", {"decision": number, "move": "pass"})
    with reading() as session:
        about = (
            select(func.count()).select_from(Delivery).where(Delivery.game_id == game, Delivery.decision == number + 1)
        )
        assert session.scalar(about) == 0
