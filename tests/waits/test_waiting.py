"""Requests that wait, on an app without a broker: what wakes them here is the commit itself."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import update
from werkzeug.test import TestResponse

from server import database, waking
from server.database import transaction
from server.models import Game
from server.services import games
from tests.playing import Person, problem, running_game, signed_in, whose_turn
from tests.workers.processes import eventually

AT_ONCE = 0.8  # seconds; who looks every second is slower most of the time
pool = ThreadPoolExecutor(8)


class Waiting:
    """A request that somebody else waits for; begun when it is held."""

    def __init__(self, who: Person, path: str) -> None:
        self.took = 0.0
        before = _held()
        self._answer: Future[TestResponse] = pool.submit(self._ask, who, path)
        eventually(lambda: self._answer.done() or _held() > before)
        self.held = not self._answer.done()

    def _ask(self, who: Person, path: str) -> TestResponse:
        answer = who.get(path)
        self.ended = time.monotonic()
        return answer

    def after(self, happens: Callable[[], Any]) -> TestResponse:
        """The answer, which has to come at once after that."""
        assert self.held, "it was not held"
        happens()
        began = time.monotonic()
        answer = self._answer.result(30)
        assert self.ended - began < AT_ONCE
        return answer


def _held() -> int:
    waker = waking._running()
    return waker.hall._taken


def play(game: str, *players: Person) -> None:
    player, number = whose_turn(game, *players)
    player.made(f"/games/{game}/moves", {"decision": number, "move": player.legal(game)[0]})


def only_mover_and_other(game: str, *players: Person) -> tuple[Person, Person]:
    mover, _ = whose_turn(game, *players)
    return mover, next(player for player in players if player is not mover)


def test_the_list_of_decisions_is_there_at_once_when_something_is_owed(ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    mover, _ = whose_turn(game, ann, bob)
    began = time.monotonic()
    told = mover.seen("/me/decisions?wait=20")
    assert time.monotonic() - began < 5
    assert [item["game"] for item in told["items"]] == [game]
    assert mover.seen("/me/decisions?after=unknown&wait=20")["next_after"] == told["next_after"]


def test_who_owes_nothing_waits_until_he_does(ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    mover, other = only_mover_and_other(game, ann, bob)
    assert other.seen("/me/decisions")["items"] == []

    def play_until_it_is_his_turn() -> None:
        while whose_turn(game, ann, bob)[0] is mover:
            play(game, ann, bob)

    answer = Waiting(other, "/me/decisions?wait=20").after(play_until_it_is_his_turn)
    assert [item["game"] for item in answer.json["items"]] == [game]


def test_who_knows_what_he_owes_waits_until_it_is_another_thing(ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    mover, _ = whose_turn(game, ann, bob)
    known = mover.seen("/me/decisions")["next_after"]
    assert mover.get(f"/me/decisions?after={known}").status_code == 204
    answer = Waiting(mover, f"/me/decisions?after={known}&wait=20").after(lambda: play(game, ann, bob))
    assert answer.status_code == 200
    assert answer.json["next_after"] != known


def test_a_decision_that_is_closed_is_a_change_too(ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    mover, other = only_mover_and_other(game, ann, bob)
    nothing = other.seen("/me/decisions")["next_after"]
    while whose_turn(game, ann, bob)[0] is mover:
        play(game, ann, bob)
    known = other.seen(f"/me/decisions?after={nothing}")["next_after"]
    while whose_turn(game, ann, bob)[0] is other:
        play(game, ann, bob)
    told = other.seen(f"/me/decisions?after={known}")
    assert (told["items"], told["next_after"]) == ([], nothing)


def test_a_moved_deadline_is_a_change_too(ann: Person, bob: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    game = running_game(ann, bob)
    mover, _ = whose_turn(game, ann, bob)
    known = mover.seen("/me/decisions")["next_after"]
    announced = games.announced
    monkeypatch.setattr(games, "announced", lambda *what: announced(*what) | {"deadline": None, "paused": True})
    assert mover.seen(f"/me/decisions?after={known}")["next_after"] != known


def test_when_nothing_happens_the_answer_is_204_and_has_no_body(ann: Person) -> None:
    for path in ("/me/decisions?wait=1", "/me/events?wait=1&after=9"):
        began = time.monotonic()
        answer = ann.get(path)
        assert 1 <= time.monotonic() - began < 5
        assert (answer.status_code, answer.data) == (204, b"")


def test_the_pages_of_a_long_list_do_not_wait(ann: Person, bob: Person) -> None:
    for _ in range(4):
        running_game(ann, bob)
    owed = sorted(ann.owed() + bob.owed(), key=lambda item: item["opened_at"])
    player = ann if len(ann.owed()) > 1 else bob
    first = player.seen("/me/decisions?limit=1")
    second = player.seen(f"/me/decisions?limit=1&cursor={first['next_cursor']}&wait=20&after={first['next_after']}")
    assert second["items"] and second["items"] != first["items"]
    assert second["next_after"] == first["next_after"]
    assert len(owed) == 4


def test_events_of_a_game_are_waited_for(ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    read = bob.seen(f"/games/{game}/events?limit=500")["next_after"]
    assert bob.seen(f"/games/{game}/events?after={read}")["items"] == []
    answer = Waiting(bob, f"/games/{game}/events?after={read}&wait=20").after(lambda: play(game, ann, bob))
    assert answer.json["items"][0]["number"] == read + 1


def test_a_spectator_without_an_account_waits_too(ann: Person, bob: Person, nobody: Person) -> None:
    game = running_game(ann, bob, spectators="public")
    read = nobody.seen(f"/games/{game}/events?limit=500")["next_after"]
    answer = Waiting(nobody, f"/games/{game}/events?after={read}&wait=20").after(lambda: play(game, ann, bob))
    assert answer.status_code == 200


def test_what_happened_in_my_games_is_waited_for(ann: Person, bob: Person) -> None:
    game = ann.made("/games", {"seats": 2})["id"]
    read = ann.seen("/me/events")["next_after"]
    answer = Waiting(ann, f"/me/events?after={read}&wait=20").after(lambda: bob.made(f"/games/{game}/seats"))
    assert {item["game"] for item in answer.json["items"]} == {game}


def test_a_change_of_the_game_alone_wakes_those_at_its_table(ann: Person, bob: Person) -> None:
    """Whoever makes it: no service has to think of those who wait."""
    game = running_game(ann, bob)
    waker = waking._running()

    def change() -> None:
        with transaction() as session:
            session.get_one(Game, game).version += 1

    with waker.hall.waiter(_account(ann)) as waiter, waker.hall.waiter(game) as another:
        change()
        for woken in (waiter, another):
            began = time.monotonic()
            woken.wait(5)
            assert time.monotonic() - began < AT_ONCE


def test_what_is_rolled_back_wakes_nobody(ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    with waking._running().hall.waiter(game) as waiter:
        waiter.seen = 1_000_000
        with pytest.raises(RuntimeError), transaction() as session:
            session.get_one(Game, game).version += 1
            session.flush()
            raise RuntimeError
        began = time.monotonic()
        waiter.wait(0.3)
        assert time.monotonic() - began >= 0.3


def _account(person: Person) -> str:
    account: str = person.seen("/me")["id"]
    return account


def test_a_change_that_nobody_told_of_is_seen_within_seconds(ann: Person, bob: Person) -> None:
    """As when another process commits while the broker is away."""
    game = running_game(ann, bob)
    read = bob.seen(f"/games/{game}/events?limit=500")["next_after"]
    waits = Waiting(bob, f"/games/{game}/events?after={read - 1}&wait=20")
    assert not waits.held
    waits = Waiting(bob, f"/games/{game}/events?after={read}&wait=20")
    assert waits.held
    with database.engine().begin() as connection:  # no session, and so no hook
        connection.execute(update(Game).values(last_event=Game.last_event + 1))
    eventually(lambda: waking._running().hall.topics() == [game])
    with waking._running().hall._lock:
        (waiter,) = waking._running().hall._waiters[game]
    eventually(lambda: waiter.seen == read + 1, 5)
    play(game, ann, bob)


def test_a_waiting_request_holds_no_connection_to_the_database(ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    read = bob.seen(f"/games/{game}/events?limit=500")["next_after"]
    waits = [Waiting(bob, f"/games/{game}/events?after={read}&wait=20") for _ in range(4)]
    eventually(lambda: database.engine().pool.checkedout() == 0, 5)
    play(game, ann, bob)
    assert [wait._answer.result(10).status_code for wait in waits] == [200] * 4


def test_the_fifth_wait_of_an_account_is_refused(app: Flask, ann: Person, bob: Person) -> None:
    running_game(ann, bob)
    game = ann.made("/games", {"seats": 2, "spectators": "public"})["id"]
    read, known = ann.seen("/me/events")["next_after"], ann.seen("/me/decisions")["next_after"]
    waits = [Waiting(ann, f"/me/decisions?after={known}&wait=20"), Waiting(ann, f"/games/{game}/events?wait=20")]
    waits += [Waiting(ann, f"/me/events?after={read}&wait=20") for _ in range(2)]
    refused = ann.get(f"/me/decisions?after={known}&wait=20")
    problem(refused, 429, "rate-limited")
    assert 1 <= int(refused.headers["Retry-After"]) <= 20
    assert ann.get("/me/decisions").status_code == 200, "who does not wait is no wait"
    assert ann.get("/me/events?wait=20").status_code == 200, "nor who has something to be told"
    another = Waiting(signed_in(app, "Cay"), "/me/decisions?wait=20")  # longer than the slowest machine takes to look
    assert another.held
    bob.made(f"/games/{game}/seats")
    for wait in waits[1:]:  # in the first, too, if Ann begins
        assert wait._answer.result(10).status_code == 200
    assert Waiting(ann, "/me/events?after=999&wait=20").held


def test_a_wait_is_kept_by_no_cache_and_has_no_version(ann: Person) -> None:
    for path in ("/me/decisions", "/me/events", "/me/decisions?wait=1"):
        answer = ann.get(path)
        assert answer.headers["Cache-Control"] == "no-store"
        assert "ETag" not in answer.headers


def test_a_wait_is_a_whole_number_of_seconds_up_to_sixty(ann: Person) -> None:
    for wrong in ("61", "-1", "1.5", "x", "", "1&wait=1"):
        problem(ann.get(f"/me/decisions?wait={wrong}"), 422, "invalid-query")


def test_the_end_of_the_server_is_the_end_of_every_wait(ann: Person) -> None:
    wait = Waiting(ann, "/me/decisions?wait=50")
    answer = wait.after(waking.end)
    assert (answer.status_code, answer.data) == (204, b"")
    began = time.monotonic()
    assert ann.get("/me/decisions?wait=50").status_code == 204, "nor does another one begin"
    assert time.monotonic() - began < AT_ONCE


def test_the_threads_of_those_who_waited_are_free_again(ann: Person) -> None:
    assert ann.get("/me/decisions?wait=1").status_code == 204
    assert waking._running().hall.topics() == []
    assert waking._running().hall._places == {}
    assert threading.active_count() < 100
