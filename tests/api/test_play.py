"""A move's journey over HTTP."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from flask import Flask

from server.services import notifying
from tests.playing import Person, problem, running_game, signed_in, whose_turn


@pytest.fixture
def game(ann: Person, bob: Person) -> str:
    return running_game(ann, bob)


def test_an_answer_tells_what_was_played_what_happened_and_who_is_next(game: str, ann: Person, bob: Person) -> None:
    player, number = whose_turn(game, ann, bob)
    move = player.legal(game)[0]
    answer = player.post(f"/games/{game}/moves", {"decision": number, "move": move})
    assert answer.status_code == 201
    assert [(played["decision"], played["move"]["notation"]) for played in answer.json["played"]] == [(number, move)]
    assert answer.json["events"] == player.seen(f"/games/{game}/events")["items"][-len(answer.json["events"]) :]
    assert answer.json["next"]["decision"] == answer.json["view"]["decision"] == number + 1
    assert answer.json["view"] == player.seen(f"/games/{game}/view")


def test_the_json_of_a_legal_move_is_as_good_as_its_notation(game: str, ann: Person, bob: Person) -> None:
    player, number = whose_turn(game, ann, bob)
    listed = player.seen(f"/games/{game}/legal-moves")["items"][0]
    played = player.made(f"/games/{game}/moves", {"decision": number, "move": listed["move"]})["played"][0]
    assert played["move"] == listed["move"]


def test_legal_moves_are_numbered_from_one_and_told_in_words(game: str, ann: Person, bob: Person) -> None:
    player, number = whose_turn(game, ann, bob)
    legal = player.seen(f"/games/{game}/legal-moves")
    assert legal["decision"] == number
    assert [item["number"] for item in legal["items"]] == list(range(1, len(legal["items"]) + 1))
    assert all(item["text"] and item["notation"] == item["move"]["notation"] for item in legal["items"])


def test_the_same_answer_again_gets_the_first_response_again(game: str, ann: Person, bob: Person) -> None:
    player, number = whose_turn(game, ann, bob)
    answer = {"decision": number, "move": player.legal(game)[0]}
    first = player.post(f"/games/{game}/moves", answer)
    for _ in range(3):  # later moves don't change what was answered then
        other, next_number = whose_turn(game, ann, bob)
        other.made(f"/games/{game}/moves", {"decision": next_number, "move": other.legal(game)[0]})
    again = player.post(f"/games/{game}/moves", answer)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.headers["Idempotency-Replayed"] == "true" and "Idempotency-Replayed" not in first.headers
    assert again.data == first.data


def test_the_same_answer_written_otherwise_is_the_same_answer(game: str, ann: Person, bob: Person) -> None:
    player, number = whose_turn(game, ann, bob)
    listed = player.seen(f"/games/{game}/legal-moves")["items"][0]
    player.made(f"/games/{game}/moves", {"decision": number, "move": listed["notation"]})
    for otherwise in (listed["move"], f"  {listed['notation'].upper()} "):
        assert player.post(f"/games/{game}/moves", {"decision": number, "move": otherwise}).status_code == 200


def test_another_answer_to_a_closed_decision_is_refused(game: str, ann: Person, bob: Person) -> None:
    player, number = whose_turn(game, ann, bob)
    first, other = player.legal(game)[:2]
    player.made(f"/games/{game}/moves", {"decision": number, "move": first})
    refusal = problem(player.post(f"/games/{game}/moves", {"decision": number, "move": other}), 409, "decision-closed")
    assert refusal["answered"] == first


def test_of_twenty_at_once_one_plays_and_the_others_hear_of_it(game: str, ann: Person, bob: Person) -> None:
    player, number = whose_turn(game, ann, bob)
    answer = {"decision": number, "move": player.legal(game)[0]}
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: player.post(f"/games/{game}/moves", answer), range(20)))
    assert sorted(answer.status_code for answer in answers) == [200] * 19 + [201]
    assert len({answer.data for answer in answers}) == 1
    assert ann.seen(f"/games/{game}")["waiting_for"]["decision"] == number + 1


def test_a_move_whose_notices_fail_was_never_made(
    game: str, ann: Person, bob: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    player, number = whose_turn(game, ann, bob)
    doors = [f"/games/{game}", f"/games/{game}/view", f"/games/{game}/events"]
    before = [player.get(door).data for door in doors]
    answer = {"decision": number, "move": player.legal(game)[0]}
    with monkeypatch.context() as patch:
        patch.setattr(notifying, "decision_opened", _fail)
        problem(player.post(f"/games/{game}/moves", answer), 500, "internal-error")
    assert [player.get(door).data for door in doors] == before
    assert player.post(f"/games/{game}/moves", answer).status_code == 201


def _fail(*_: object) -> None:
    raise RuntimeError("the outbox is on fire")


def test_what_i_owe_is_listed_by_game_with_links(game: str, ann: Person, bob: Person) -> None:
    player, number = whose_turn(game, ann, bob)
    (owed,) = player.owed()
    assert (owed["game"], owed["decision"]) == (game, number)
    assert owed["links"]["legal_moves"].endswith(f"/v1/games/{game}/legal-moves")
    (idle,) = {ann.name, bob.name} - {player.name}
    assert {ann.name: ann, bob.name: bob}[idle].owed() == []


def test_events_are_a_feed_that_skips_nothing(game: str, ann: Person, bob: Person) -> None:
    for _ in range(6):
        player, number = whose_turn(game, ann, bob)
        player.made(f"/games/{game}/moves", {"decision": number, "move": player.legal(game)[0]})
    whole = ann.seen(f"/games/{game}/events")["items"]
    piecemeal, after = [], 0
    while (part := ann.seen(f"/games/{game}/events?after={after}&limit=2"))["items"]:
        piecemeal, after = piecemeal + part["items"], part["next_after"]
    assert piecemeal == whole
    assert [event["number"] for event in whole] == list(range(1, len(whole) + 1))


def test_a_whole_game_ends_with_a_result_and_asks_nothing_more(app: Flask) -> None:
    ann, bob = signed_in(app, "Anna"), signed_in(app, "Bobby")
    game = running_game(ann, bob)
    for _ in range(1000):
        waiting = ann.seen(f"/games/{game}")["waiting_for"]
        if waiting is None:
            break
        player = ann if waiting["seat"] == "A" else bob
        last = {"decision": waiting["decision"], "move": player.legal(game)[0]}
        answer = player.made(f"/games/{game}/moves", last)
    summary = ann.seen(f"/games/{game}")
    assert (
        summary["status"] == "over" and summary["result"]["winners"] and set(summary["result"]["scores"]) == {"A", "B"}
    )
    assert answer["next"] is None and answer["view"]["winners"] == summary["result"]["winners"]
    assert ann.owed() == bob.owed() == []
    problem(ann.get(f"/games/{game}/legal-moves"), 409, "game-over")
    problem(ann.post(f"/games/{game}/moves", {"decision": last["decision"] + 1, "move": "pass"}), 409, "game-over")
    assert player.post(f"/games/{game}/moves", last).json == answer  # the last move, too, may be repeated
