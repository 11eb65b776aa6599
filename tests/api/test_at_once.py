"""What comes at the same time: the same answers by twenty connections, a move and the end of its game."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import select

from server.database import reading
from server.models import Move
from server.services import auditing
from tests.api.test_leaving import cancel, is_verified
from tests.playing import Person, problem, running_game, signed_in, whose_turn


@pytest.fixture
def game(ann: Person, bob: Person) -> str:
    return running_game(ann, bob)


def test_of_twenty_with_the_same_moves_each_move_is_played_once(ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    first, number = whose_turn(game, ann, bob)
    first.made(f"/games/{game}/moves", {"decision": number, "move": "pass"})
    player, number = whose_turn(game, ann, bob)
    (hand,) = [seat["hand"] for seat in player.seen(f"/games/{game}/view")["seats"] if seat["hand"]]
    moves = [f"animal {card}" for card in hand[:4]]
    with ThreadPoolExecutor(20) as pool:
        answers = list(
            pool.map(lambda _: player.post(f"/games/{game}/moves", {"decision": number, "moves": moves}), range(20))
        )
    assert {answer.status_code for answer in answers} <= {200, 201}
    assert len({answer.data for answer in answers}) == 1
    log = player.seen(f"/games/{game}/moves")["items"]
    assert [item["move"]["notation"] for item in log[1:]] == moves


def test_of_two_lists_for_the_same_decision_one_is_played(ann: Person, bob: Person) -> None:
    """Neither is mixed with the other: from where they differ only one goes on."""
    game = running_game(ann, bob)
    first, number = whose_turn(game, ann, bob)
    first.made(f"/games/{game}/moves", {"decision": number, "move": "pass"})
    player, number = whose_turn(game, ann, bob)
    (hand,) = [seat["hand"] for seat in player.seen(f"/games/{game}/view")["seats"] if seat["hand"]]
    one = [f"animal {card}" for card in hand[:3]]
    lists = [one, ["pass"]]
    with ThreadPoolExecutor(2) as pool:
        answers = list(
            pool.map(lambda moves: player.post(f"/games/{game}/moves", {"decision": number, "moves": moves}), lists)
        )
    assert sorted(answer.status_code for answer in answers) == [201, 409]
    (played,) = [moves for moves, answer in zip(lists, answers, strict=True) if answer.status_code == 201]
    log = player.seen(f"/games/{game}/moves")["items"]
    assert [item["move"]["notation"] for item in log[1 : 1 + len(played)]] == played and len(log) == 1 + len(played)


@pytest.mark.parametrize("attempt", range(4))
def test_of_a_resignation_and_a_move_at_once_each_is_whole(
    attempt: int, game: str, ann: Person, bob: Person, tmp_path: Path
) -> None:
    player, number = whose_turn(game, ann, bob)
    answer = {"decision": number, "move": player.legal(game)[0]}
    with ThreadPoolExecutor(2) as pool:
        played = pool.submit(player.post, f"/games/{game}/moves", answer)
        resigned = pool.submit((bob if player is ann else ann).post, f"/games/{game}/resignation")
    assert resigned.result().status_code == 200
    if played.result().status_code != 201:
        problem(played.result(), 409, "game-over")
    with reading() as session:
        moves = len(session.scalars(select(Move).where(Move.game_id == game)).all())
    assert moves == (1 if played.result().status_code == 201 else 0)
    assert ann.seen(f"/games/{game}/record")["ended"] == {"by": "resignation", "after": moves}
    assert is_verified(ann, game, tmp_path) and auditing.audit(game)


@pytest.mark.parametrize("attempt", range(2))
def test_of_a_cancellation_and_a_move_at_once_each_is_whole(
    attempt: int, game: str, ann: Person, bob: Person, tmp_path: Path
) -> None:
    cancel(ann, game)
    player, number = whose_turn(game, ann, bob)
    answer = {"decision": number, "move": player.legal(game)[0]}
    with ThreadPoolExecutor(2) as pool:
        jobs = (
            pool.submit(player.post, f"/games/{game}/moves", answer),
            pool.submit(bob.post, f"/games/{game}/cancellation"),
        )
        played, cancelled = (job.result() for job in jobs)
    assert cancelled.json["status"] == "cancelled"
    assert played.status_code == 201 or problem(played, 409, "game-over")
    assert is_verified(ann, game, tmp_path) and auditing.audit(game)


def test_all_resign_at_once_and_the_last_one_has_won(app: Flask, ann: Person, bob: Person) -> None:
    cay = signed_in(app, "Cay")
    table_of_three = running_game(ann, bob, cay)
    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(lambda who: who.post(f"/games/{table_of_three}/resignation"), (ann, bob, cay)))
    assert sorted(answer.status_code for answer in answers) == [200, 200, 409]
    assert ann.seen(f"/games/{table_of_three}")["ended_by"] == "resignation"
    assert auditing.audit(table_of_three)
