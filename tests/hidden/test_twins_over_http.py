"""Non-interference through HTTP: a game in the database and its twin give the same bytes at every door.

Each seat, a spectator without and with an account, and the player of another game look, are refused, look again after a
move, and read their mail: bodies, ETags, lengths and all other headers but `Date` are the same.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from flask import Flask
from sqlalchemy import select

from engine import Move, apply, asked, legal_moves
from server import clock
from server.database import reading
from server.models import Game
from server.services import letters, looking
from tests.hidden.doors import Seen, every_look, every_notice, every_refusal, paths, rules
from tests.hidden.tables import NOW, Table, account_ids, clear_away, lay_out, listen, table_after
from tests.hidden.twins import Viewer, twin_for_a_move
from tests.playing import Person, on_one_database, signed_in

TABLES = int(os.environ.get("HIDDEN_TABLES", "12"))
BATCHES = 4
NAMES = ("Ada", "Ben", "Cay", "Dan", "Eli", "Fay", "Gus", "Hal", "Eve")
LONGEST = 260  # moves before the moment that is looked at

Watcher = tuple[Person, Viewer, str | None]  # with whose eyes, and from which account
Answers = dict[str, Seen | str]


@dataclass
class House:
    """The people: eight who may sit at a table, and Eve, who sits at none."""

    app: Flask
    people: list[Person]
    accounts: list[str]

    def watchers(self, table: Table, chance: random.Random) -> list[Watcher]:
        """The seat that is asked, another one, Eve, and somebody without an account."""
        mover = asked(table.state)
        assert mover is not None
        other = chance.choice([seat for seat in range(len(table.state.players)) if seat != mover])
        seats = [(self.people[seat], seat, self.accounts[seat]) for seat in (mover, other)]
        return [*seats, (self.people[-1], None, self.accounts[-1]), (Person(self.app), None, None)]


@pytest.fixture
def house(app: Flask, monkeypatch: pytest.MonkeyPatch) -> House:
    monkeypatch.setattr(clock, "now", lambda: NOW)
    people = [signed_in(app, name) for name in NAMES]
    accounts = account_ids(list(NAMES))
    for account in accounts:
        listen(account, "https://bot.example.org/hook")
    return House(app, people, accounts)


def moment(number: int) -> tuple[Table, Move, random.Random]:
    """A table, and the move that will be made there."""
    chance = random.Random(f"table {number}")
    table = table_after(number, chance.randrange(LONGEST))
    table.spectators = chance.choice(["public", "public", "none"])
    table.state.dice = tuple(chance.randint(1, 6) for _ in range(64))  # the same in both, and so to be known afterwards
    return table, chance.choice(legal_moves(table.state)), chance


def ends(table: Table, move: Move) -> bool:
    later = table.state.copy()
    apply(later, move)
    return asked(later) is None


def opens_at_the_end(door: str) -> bool:
    """When the game is over the proof of its fairness shows all cards and all chance to all."""
    return door.endswith("later") and ("/fairness" in door or "/record" in door)


def all_answers(house: House, table: Table, watcher: Watcher, move: Move, tried: random.Random) -> Answers:
    """What he gets at every door before the move; and what comes of it."""
    person, seat, account = watcher
    found: Answers = dict(every_look(person, table.id)) | dict(every_refusal(person, seat, table, tried))
    mover = asked(table.state)
    assert mover is not None
    answer = house.people[mover].post(f"/games/{table.id}/moves", {"decision": table.decision, "move": str(move)})
    assert answer.status_code == 201, answer.text
    if mover == seat:
        found["the move"] = Seen(answer.status_code, tuple(sorted(answer.headers.items())), answer.data)
    found |= {f"{door}, later": thing for door, thing in every_look(person, table.id)}
    if account is not None:
        found |= dict(every_notice(account, house.app.config["GALAPOST"]))
    return found


def compare(house: House, numbers: range) -> int:
    """How many answers were the same in twins. Raises AssertionError at the first that were not."""
    same = 0
    for number in numbers:
        table, move, chance = moment(number)
        over = ends(table, move)
        for person, seat, account in house.watchers(table, chance):
            hides, tried = chance.random(), chance.random()
            lay_out(table, house.accounts, table.state)
            seen = all_answers(house, table, (person, seat, account), move, random.Random(tried))
            clear_away()
            other, its_move = twin_for_a_move(table.state, move, seat, chance)
            lay_out(table, house.accounts, other, seat, hides)
            its = all_answers(house, table, (person, seat, account), its_move, random.Random(tried))
            clear_away()
            assert seen.keys() == its.keys()
            for door, thing in seen.items():
                if over and opens_at_the_end(door):
                    continue
                assert thing == its[door], f"table {number}, viewer {person.name}, {door}"
            same += len(seen)
    return same


@on_one_database
@pytest.mark.parametrize("batch", range(BATCHES))
def test_a_game_and_its_twin_give_the_same_bytes_at_every_door(
    house: House, batch: int, record_property: Callable[[str, object], None]
) -> None:
    numbers = range(batch, TABLES, BATCHES)
    same = compare(house, numbers)
    record_property("answers that were the same", same)
    assert same > 250 * len(numbers)


def test_and_so_they_do_on_both_databases(house: House) -> None:
    assert compare(house, range(100, 102))


@on_one_database
def test_no_door_is_forgotten(app: Flask) -> None:
    """A new door with something else than a game in its path wants to be opened here, too."""
    assert {"/v1/games/<string:game_id>/view", "/v1/me/decisions", "/v1/games"} <= set(rules(app))
    assert not [path for path in paths(app, "g_1") if "<" in path]


# That the comparison finds a leak, in a header, in a length, in the log of the game, in a letter.


def _etag_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = looking.view_version
    monkeypatch.setattr(looking, "view_version", lambda game, letter: (*honest(game, letter), hash(game.state)))


def _length_of_the_deck_in_text(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = looking.table
    monkeypatch.setattr(
        looking,
        "table",
        lambda game, decision, state, letter: {
            **honest(game, decision, state, letter),
            "position": "x" * sum(state.deck),
        },
    )


def _unprojected_events(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = looking.told
    monkeypatch.setattr(
        looking, "told", lambda event, viewer: {**honest(event, viewer), "text": str(event.data.get("secrets"))}
    )


def _hands_in_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letters, "_one_line", lambda name: f"{name} {games_in_hand()}")


def games_in_hand() -> str:
    """What is in the hands of all games."""
    with reading() as session:
        return "".join(str(state).partition("players")[2] for state in session.scalars(select(Game.state)))


LEAKS: list[Callable[[pytest.MonkeyPatch], None]] = [
    _etag_of_the_table,
    _length_of_the_deck_in_text,
    _unprojected_events,
    _hands_in_letters,
]


@on_one_database
@pytest.mark.parametrize("leak", LEAKS)
def test_the_comparison_finds(
    leak: Callable[[pytest.MonkeyPatch], None], house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    leak(monkeypatch)
    with pytest.raises(AssertionError, match="viewer"):
        compare(house, range(2))
