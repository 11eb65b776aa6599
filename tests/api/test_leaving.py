"""Games that end before their time: resignation, the house at an empty seat, cancellation; their records."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from engine.__main__ import main as command
from server import clock
from server.database import reading, transaction
from server.models import Delivery, Game
from server.services import auditing, games, houses, notifying
from tests.playing import Person, on_one_database, problem, running_game, signed_in, whose_turn

Play = Callable[[int], None]


@pytest.fixture
def game(ann: Person, bob: Person) -> str:
    return running_game(ann, bob)


@pytest.fixture
def cay(app: Flask) -> Person:
    return signed_in(app, "Cay")


@pytest.fixture
def table_of_three(ann: Person, bob: Person, cay: Person) -> str:
    return running_game(ann, bob, cay)


def play_on(game: str, moves: int, *players: Person) -> None:
    """At random, or to the end."""
    chance = random.Random(moves)
    for _ in range(moves):
        if players[0].seen(f"/games/{game}")["waiting_for"] is None:
            return
        player, number = whose_turn(game, *players)
        player.made(f"/games/{game}/moves", {"decision": number, "move": chance.choice(player.legal(game))})


def resign(who: Person, game: str) -> Any:
    return who.made(f"/games/{game}/resignation")


def cancel(who: Person, game: str) -> Any:
    return who.made(f"/games/{game}/cancellation")


def is_verified(who: Person, game: str, tmp_path: Path) -> bool:
    file = tmp_path / "record.json"
    file.write_bytes(who.get(f"/games/{game}/record").data)
    return command(["verify", str(file)]) == 0


def due(kind: str, game: str) -> list[Delivery]:
    """Notices that are still true."""
    with reading() as session:
        rows = session.scalars(select(Delivery).where(Delivery.kind == kind, Delivery.game_id == game)).all()
        return [row for row in rows if row.channel == "email" and not notifying.untrue(session, row, clock.now())]


# Of two


def test_of_two_players_one_resigns_and_the_other_has_won(game: str, ann: Person, bob: Person) -> None:
    play_on(game, 8, ann, bob)
    before = ann.seen(f"/games/{game}/view")
    told = resign(ann, game)
    assert (told["status"], told["ended_by"], told["waiting_for"]) == ("over", "resignation", None)
    assert told["result"]["winners"] == ["B"] and set(told["result"]["scores"]) == {"A", "B"}
    assert [player["resigned"] for player in told["players"]] == [True, False]
    view = ann.seen(f"/games/{game}/view")
    assert (view["phase"], view["question"], view["winners"], view["decision"]) == ("over", None, ["B"], None)
    assert view["position"] == before["position"]
    assert [event["type"] for event in bob.seen(f"/games/{game}/events")["items"][-2:]] == ["resigned", "game_ended"]


def test_after_it_everything_is_closed(game: str, ann: Person, bob: Person) -> None:
    player, number = whose_turn(game, ann, bob)
    move = player.legal(game)[0]
    resign(ann, game)
    for who in (ann, bob):
        problem(who.post(f"/games/{game}/moves", {"decision": number, "move": move}), 409, "game-over")
        problem(who.get(f"/games/{game}/legal-moves"), 409, "game-over")
        problem(who.post(f"/games/{game}/cancellation"), 409, "game-over")
        assert who.owed() == []
    problem(bob.post(f"/games/{game}/resignation"), 409, "game-over")


def test_to_resign_again_changes_nothing(game: str, ann: Person, bob: Person) -> None:
    first = ann.post(f"/games/{game}/resignation")
    again = ann.post(f"/games/{game}/resignation")
    assert (first.status_code, again.status_code) == (200, 200) and first.json == again.json


def test_both_hear_that_it_is_over_and_nobody_of_his_turn(game: str, ann: Person, bob: Person) -> None:
    assert len(due("your_turn", game)) == 1
    resign(bob, game)
    assert not due("your_turn", game)
    assert sorted(row.seat or "" for row in due("game_over", game)) == ["A", "B"]


def test_its_record_is_proven_and_the_audit_accepts_it(
    game: str, ann: Person, bob: Person, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play_on(game, 30, ann, bob)
    resign(bob, game)
    record = bob.seen(f"/games/{game}/record")
    assert record["resignations"] == [{"seat": "B", "after": 30}]
    assert record["ended"] == {"by": "resignation", "after": 30}
    assert record["result"] == ann.seen(f"/games/{game}")["result"]
    assert ann.seen(f"/games/{game}/fairness")["proof"]["seed"] == record["seed"]
    assert is_verified(ann, game, tmp_path), capsys.readouterr().out
    assert auditing.audit(game)
    assert "B resigns." in ann.get(f"/games/{game}/record.txt").text


def test_it_may_come_before_the_first_move(game: str, ann: Person, bob: Person, tmp_path: Path) -> None:
    resign(ann, game)
    assert is_verified(bob, game, tmp_path) and auditing.audit(game)


# Of three


def test_of_three_one_resigns_and_the_house_plays_on_for_him(
    table_of_three: str, ann: Person, bob: Person, cay: Person
) -> None:
    player, number = whose_turn(table_of_three, ann, bob, cay)
    told = resign(player, table_of_three)
    (seat,) = [seat for seat in told["players"] if seat["resigned"]]
    assert (told["status"], seat["played_by"], seat["name"]) == ("running", "house", player.name)
    assert told["waiting_for"]["decision"] == number + 1, "what was asked of him the house has answered"
    assert told["waiting_for"]["seat"] != seat["seat"]
    (answer,) = player.seen(f"/games/{table_of_three}/moves")["items"]
    assert (answer["decision"], answer["move"]["notation"], answer["by"]) == (number, "pass", "house")


def test_nobody_else_is_told_that_it_was_the_house(table_of_three: str, ann: Person, bob: Person, cay: Person) -> None:
    player, _ = whose_turn(table_of_three, ann, bob, cay)
    resign(player, table_of_three)
    for other in {ann.name: ann, bob.name: bob, cay.name: cay}.values():
        (answer,) = other.seen(f"/games/{table_of_three}/moves")["items"]
        assert (answer["by"] is not None) == (other is player)


def test_only_who_owes_the_decision_in_the_end_is_told(
    table_of_three: str, ann: Person, bob: Person, cay: Person
) -> None:
    player, number = whose_turn(table_of_three, ann, bob, cay)
    resign(player, table_of_three)
    (notice,) = due("your_turn", table_of_three)
    assert notice.decision == number + 1
    with reading() as session:
        told = session.scalars(select(Delivery.decision).where(Delivery.kind == "your_turn")).all()
    assert set(told) == {number, number + 1}


def test_a_move_tells_the_answers_of_the_house_as_its_cascade(
    table_of_three: str, ann: Person, bob: Person, cay: Person
) -> None:
    players = [ann, bob, cay]
    first, number = whose_turn(table_of_three, *players)
    leaver = players[(players.index(first) + 1) % 3]
    resign(leaver, table_of_three)
    answer = {"decision": number, "move": first.legal(table_of_three)[0]}
    told = first.post(f"/games/{table_of_three}/moves", answer)
    (followed,) = told.json["cascade"]
    assert (followed["decision"], followed["move"]["notation"]) == (number + 1, "pass")
    assert told.json["next"]["decision"] == told.json["view"]["decision"] == number + 2
    assert [event["type"] for event in told.json["events"]] == ["animal_played", "development_passed"]
    play_on(table_of_three, 3, *players)
    again = first.post(f"/games/{table_of_three}/moves", answer)
    assert (again.status_code, again.data) == (200, told.data)


def test_a_first_response_is_the_same_after_somebody_has_resigned(
    table_of_three: str, ann: Person, bob: Person, cay: Person
) -> None:
    player, number = whose_turn(table_of_three, ann, bob, cay)
    answer = {"decision": number, "move": player.legal(table_of_three)[0]}
    first = player.post(f"/games/{table_of_three}/moves", answer)
    following, _ = whose_turn(table_of_three, ann, bob, cay)
    resign(following, table_of_three)
    again = player.post(f"/games/{table_of_three}/moves", answer)
    assert (again.status_code, again.data) == (200, first.data)


def test_what_the_house_answered_is_closed_to_its_former_player(
    table_of_three: str, ann: Person, bob: Person, cay: Person
) -> None:
    player, number = whose_turn(table_of_three, ann, bob, cay)
    resign(player, table_of_three)
    for move in ("pass", "animal running"):  # the first is what the house played: not his own answer all the same
        refused = problem(
            player.post(f"/games/{table_of_three}/moves", {"decision": number, "move": move}), 409, "decision-closed"
        )
        assert refused["answered"] == "pass"
    problem(player.get(f"/games/{table_of_three}/legal-moves"), 409, "not-your-decision")
    problem(player.post(f"/games/{table_of_three}/cancellation"), 409, "resigned")


def test_who_resigned_can_not_win_and_the_others_play_to_the_end(
    table_of_three: str, ann: Person, bob: Person, cay: Person, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play_on(table_of_three, 25, ann, bob, cay)
    resign(cay, table_of_three)
    play_on(table_of_three, 1000, ann, bob, cay)
    summary = ann.seen(f"/games/{table_of_three}")
    assert (summary["status"], summary["ended_by"]) == ("over", "rules")
    assert summary["result"]["winners"] and "C" not in summary["result"]["winners"]
    assert cay.seen(f"/games/{table_of_three}/view")["winners"] == summary["result"]["winners"]
    assert ann.seen(f"/games/{table_of_three}/events?limit=500")["items"][-1]["type"] == "game_ended"
    assert is_verified(bob, table_of_three, tmp_path), capsys.readouterr().out
    assert auditing.audit(table_of_three)


def test_when_one_is_left_he_has_won(
    table_of_three: str, ann: Person, bob: Person, cay: Person, tmp_path: Path
) -> None:
    play_on(table_of_three, 12, ann, bob, cay)
    resign(ann, table_of_three)
    told = resign(cay, table_of_three)
    assert (told["status"], told["ended_by"], told["result"]["winners"]) == ("over", "resignation", ["B"])
    assert is_verified(bob, table_of_three, tmp_path) and auditing.audit(table_of_three)


@on_one_database
def test_when_nobody_is_left_who_plays_himself_the_game_is_cancelled(
    table_of_three: str, ann: Person, bob: Person
) -> None:
    """Two seats of the house could play to the end; but for whom?"""
    with transaction() as session:
        row = games.locked(session, table_of_three)
        assert row is not None
        for seat in row.players[1:]:
            seat.played_by = "house"  # as a seat that began so: it could still win
    told = resign(ann, table_of_three)
    assert (told["status"], told["ended_by"], told["result"]) == ("cancelled", "cancellation", None)
    assert auditing.audit(table_of_three)


@on_one_database
def test_a_seat_is_handed_over_once(table_of_three: str, ann: Person, bob: Person, cay: Person) -> None:
    resign(ann, table_of_three)
    before = bob.seen(f"/games/{table_of_three}")
    with transaction() as session:
        row = games.locked(session, table_of_three)
        assert row is not None
        houses.hand_over(session, row, row.players[0], clock.now())
    assert bob.seen(f"/games/{table_of_three}") == before


# Cancellation


def test_when_all_agree_the_game_is_cancelled(game: str, ann: Person, bob: Person, tmp_path: Path) -> None:
    play_on(game, 20, ann, bob)
    told = cancel(ann, game)
    assert (told["status"], [player["cancels"] for player in told["players"]]) == ("running", [True, False])
    told = cancel(bob, game)
    assert (told["status"], told["ended_by"], told["result"]) == ("cancelled", "cancellation", None)
    assert told["waiting_for"] is None and told["ended_at"]
    assert bob.seen(f"/games/{game}/events")["items"][-1]["type"] == "game_cancelled"
    view = ann.seen(f"/games/{game}/view")
    assert (view["phase"], view["winners"], view["question"]) == ("over", [], None)
    assert is_verified(ann, game, tmp_path) and auditing.audit(game)
    record = ann.seen(f"/games/{game}/record")
    assert record["ended"] == {"by": "cancellation", "after": 20} and record["result"]["winners"] == []
    assert len(due("game_cancelled", game)) == 2 and not due("your_turn", game)


def test_the_game_goes_on_until_the_last_has_agreed(game: str, ann: Person, bob: Person) -> None:
    cancel(ann, game)
    cancel(ann, game)  # twice is once
    play_on(game, 3, ann, bob)
    assert ann.seen(f"/games/{game}")["status"] == "running"


def test_the_others_hear_that_somebody_agrees_or_resigns(game: str, ann: Person, bob: Person) -> None:
    cancel(ann, game)
    ann.ask("DELETE", f"/games/{game}/cancellation")
    resign(ann, game)
    types = [item["type"] for item in bob.seen("/me/events?limit=200")["items"]]
    assert types[-5:] == ["cancellation", "cancellation", "resigned", "events", "over"]


def test_an_agreement_may_be_withdrawn(game: str, ann: Person, bob: Person) -> None:
    cancel(ann, game)
    told = ann.ask("DELETE", f"/games/{game}/cancellation")
    assert (told.status_code, [player["cancels"] for player in told.json["players"]]) == (200, [False, False])
    assert cancel(bob, game)["status"] == "running"
    assert ann.ask("DELETE", f"/games/{game}/cancellation").status_code == 200
    assert cancel(ann, game)["status"] == "cancelled"
    for who in (ann, bob):
        problem(who.ask("DELETE", f"/games/{game}/cancellation"), 409, "game-over")
        assert who.post(f"/games/{game}/cancellation").json["status"] == "cancelled", "the last one may not have heard"


@on_one_database
def test_a_withdrawal_of_what_was_not_seen_is_refused(game: str, ann: Person, bob: Person) -> None:
    seen = ann.get(f"/games/{game}").headers["ETag"]
    cancel(ann, game)
    refused = ann.ask("DELETE", f"/games/{game}/cancellation", headers={"If-Match": seen})
    problem(refused, 412, "precondition-failed")
    current = ann.get(f"/games/{game}").headers["ETag"]
    assert ann.ask("DELETE", f"/games/{game}/cancellation", headers={"If-Match": current}).status_code == 200


def test_the_seat_of_the_house_is_not_asked_whether_it_agrees(
    table_of_three: str, ann: Person, bob: Person, cay: Person, tmp_path: Path
) -> None:
    resign(ann, table_of_three)
    cancel(bob, table_of_three)
    assert cancel(cay, table_of_three)["status"] == "cancelled"
    assert is_verified(bob, table_of_three, tmp_path) and auditing.audit(table_of_three)


def test_when_the_last_who_did_not_agree_resigns_the_game_is_cancelled(
    table_of_three: str, ann: Person, bob: Person, cay: Person
) -> None:
    cancel(ann, table_of_three)
    cancel(bob, table_of_three)
    assert resign(cay, table_of_three)["status"] == "cancelled"
    assert auditing.audit(table_of_three)


# Who may


ACTS = [("POST", "resignation"), ("POST", "cancellation"), ("DELETE", "cancellation")]


@on_one_database
@pytest.mark.parametrize(("verb", "door"), ACTS)
def test_it_is_for_players_of_a_running_game(
    verb: str, door: str, game: str, ann: Person, bob: Person, eve: Person, nobody: Person
) -> None:
    path = f"/games/{game}/{door}"
    problem(eve.ask(verb, path), 403, "not-a-player")
    problem(nobody.ask(verb, path), 401, "token-missing")
    problem(ann.ask(verb, f"/games/g_nothing/{door}"), 404, "unknown-game")
    waiting = ann.made("/games", {"seats": 2})["id"]
    problem(ann.ask(verb, f"/games/{waiting}/{door}"), 409, "game-not-started")


@on_one_database
@pytest.mark.parametrize("door", ["resignation", "cancellation"])
def test_it_takes_nothing_but_the_path(door: str, game: str, ann: Person) -> None:
    problem(ann.post(f"/games/{game}/{door}", {"why": "tired"}), 422, "unknown-body-key")
    problem(ann.post(f"/games/{game}/{door}?force=1"), 422, "unknown-query-key")
    assert ann.seen(f"/games/{game}")["status"] == "running"


@on_one_database
def test_a_game_called_off_before_its_start_has_no_record(ann: Person) -> None:
    game = ann.made("/games", {"seats": 2})["id"]
    with transaction() as session:
        session.get_one(Game, game).status = "cancelled"
    problem(ann.get(f"/games/{game}/record"), 409, "game-not-over")
    assert ann.seen(f"/games/{game}/fairness")["proof"] is None
