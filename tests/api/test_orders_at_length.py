"""Standing orders through whole games, against the moves of others, and as many of them as can be."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

import engine
from bench.orders import STANDING, Greedy
from server.database import reading
from server.models import Game, Move
from server.services import auditing, cascade
from server.services.orders.grammar import DEFENCES
from tests.api.test_races import at_once
from tests.playing import Person, on_one_database, running_game, signed_in, whose_turn

PATIENCE = 20.0  # seconds for as many answers as one transaction may hold, on a machine that does ten things at once
TIMES = 4


def state_of(game: str) -> engine.State:
    with reading() as session:
        return engine.load(str(session.scalar(select(Game.state).where(Game.id == game))))


def answers_of(game: str) -> Counter[str]:
    """How many, by whom."""
    with reading() as session:
        return Counter(session.scalars(select(Move.by).where(Move.game_id == game)))


def put(player: Person, game: str, lines: list[str]) -> Any:
    answer = player.ask("PUT", f"/games/{game}/orders", json={"lines": lines})
    assert answer.status_code == 200, answer.text
    return answer.json


def test_a_game_is_played_by_orders_alone(ann: Person, bob: Person) -> None:
    """Nobody sends a move: who is asked writes down what he would do next, and how his animals defend themselves."""
    game = running_game(ann, bob)
    letters = 0
    while ann.seen(f"/games/{game}")["status"] == "running":
        player, number = whose_turn(game, ann, bob)
        letters += 1
        put(player, game, [*planned(state_of(game)), *STANDING])
        if number not in answered(game):  # nothing of what he had planned was legal
            put(player, game, [as_order(player.legal(game)[0]), *STANDING[1:]])
        assert number in answered(game)
    by = answers_of(game)
    assert by.keys() == {"orders"} and letters < by["orders"] / 2
    assert auditing.audit(game), "the log is that of any other game"
    items = ann.seen(f"/games/{game}/moves?limit=500")["items"]
    assert {(item["seat"], item["by"]) for item in items} == {("A", "orders"), ("B", None)}


def planned(state: engine.State) -> list[str]:
    question = engine.question(state)
    assert question is not None
    return Greedy().plan(state) if question.kind in ("develop", "feed") else []


def answered(game: str) -> set[int]:
    with reading() as session:
        return set(session.scalars(select(Move.number).where(Move.game_id == game)))


def as_order(move: str) -> str:
    """An answer to an attack in the words in which one is ordered; all other moves as they are."""
    word, animal, *rest = f"{move} ".split(" ")
    return f"defend {animal} {' '.join([word, *rest]).strip()}" if word in DEFENCES else move


def test_orders_that_come_with_the_move_that_asks_for_them_are_carried_out_once(ann: Person, bob: Person) -> None:
    """Whichever is first: the decision that the move opens is answered by them, within the one or the other."""
    for _ in range(TIMES):
        game = running_game(ann, bob)
        asked, number = whose_turn(game, ann, bob)
        other = bob if asked is ann else ann
        (cards,) = [seat["hand"] for seat in other.seen(f"/games/{game}/view")["seats"] if seat["hand"]]
        first, second = (f"animal {card}" for card in cards[:2])
        moved, ordered = at_once(
            (asked, "POST", f"/games/{game}/moves", {"json": {"decision": number, "move": asked.legal(game)[0]}}),
            (other, "PUT", f"/games/{game}/orders", {"json": {"lines": [first, second]}}),
        )
        assert (moved.status_code, ordered.status_code) == (201, 200)
        assert [len(moved.json["cascade"]), len(ordered.json["acted"])] in ([1, 0], [0, 1])
        told = other.seen(f"/games/{game}/orders")
        assert [(one["decision"], one["move"]["notation"]) for one in told["acted"]] == [(number + 1, first)]
        assert told["lines"] == [second] and asked.owed()[0]["decision"] == number + 2
        assert auditing.audit(game)


def hand(state: engine.State, seat: int) -> list[str]:
    return list(engine.view(state, seat)["seats"][seat]["hand"])


def quarrelsome(state: engine.State, seat: int) -> list[str]:
    """As many answers as orders can give: every card an animal, every animal fed, turn after turn."""
    letter = "ABCDEFGH"[seat]
    queue = [f"animal {card}" for card in hand(state, seat)] + [
        f"feed {letter}{number % 60 + 1}" for number in range(194)
    ]
    return [*queue, "pass development after 3", "pass feeding when nothing to receive", "if illegal skip"]


def idle(state: engine.State, seat: int) -> list[str]:
    return ["pass development after 0"]


@pytest.mark.parametrize("kind", [quarrelsome, idle])
def test_chains_of_orders_end_and_hold_nobody_up(
    kind: Callable[[engine.State, int], list[str]], app: Flask, record_property: Callable[[str, object], None]
) -> None:
    players = [signed_in(app, f"P{number}") for number in range(8)]
    game = running_game(*players, options={"sets": "two"})
    asked, _ = whose_turn(game, *players)
    state = state_of(game)
    for player in [player for player in players if player is not asked]:
        put(player, game, kind(state, players.index(player)))
    began = time.monotonic()
    put(asked, game, kind(state, players.index(asked)))
    took = time.monotonic() - began
    answers = answers_of(game)["orders"]
    record_property("answers by orders, and seconds", (answers, took))
    assert 50 < answers <= cascade.MOST_BY_ORDERS and took < PATIENCE
    assert kind is quarrelsome or asked.seen(f"/games/{game}")["status"] == "over"
    assert auditing.audit(game)


@on_one_database
def test_after_so_many_answers_whoever_is_next_is_asked_and_his_orders_go_on_later(
    ann: Person, bob: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cascade, "MOST_BY_ORDERS", 4)
    game = running_game(ann, bob)
    asked, number = whose_turn(game, ann, bob)
    other = bob if asked is ann else ann
    state = state_of(game)
    for player in (other, asked):
        put(player, game, [f"animal {card}" for card in hand(state, (ann, bob).index(player))])
    assert answers_of(game) == Counter(orders=4) and asked.owed()[0]["decision"] == number + 4
    left = asked.seen(f"/games/{game}/orders")
    assert len(left["queue"]) == 4 and left["stopped"] is None
    told = asked.made(f"/games/{game}/moves", {"decision": number + 4, "move": left["queue"][-1]})
    assert len(told["cascade"]) == 4, "the next transaction, the next four"
