"""The nightly audit finds whatever was changed behind the server's back, and changes nothing itself."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

import engine
from server import database, kicking, logs, sealing
from server.database import reading, transaction
from server.models import Decision, Event, Game, Move, Seat
from server.services import auditing, lobby, play, seating, starting
from server.services.accounts import Caller
from tests.engine.fairness import addition
from tests.workers import rows

numbers = itertools.count(1)

WORDS = {"A": "alpha", "B": "beta"}
SWITCHES = {"listed": True, "join": "open", "spectators": "none", "start": "automatic"}


@pytest.fixture(autouse=True)
def connected(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("GALAPOST_HOME", str(tmp_path))
    monkeypatch.setattr(kicking, "kick", lambda *task: None)
    sealing._key.cache_clear()
    logs.configure()
    url = database_url.replace("postgresql://", "postgresql+psycopg://")
    database.connect(url)
    yield
    database.disconnect()
    sealing._key.cache_clear()


def dealt(entropy: bool = True) -> tuple[str, dict[str, Caller]]:
    """A game that has just begun, and who plays it."""
    with transaction() as session:
        ids = [rows.account(session, f"player-{next(numbers)}", None).id for _ in WORDS]
    callers = {seat: Caller(id, frozenset({"games:play"})) for seat, id in zip("AB", ids, strict=True)}
    digests = {seat: addition(seat, text)["commitment"] if entropy else None for seat, text in WORDS.items()}
    game = lobby.create(callers["A"], 2, {}, digests["A"], **SWITCHES).body["id"]
    seating.join(callers["B"], game, digests["B"])
    for seat, text in WORDS.items() if entropy else ():
        starting.reveal(callers[seat], game, text)
    return game, callers


def go_on(game: str, callers: dict[str, Caller], moves: int) -> None:
    dice = random.Random(7)
    for _ in range(moves):
        with reading() as session:
            row = session.get_one(Game, game)
            if row.decision is None or row.asked_seat is None:
                return
            number, seat, legal = row.decision, row.asked_seat, engine.legal_moves(engine.load(row.state or ""))
        play.answer(callers[seat], game, number, str(dice.choice(legal)))


def test_games_that_are_as_they_were_played_are_counted_and_left_alone() -> None:
    running, over, fresh = dealt(), dealt(entropy=False), dealt()
    lobby.create(running[1]["A"], 2, {}, **SWITCHES)  # not dealt: nothing to audit
    go_on(*running, 40)
    go_on(*over, 1000)
    before = everything()
    assert auditing.run() == {"games": 3, "different": 0}
    assert everything() == before
    assert fresh[0] in [game[0] for game in before[0]]


def everything() -> list[list[tuple[Any, ...]]]:
    tables = (Game, Seat, Decision, Move, Event)
    with reading() as session:
        return [sorted((tuple(row) for row in session.execute(select(table.__table__))), key=repr) for table in tables]


def an_event(session: Session, type: str) -> Event:
    return session.scalars(select(Event).where(Event.type == type).order_by(Event.number)).all()[-1]


def another_die(session: Session, game: Game) -> None:
    event = an_event(session, "bank_rolled")
    dice = [face % 6 + 1 for face in event.data["facts"]["dice"]]
    event.data = {**event.data, "facts": {**event.data["facts"], "dice": dice}}


def another_secret(session: Session, game: Game) -> None:
    event = an_event(session, "animal_played")
    event.data = {**event.data, "secrets": {"A": {"card": "swimming"}, "B": {"card": "swimming"}}}


def another_type(session: Session, game: Game) -> None:
    an_event(session, "animal_played").type = "food_taken"


def another_state(session: Session, game: Game) -> None:
    state = json.loads(game.state or "")
    state["bank"] += 1
    game.state = json.dumps(state, separators=(",", ":"))


def an_older_state(session: Session, game: Game) -> None:
    """A valid one, of some moves ago: as if a write had been lost."""
    game.state = engine.dump(engine.new_game(game.seed, game.seats, game.options, {0: b"alpha", 1: b"beta"}))


def a_broken_state(session: Session, game: Game) -> None:
    game.state = (game.state or "")[:-5]


def the_last_move_lost(session: Session, game: Game) -> None:
    session.execute(delete(Move).where(Move.number == (game.decision or 0) - 1))


def another_move(session: Session, game: Game) -> None:
    session.execute(update(Move).where(Move.number == 3).values(notation="attack A1 B1"))


def another_seat_of_a_decision(session: Session, game: Game) -> None:
    decision = session.get_one(Decision, (game.id, 4))
    decision.seat = "B" if decision.seat == "A" else "A"


def another_seat_of_a_move(session: Session, game: Game) -> None:
    move = session.get_one(Move, (game.id, 4))
    move.seat = "B" if move.seat == "A" else "A"


def another_asked(session: Session, game: Game) -> None:
    game.asked_seat = "B" if game.asked_seat == "A" else "A"


def an_event_lost(session: Session, game: Game) -> None:
    session.execute(delete(Event).where(Event.number == 2))


TAMPERED: dict[str, tuple[Callable[[Session, Game], Any], str]] = {
    "another die": (another_die, "log"),
    "another secret": (another_secret, "log"),
    "another type": (another_type, "types of events"),
    "an event lost": (an_event_lost, "log"),
    "a move lost": (the_last_move_lost, "log"),
    "another move": (another_move, "log"),
    "another seat of a decision": (another_seat_of_a_decision, "log"),
    "another seat of a move": (another_seat_of_a_move, "move"),
    "another kind": (lambda _, game: setattr(game, "question_kind", "share"), "open decision"),
    "another seat asked": (another_asked, "open decision"),
    "another count of events": (lambda _, game: setattr(game, "last_event", 1), "numbers of events"),
    "another seed": (lambda _, game: setattr(game, "seed", bytes(32)), "commitment"),
    "another commitment": (lambda _, game: setattr(game, "commitment", "0" * 64), "commitment"),
    "another entropy": (lambda _, game: setattr(game.players[0], "entropy", "omega"), "entropy"),
    "entropy withdrawn": (lambda _, game: setattr(game.players[0], "entropy", None), "log"),
    "another state": (another_state, "state"),
    "an older state": (an_older_state, "state"),
    "another status": (lambda _, game: setattr(game, "status", "over"), "question"),
    "a broken state": (a_broken_state, "BadDump"),
    "no state": (lambda _, game: setattr(game, "state", None), "GameNotStarted"),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_whatever_is_changed_in_a_row_is_found_and_cried_out(what: str, capfd: pytest.CaptureFixture[str]) -> None:
    tamper, named = TAMPERED[what]
    game, callers = dealt()
    go_on(game, callers, 25)
    with transaction() as session:
        tamper(session, session.get_one(Game, game))
    capfd.readouterr()
    assert auditing.run() == {"games": 1, "different": 1}
    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    (alarm,) = [line for line in lines if line["level"] == "error"]
    assert alarm["game"] == game and named in (alarm.get("what"), alarm.get("error")), alarm
    assert set(alarm) <= {"event", "level", "timestamp", "game", "what", "decision", "error"}, "ids and numbers only"


def test_the_result_of_a_finished_game_is_audited_too() -> None:
    game, callers = dealt(entropy=False)
    go_on(game, callers, 1000)
    with transaction() as session:
        session.get_one(Game, game).result = {"winners": ["B", "A"], "scores": {"A": 1, "B": 99}}
    assert auditing.run() == {"games": 1, "different": 1}


def test_one_game_at_fault_does_not_hide_the_others() -> None:
    games = [dealt()[0] for _ in range(4)]
    with transaction() as session:
        session.get_one(Game, games[1]).state = "{}"
    assert auditing.run() == {"games": 4, "different": 1}


def test_a_sample_is_as_large_as_it_may_be_and_every_game_is_in_some(monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes round the games in a fixed order, from wherever it begins."""
    games = {dealt(entropy=False)[0] for _ in range(6)}
    following = {}
    for game in games:
        with monkeypatch.context() as chance:
            chance.setattr(auditing, "new_id", lambda prefix, first=game: first)
            first, following[game] = auditing._sample(2)
            assert first == game
            whole = auditing._sample(100)
        assert set(whole) == games and len(whole) == 6
        assert [following.get(one, two) for one, two in itertools.pairwise(whole)] == whole[1:]
    assert set(following.values()) == games
    assert auditing.run(at_most=3)["games"] == 3


def test_where_a_sample_begins_is_left_to_chance() -> None:
    for _ in range(6):
        dealt(entropy=False)
    assert len({auditing._sample(1)[0] for _ in range(200)}) > 1


def test_a_run_that_has_no_time_left_begins_no_game() -> None:
    dealt()
    assert auditing.run(seconds=-1) == {"games": 0, "different": 0}
