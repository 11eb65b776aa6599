"""The feed of an account: nothing is skipped, nothing comes twice, nobody reads what he may not know."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import event, select
from sqlalchemy.orm import Session

from server.database import reading, transaction
from server.models import Feed, FeedItem, Game
from server.services import feeds
from tests.playing import Person, running_game, signed_in, whose_turn

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)


def all_of(person: Person, limit: int = 50) -> list[dict[str, Any]]:
    """The whole feed, read as a client reads it."""
    items: list[dict[str, Any]] = []
    after, more = 0, True
    while more:
        page = person.seen(f"/me/events?after={after}&limit={limit}")
        items, after, more = items + page["items"], page["next_after"], page["more"]
    return items


def play(game: str, *players: Person, moves: int = 1) -> None:
    for _ in range(moves):
        player, number = whose_turn(game, *players)
        player.made(f"/games/{game}/moves", {"decision": number, "move": player.legal(game)[0]})


def account(person: Person) -> str:
    id: str = person.seen("/me")["id"]
    return id


def test_it_tells_what_happened_in_all_of_ones_games(ann: Person, bob: Person, eve: Person) -> None:
    one, other = running_game(ann, bob), running_game(eve, ann)
    play(one, ann, bob, moves=3)
    play(other, eve, ann, moves=2)
    items = all_of(ann)
    assert [item["number"] for item in items] == list(range(1, len(items) + 1))
    for game in (one, other):
        told = [event for item in items if item["game"] == game for event in item["events"]]
        assert told == ann.seen(f"/games/{game}/events?limit=500")["items"], "and as the feed of the game tells it"
        assert "started" in [item["type"] for item in items if item["game"] == game]
    assert {item["game"] for item in all_of(bob)} == {one}


def test_it_is_read_in_parts_as_in_one(ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    play(game, ann, bob, moves=6)
    assert all_of(ann, limit=1) == all_of(ann, limit=2) == all_of(ann)
    page = ann.get("/me/events?limit=2")
    assert f"after={page.json['next_after']}" in page.headers["Link"]


def test_each_player_reads_it_with_his_own_eyes(ann: Person, bob: Person) -> None:
    play(running_game(ann, bob), ann, bob, moves=4)
    for reader, seat in ((ann, "A"), (bob, "B")):
        played = [event for item in all_of(reader) for event in item["events"] if event["type"] == "animal_played"]
        assert {event["seat"] for event in played} == {"A", "B"}
        assert {event["seat"] for event in played if event["card"] is not None} == {seat}


def test_a_game_that_one_plays_no_more_tells_no_more(ann: Person, bob: Person, eve: Person) -> None:
    game = ann.made("/games", {"seats": 3})["id"]
    bob.made(f"/games/{game}/seats")
    assert bob.ask("DELETE", f"/games/{game}/seats/me").status_code in (200, 204)
    read = len(all_of(bob))
    eve.made(f"/games/{game}/seats")
    assert len(all_of(bob)) == read


@pytest.fixture
def table(app: Flask, ann: Person, bob: Person) -> tuple[str, list[str]]:
    return running_game(ann, bob), sorted((account(ann), account(bob)))


def note(session: Session, game: str, type: str) -> None:
    feeds.note(session, session.get_one(Game, game), type, NOON)


def numbers(account: str, after: int = 0) -> list[tuple[int, str]]:
    with reading() as session:
        items = select(FeedItem).where(FeedItem.account_id == account, FeedItem.number > after)
        return [(item.number, item.type) for item in session.scalars(items.order_by(FeedItem.number))]


def test_what_is_rolled_back_was_never_in_it(table: tuple[str, list[str]]) -> None:
    game, (account, _) = table
    before = numbers(account)
    with pytest.raises(RuntimeError), transaction() as session:
        note(session, game, "never")
        session.flush()
        raise RuntimeError
    assert numbers(account) == before
    with transaction() as session:
        note(session, game, "then")
    assert numbers(account) == [*before, (len(before) + 1, "then")], "and leaves no gap"


@contextmanager
def held_before_the_commit() -> Iterator[tuple[threading.Event, threading.Event]]:
    """The next commit stops when it has its numbers: (it has come there, it may go on)."""
    come, go_on = threading.Event(), threading.Event()

    def hold(_: Session) -> None:
        if not come.is_set():
            come.set()
            assert go_on.wait(20)

    event.listen(Session, "before_commit", hold)  # after the one that numbers
    try:
        yield come, go_on
    finally:
        go_on.set()
        event.remove(Session, "before_commit", hold)


def test_of_two_commits_at_once_no_reader_skips_one(app: Flask, table: tuple[str, list[str]], ann: Person) -> None:
    """The first has its numbers and is slow to commit; the second comes, and must not be seen before it."""
    game, (first_account, _) = table
    other = running_game(ann, signed_in(app, "Cay"))
    shared = account(ann)
    read = numbers(shared)[-1][0]

    def commit(game: str, type: str) -> None:
        with transaction() as session:
            note(session, game, type)

    with held_before_the_commit() as (come, go_on):
        slow = threading.Thread(target=commit, args=(game, "slow"))
        slow.start()
        assert come.wait(20)
        quick = threading.Thread(target=commit, args=(other, "quick"))
        quick.start()
        quick.join(1)
        seen = numbers(shared, read)  # a reader in between
        go_on.set()
        slow.join(20)
        quick.join(20)
    then = numbers(shared, seen[-1][0] if seen else read)
    assert [type for _, type in seen + then] == ["slow", "quick"]
    assert [number for number, _ in seen + then] == [read + 1, read + 2]
    assert first_account


def test_two_who_note_for_the_same_accounts_never_wait_for_each_other_for_ever(
    app: Flask, ann: Person, bob: Person
) -> None:
    games = [running_game(ann, bob), running_game(bob, ann)]
    read = numbers(account(ann))[-1][0]

    def work(mine: str) -> None:
        for _ in range(10):
            with transaction() as session:
                note(session, mine, "busy")

    threads = [threading.Thread(target=work, args=(game,)) for game in games * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert [number for number, _ in numbers(account(ann), read)] == list(range(read + 1, read + 61))
    with reading() as session:
        assert session.get_one(Feed, account(ann)).last == read + 60
