"""What binds the chance of a game before the deal, and what proves it after the end."""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from engine.__main__ import main as command
from engine.chance import stream_key
from server.database import transaction
from server.models import Game
from tests.playing import Person, on_one_database, problem, running_game, signed_in

WORDS = {"A": "alpha", "B": "бета", "C": "gamma 🦎"}


def hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def committed(seat: str) -> dict[str, str]:
    return {"entropy_commitment": hashed(WORDS[seat])}


def reveal(who: Person, game: str, text: str) -> Any:
    return who.post(f"/games/{game}/seats/me/entropy", {"entropy": text})


def shown(who: Person, game: str) -> Any:
    return who.seen(f"/games/{game}/fairness")


def passed_out(game: str, *players: Person) -> None:
    """The shortest way to the end: nobody ever plays a card."""
    waiting = players[0].seen(f"/games/{game}")["waiting_for"]
    while waiting is not None:
        player = players["ABCDEFGH".index(waiting["seat"])]
        answer = {"decision": waiting["decision"], "move": "pass"}
        waiting = player.made(f"/games/{game}/moves", answer)["next"]


def played_out(game: str, *players: Person) -> None:
    """To the end, with animals, attacks and dice."""
    waiting = players[0].seen(f"/games/{game}")["waiting_for"]
    while waiting is not None:
        player = players["ABCDEFGH".index(waiting["seat"])]
        legal = player.legal(game)
        answer = {"decision": waiting["decision"], "move": legal[len(legal) // 2]}
        waiting = player.made(f"/games/{game}/moves", answer)["next"]


@pytest.fixture
def full_table(ann: Person, bob: Person) -> str:
    """Ann and Bob sit, and both have committed."""
    game: str = ann.made("/games", {"seats": 2, **committed("A")})["id"]
    bob.made(f"/games/{game}/seats", committed("B"))
    return game


def test_a_game_waits_until_the_last_is_revealed(full_table: str, ann: Person, bob: Person) -> None:
    assert ann.seen(f"/games/{full_table}")["status"] == "open"
    first = reveal(bob, full_table, WORDS["B"])
    assert (first.status_code, first.json["status"]) == (200, "open")
    assert [player["entropy"] for player in first.json["players"]] == ["committed", "revealed"]
    last = reveal(ann, full_table, WORDS["A"])
    assert (last.json["status"], last.json["waiting_for"]["decision"]) == ("running", 1)
    assert [player["entropy"] for player in last.json["players"]] == ["revealed", "revealed"]
    assert len(ann.owed()) + len(bob.owed()) == 1


def test_a_table_that_waits_for_reveals_says_whose(full_table: str, ann: Person, bob: Person) -> None:
    def awaited() -> str:
        return str(problem(ann.get(f"/games/{full_table}/view"), 409, "game-not-started")["detail"])

    assert "that A, B committed to" in awaited()
    reveal(bob, full_table, WORDS["B"])
    assert "that A committed to" in awaited()


def test_everybody_sees_commitments_and_reveals_and_nobody_the_seed(
    full_table: str, ann: Person, bob: Person, nobody: Person
) -> None:
    reveal(bob, full_table, WORDS["B"])
    for who in (ann, bob, nobody):
        assert shown(who, full_table) == {
            "game": full_table,
            "status": "open",
            "commitment": ann.seen(f"/games/{full_table}")["commitment"],
            "entropy": [
                {"seat": "A", "commitment": hashed(WORDS["A"]), "revealed": None},
                {"seat": "B", "commitment": hashed(WORDS["B"]), "revealed": WORDS["B"]},
            ],
            "proof": None,
        }


def test_the_same_reveal_once_more_changes_nothing(full_table: str, ann: Person, bob: Person) -> None:
    first = reveal(bob, full_table, WORDS["B"]).json
    assert reveal(bob, full_table, WORDS["B"]).json == first
    started = reveal(ann, full_table, WORDS["A"]).json
    again = reveal(ann, full_table, WORDS["A"])
    assert (again.status_code, again.json) == (200, started)


def test_a_reveal_that_is_not_what_was_committed_to_is_refused(full_table: str, ann: Person, bob: Person) -> None:
    before = shown(ann, full_table)
    for wrong in (WORDS["B"], WORDS["A"] + " ", WORDS["A"].upper()):
        refused = problem(reveal(ann, full_table, wrong), 422, "wrong-entropy")
        assert hashed(WORDS["A"]) in refused["detail"] and hashed(wrong) in refused["detail"]
    assert shown(ann, full_table) == before
    reveal(ann, full_table, WORDS["A"])
    problem(reveal(ann, full_table, "another"), 422, "wrong-entropy")


def test_a_reveal_comes_too_early_while_a_seat_is_free(ann: Person, bob: Person) -> None:
    """Else the last to join could choose his commitment knowing everything else."""
    game = ann.made("/games", {"seats": 3, **committed("A")})["id"]
    bob.made(f"/games/{game}/seats")
    problem(reveal(ann, game, WORDS["A"]), 409, "seats-still-free")
    assert shown(ann, game)["entropy"][0]["revealed"] is None


def test_a_reveal_after_the_deal_comes_too_late(full_table: str, ann: Person, bob: Person) -> None:
    reveal(bob, full_table, WORDS["B"])
    assert ann.made(f"/games/{full_table}/start")["status"] == "running"
    problem(reveal(ann, full_table, WORDS["A"]), 409, "game-started")
    assert [addition["revealed"] for addition in shown(ann, full_table)["entropy"]] == [None, WORDS["B"]]


def test_who_has_not_committed_has_nothing_to_reveal(ann: Person, bob: Person, eve: Person) -> None:
    game = ann.made("/games", {"seats": 2, **committed("A")})["id"]
    bob.made(f"/games/{game}/seats")
    problem(reveal(bob, game, "anything"), 409, "no-entropy-committed")
    problem(reveal(eve, game, WORDS["A"]), 403, "not-a-player")
    problem(reveal(eve, "g_" + "a" * 26, WORDS["A"]), 404, "unknown-game")
    assert reveal(ann, game, WORDS["A"]).json["status"] == "running"


@on_one_database
@pytest.mark.parametrize(
    "text",
    [
        "",
        "x" * 201,
        "line\nbreak",
        "\x00",
        "a\x85b",
        "a\u202eb",
        "a\u2028b",
        "a\u2029b",
        "a\u200bb",
        7,
        None,
        ["alpha"],
    ],
)
def test_entropy_is_one_line_of_text(text: Any, full_table: str, ann: Person) -> None:
    refused = problem(reveal(ann, full_table, text), 422, "invalid-body")
    assert refused["errors"][0]["pointer"] == "/entropy"


@on_one_database
@pytest.mark.parametrize("digest", ["", "0" * 63, "0" * 65, "A" * 64, "g" * 64, "0" * 63 + "\n", 0, None])
def test_a_commitment_is_a_sha256_in_hex(digest: Any, ann: Person, bob: Person) -> None:
    game = ann.made("/games", {"seats": 2})["id"]
    for path, body in (("/games", {"seats": 2}), (f"/games/{game}/seats", {})):
        refused = problem(bob.post(path, {**body, "entropy_commitment": digest}), 422, "invalid-body")
        assert refused["errors"][0]["pointer"] == "/entropy_commitment"
    assert bob.post(f"/games/{game}/seats").status_code == 201


def test_without_any_entropy_the_last_seat_still_starts_the_game(ann: Person, bob: Person) -> None:
    game = ann.made("/games", {"seats": 2})["id"]
    assert bob.made(f"/games/{game}/seats", {})["status"] == "running"
    assert shown(ann, game)["entropy"] == []


def test_a_host_who_starts_himself_is_not_overtaken_by_the_last_reveal(ann: Person, bob: Person) -> None:
    game = ann.made("/games", {"seats": 2, "start": "host", **committed("A")})["id"]
    bob.made(f"/games/{game}/seats")
    assert reveal(ann, game, WORDS["A"]).json["status"] == "open"
    assert ann.made(f"/games/{game}/start")["status"] == "running"


def test_a_start_with_free_seats_closes_the_table_and_waits_for_the_reveals(
    ann: Person, bob: Person, eve: Person
) -> None:
    game = ann.made("/games", {"seats": 4, "start": "host", **committed("A")})["id"]
    bob.made(f"/games/{game}/seats", committed("B"))
    closed = ann.made(f"/games/{game}/start")
    assert (closed["status"], closed["seats"], closed["free_seats"]) == ("open", 2, 0)
    problem(eve.post(f"/games/{game}/seats"), 409, "no-free-seat")
    assert reveal(ann, game, WORDS["A"]).json["status"] == "open"
    assert reveal(bob, game, WORDS["B"]).json["status"] == "running"


def test_a_second_start_does_not_wait(ann: Person, bob: Person) -> None:
    game = ann.made("/games", {"seats": 4, **committed("A")})["id"]
    bob.made(f"/games/{game}/seats")
    assert ann.made(f"/games/{game}/start")["status"] == "open"
    problem(bob.post(f"/games/{game}/start"), 403, "not-the-host")
    assert ann.made(f"/games/{game}/start")["status"] == "running"
    assert shown(ann, game)["entropy"][0]["revealed"] is None


def test_all_reveals_at_once_start_the_game_once(app: Flask) -> None:
    players = [signed_in(app, name) for name in ("Ada", "Ben", "Cay")]
    game = players[0].made("/games", {"seats": 3, **committed("A")})["id"]
    for player, seat in zip(players[1:], "BC", strict=True):
        player.made(f"/games/{game}/seats", committed(seat))
    with ThreadPoolExecutor(9) as pool:
        tries = [(player, WORDS[seat]) for player, seat in zip(players, "ABC", strict=True)] * 3
        answers = list(pool.map(lambda each: reveal(each[0], game, each[1]), tries))
    assert {answer.status_code for answer in answers} == {200}
    begun = [event for event in players[0].seen(f"/games/{game}/events")["items"] if event["type"] == "game_began"]
    assert len(begun) == 1
    assert all(addition["revealed"] for addition in shown(players[0], game)["entropy"])


def test_of_a_reveal_and_a_start_at_once_both_are_whole(full_table: str, ann: Person, bob: Person) -> None:
    reveal(bob, full_table, WORDS["B"])
    with ThreadPoolExecutor(2) as pool:
        jobs = pool.submit(reveal, ann, full_table, WORDS["A"]), pool.submit(ann.post, f"/games/{full_table}/start")
        revealed, started = (job.result() for job in jobs)
    in_time = shown(ann, full_table)["entropy"][0]["revealed"] is not None
    assert (revealed.status_code, started.status_code) == ((200, 409) if in_time else (409, 200))
    assert {answer.json["code"] for answer in (revealed, started) if answer.status_code == 409} == {"game-started"}


def test_a_finished_game_is_proven_and_its_record_replays(
    full_table: str, ann: Person, bob: Person, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reveal(bob, full_table, WORDS["B"])
    reveal(ann, full_table, WORDS["A"])
    played_out(full_table, ann, bob)
    fairness, answer = shown(ann, full_table), bob.get(f"/games/{full_table}/record")
    proof, record = fairness["proof"], answer.json
    assert hashlib.sha256(bytes.fromhex(proof["seed"])).hexdigest() == fairness["commitment"] == record["commitment"]
    key = stream_key(bytes.fromhex(proof["seed"]), {0: WORDS["A"].encode(), 1: WORDS["B"].encode()})
    assert proof["key"] == key.hex() and proof["record"].endswith(f"/v1/games/{full_table}/record")
    assert (record["seed"], record["entropy"]) == (proof["seed"], fairness["entropy"])
    assert record["about"]["players"] == [{"seat": "A", "name": "Ann"}, {"seat": "B", "name": "Bob"}]
    assert [move["decision"] for move in record["moves"]] == list(range(1, len(record["moves"]) + 1))
    assert record["result"] == ann.seen(f"/games/{full_table}")["result"]
    assert len(record["events"]) == len(ann.seen(f"/games/{full_table}/events?limit=500")["items"])
    file = tmp_path / "record.json"
    file.write_bytes(answer.data)
    assert command(["verify", str(file)]) == 0, capsys.readouterr().out
    assert ann.get(f"/games/{full_table}/record").data == answer.data, "a record is the same for all, to the byte"


def test_a_game_played_with_a_text_left_out_replays_too(
    full_table: str, ann: Person, bob: Person, tmp_path: Path
) -> None:
    reveal(bob, full_table, WORDS["B"])
    ann.made(f"/games/{full_table}/start")
    passed_out(full_table, ann, bob)
    file = tmp_path / "record.json"
    file.write_bytes(ann.get(f"/games/{full_table}/record").data)
    assert command(["verify", str(file)]) == 0


def test_an_answer_given_before_is_rebuilt_on_the_same_deal(full_table: str, ann: Person, bob: Person) -> None:
    """The first response is made again by a replay, which has to know of the entropy."""
    reveal(bob, full_table, WORDS["B"])
    waiting = reveal(ann, full_table, WORDS["A"]).json["waiting_for"]
    player = ann if waiting["seat"] == "A" else bob
    answer = {"decision": waiting["decision"], "move": player.legal(full_table)[0]}
    first = player.post(f"/games/{full_table}/moves", answer)
    assert (first.status_code, player.post(f"/games/{full_table}/moves", answer).data) == (201, first.data)


def test_there_is_no_record_before_the_end(ann: Person, bob: Person, full_table: str) -> None:
    running = running_game(ann, bob)
    for game, status in ((full_table, "open"), (running, "running")):
        for door in ("record", "record.txt"):
            refused = problem(ann.get(f"/games/{game}/{door}"), 409, "game-not-over")
            assert status in refused["detail"]


def test_a_record_is_for_its_players_and_where_spectators_are_let_in_for_all(
    ann: Person, bob: Person, eve: Person, nobody: Person
) -> None:
    closed, public = running_game(ann, bob), running_game(ann, bob, spectators="public")
    for game in (closed, public):
        passed_out(game, ann, bob)
    for door in ("record", "record.txt"):
        problem(eve.get(f"/games/{closed}/{door}"), 403, "no-spectators")
        problem(nobody.get(f"/games/{closed}/{door}"), 401, "token-missing")
        assert len({who.get(f"/games/{public}/{door}").data for who in (ann, bob, eve, nobody)}) == 1
    assert [shown(who, closed)["proof"] is not None for who in (ann, bob, eve, nobody)] == [True, True, False, False]
    assert all(shown(who, public)["proof"] for who in (ann, eve, nobody))


def test_a_private_game_has_no_record_for_strangers(ann: Person, bob: Person, eve: Person, nobody: Person) -> None:
    game = ann.made("/games", {"seats": 2})["id"]
    bob.made(f"/games/{game}/seats")
    passed_out(game, ann, bob)
    hide(game)
    for stranger in (eve, nobody):
        for door in ("fairness", "record", "record.txt"):
            problem(stranger.get(f"/games/{game}/{door}"), 404, "unknown-game")
    assert ann.get(f"/games/{game}/record").status_code == 200


def hide(game: str) -> None:
    """As if it had been made with `listed: false` and `join: invited`."""
    with transaction() as session:
        made = session.get_one(Game, game)
        made.listed, made.join = False, "invited"


def test_the_text_is_plain_and_for_people(ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    passed_out(game, ann, bob)
    answer, record = ann.get(f"/games/{game}/record.txt"), ann.seen(f"/games/{game}/record")
    assert answer.content_type == "text/plain; charset=utf-8"
    assert record["seed"] in answer.text and all(move["move"] in answer.text for move in record["moves"])
    assert "  A  Ann\n" in answer.text


@pytest.mark.parametrize("door", ["fairness", "record", "record.txt"])
def test_what_the_client_has_already_is_304(door: str, ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    passed_out(game, ann, bob)
    tags = {who.get(f"/games/{game}/{door}").headers["ETag"] for who in (ann, bob)}
    assert len(tags) == 1
    again = ann.get(f"/games/{game}/{door}", headers={"If-None-Match": tags.pop()})
    assert (again.status_code, again.data) == (304, b"")


def test_who_may_not_see_the_proof_has_an_etag_of_his_own(ann: Person, bob: Person, eve: Person) -> None:
    game = running_game(ann, bob)
    passed_out(game, ann, bob)
    mine, hers = (who.get(f"/games/{game}/fairness").headers["ETag"] for who in (ann, eve))
    assert mine != hers
    assert json.loads(eve.get(f"/games/{game}/fairness", headers={"If-None-Match": mine}).data)["proof"] is None
