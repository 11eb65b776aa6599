"""Talk at the table."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from server import clock
from server.database import transaction
from server.models import Game
from tests.playing import Person, on_one_database, problem, running_game


@pytest.fixture
def game(ann: Person, bob: Person) -> str:
    return running_game(ann, bob, spectators="public")


def test_what_one_says_all_players_read_in_order(game: str, ann: Person, bob: Person) -> None:
    first = ann.post(f"/games/{game}/messages", {"text": "Nice hunt."})
    bob.made(f"/games/{game}/messages", {"text": "Спасибо 🦎"})
    assert first.status_code == 201
    for who in (ann, bob):
        told = who.seen(f"/games/{game}/messages")
        assert [(item["number"], item["seat"], item["name"], item["text"]) for item in told["items"]] == [
            (1, "A", "Ann", "Nice hunt."),
            (2, "B", "Bob", "Спасибо 🦎"),
        ]
        assert (told["next_after"], told["more"]) == (2, False)
    assert first.json == told["items"][0]


def test_it_changes_nothing_of_the_game(game: str, ann: Person) -> None:
    before = [ann.get(f"/games/{game}{door}").data for door in ("", "/view", "/events")]
    ann.made(f"/games/{game}/messages", {"text": "hello"})
    assert [ann.get(f"/games/{game}{door}").data for door in ("", "/view", "/events")] == before


def test_the_feed_of_each_player_tells_that_there_is_something_new(game: str, ann: Person, bob: Person) -> None:
    ann.made(f"/games/{game}/messages", {"text": "hello"})
    for who in (ann, bob):
        newest = who.seen("/me/events?limit=200")["items"][-1]
        assert (newest["type"], newest["game"], newest["message"]) == ("message", game, 1)


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "x" * 2000,
        "one\ntwo\n\nthree",
        " leading",
        "<b>&amp;</b>",
        "می‌خواهم",
        "👨‍👩‍👧",
        "Ж" * 2000,
        "a\u0301\u0327",
    ],
)
def test_any_plain_text_may_be_said(text: str, game: str, ann: Person, bob: Person) -> None:
    ann.made(f"/games/{game}/messages", {"text": text})
    assert bob.seen(f"/games/{game}/messages")["items"][0]["text"] == text


def test_lines_broken_as_on_other_systems_are_broken_as_here(game: str, ann: Person) -> None:
    assert ann.made(f"/games/{game}/messages", {"text": "one\r\ntwo"})["text"] == "one\ntwo"


ODD = [
    "",
    " ",
    "\n\n",
    "x" * 2001,
    "a\0b",
    "a\x1b[2Jb",
    "a\tb",
    "a\rb",
    "a\u202eb",
    "a\u2066b",
    "a\u200eb",
    "a\u2028b",
    "\x85",
    7,
    None,
    ["a"],
    {},
]


@on_one_database
@pytest.mark.parametrize("text", ODD)
def test_odd_text_is_refused(text: object, game: str, ann: Person) -> None:
    refused = problem(ann.post(f"/games/{game}/messages", {"text": text}), 422, "invalid-body")
    assert [fault["pointer"] for fault in refused["errors"]] == ["/text"]
    assert ann.seen(f"/games/{game}/messages")["items"] == []


@on_one_database
def test_it_takes_a_text_and_nothing_else(game: str, ann: Person) -> None:
    problem(ann.post(f"/games/{game}/messages", {}), 422, "invalid-body")
    problem(ann.post(f"/games/{game}/messages", {"text": "a", "to": "B"}), 422, "unknown-body-key")
    for query in ("after=-1", "limit=0", "limit=201", "after=x"):
        problem(ann.get(f"/games/{game}/messages?{query}"), 422, "invalid-query")


@on_one_database
def test_it_is_among_players(game: str, ann: Person, eve: Person, nobody: Person) -> None:
    ann.made(f"/games/{game}/messages", {"text": "psst"})
    for verb, body in (("GET", None), ("POST", {"text": "boo"})):
        problem(eve.ask(verb, f"/games/{game}/messages", json=body), 403, "not-a-player")
        problem(nobody.ask(verb, f"/games/{game}/messages", json=body), 401, "token-missing")
        problem(ann.ask(verb, "/games/g_nothing/messages", json=body), 404, "unknown-game")


@on_one_database
def test_it_begins_with_the_first_seat_and_ends_a_week_after_the_game(
    game: str, ann: Person, bob: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = ann.made("/games", {"seats": 2})["id"]
    ann.made(f"/games/{waiting}/messages", {"text": "anybody?"})
    ann.made(f"/games/{game}/resignation")
    with transaction() as session:
        ended = session.get_one(Game, game).ended_at
    assert ended is not None
    with monkeypatch.context() as patch:
        patch.setattr(clock, "now", lambda: ended + timedelta(days=7))
        bob.made(f"/games/{game}/messages", {"text": "well played"})
        patch.setattr(clock, "now", lambda: ended + timedelta(days=7, seconds=1))
        problem(bob.post(f"/games/{game}/messages", {"text": "hello?"}), 409, "talk-over")
        assert len(ann.seen(f"/games/{game}/messages")["items"]) == 1


@on_one_database
def test_a_page_leads_to_the_next(game: str, ann: Person) -> None:
    for number in range(5):
        ann.made(f"/games/{game}/messages", {"text": str(number)})
    first = ann.get(f"/games/{game}/messages?limit=2")
    assert (first.json["next_after"], first.json["more"]) == (2, True) and "after=2" in first.headers["Link"]
    rest = ann.seen(f"/games/{game}/messages?after=2")
    assert [item["text"] for item in rest["items"]] == ["2", "3", "4"]


def test_the_same_request_again_says_it_once(game: str, ann: Person, bob: Person) -> None:
    key = {"Idempotency-Key": "one"}
    first = ann.post(f"/games/{game}/messages", {"text": "hello"}, headers=key)
    again = ann.post(f"/games/{game}/messages", {"text": "hello"}, headers=key)
    assert first.json == again.json and again.headers["Idempotency-Replayed"] == "true"
    problem(ann.post(f"/games/{game}/messages", {"text": "bye"}, headers=key), 422, "key-reused")
    bob.post(f"/games/{game}/messages", {"text": "hello"}, headers=key)
    assert len(ann.seen(f"/games/{game}/messages")["items"]) == 2


def test_all_who_talk_at_once_are_heard(game: str, ann: Person, bob: Person) -> None:
    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(lambda n: (ann, bob)[n % 2].post(f"/games/{game}/messages", {"text": str(n)}), range(12)))
    assert {answer.status_code for answer in said} == {201}
    items = ann.seen(f"/games/{game}/messages")["items"]
    assert [item["number"] for item in items] == list(range(1, 13))
    assert sorted(int(item["text"]) for item in items) == list(range(12))
