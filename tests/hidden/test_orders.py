"""Orders are nobody's business: a game in which somebody has left orders, and the same without, give everybody else the same
bytes at every door, before and after a move; as long as the orders have not acted. Why a queue stopped is told to nobody, either."""

from __future__ import annotations

import os
import random

import pytest
from flask import Flask
from sqlalchemy import delete

from engine import Move, State, apply, asked, legal_moves
from engine.vocabulary import SEAT_LETTERS
from server.database import transaction
from server.models import Game, StandingOrders
from server.services.orders import keeping
from tests.hidden.houses import Answers, House, all_answers, moment
from tests.hidden.tables import Table, clear_away, lay_out
from tests.playing import Person, on_one_database

TABLES = int(os.environ.get("HIDDEN_TABLES", "6"))
BATCHES = 3
ORDERS = [  # none of them acts: the first move of a queue is illegal, a condition has come about, nobody is to answer so
    ["play running H9", "animal camouflage", "feed A1, attack A1 B1", "stop when attacked"],
    ["attack H9 G9, feed H9", "if illegal skip"],
    ["feed A1, feed B1, feed C1, feed D1", "stop when bank below 999", "stop when turn changed", "defend H9 run"],
    ["scavenge H9", "share cooperation A9>A8", "defend mimic H9"],
]


def owner_of_orders(table: Table, move: Move, chance: random.Random) -> int:
    """The seat that the move asks, as a rule: its orders are looked at; else any."""
    later = table.state.copy()
    apply(later, move)
    return asked(later) if asked(later) is not None and chance.random() < 0.7 else chance.randrange(len(later.players))  # type: ignore[return-value]


def acts(state: State, owner: int, move: Move) -> bool:
    """A queue that feeds would be legal there."""
    later = state.copy()
    apply(later, move)
    return any(asked(one) == owner and _feeds(one) for one in (state, later))


def _feeds(state: State) -> bool:
    return any(str(move).startswith("feed ") and str(move)[-1] == "1" for move in legal_moves(state))


def leave(owner: Person, table: Table, lines: list[str]) -> None:
    answer = owner.ask("PUT", f"/games/{table.id}/orders", json={"lines": lines})
    assert answer.status_code == 200, answer.text
    assert answer.json["acted"] == [], "what acts may be seen"


def clear() -> None:
    with transaction() as session:
        session.execute(delete(StandingOrders))
    clear_away()


def compare(house: House, numbers: range) -> int:
    """How many answers were the same with orders and without. Raises AssertionError at the first that were not."""
    same = 0
    for number in numbers:
        table, move, chance = moment(number)
        owner = owner_of_orders(table, move, chance)
        fitting = [
            lines for lines in ORDERS if "feed A1, feed B1" not in lines[0] or not acts(table.state, owner, move)
        ]
        for person, seat, account in house.watchers(table, chance):
            if seat == owner:
                continue
            lines, tried = chance.choice(fitting), chance.random()
            seen: list[Answers] = []
            for ordered in (False, True):
                lay_out(table, house.accounts, table.state)
                if ordered:
                    leave(house.people[owner], table, lines)
                seen.append(all_answers(house, table, (person, seat, account), move, random.Random(tried)))
                clear()
            without, given = seen
            assert without.keys() == given.keys()
            for door, thing in without.items():
                assert thing == given[door], (
                    f"table {number}, viewer {person.name}, orders of {SEAT_LETTERS[owner]}, {door}"
                )
            same += len(without)
    return same


@on_one_database
@pytest.mark.parametrize("batch", range(BATCHES))
def test_orders_that_have_not_acted_are_seen_by_nobody_else(house: House, batch: int) -> None:
    numbers = range(batch, TABLES, BATCHES)
    assert compare(house, numbers) >= 200 * len(numbers)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_and_so_it_is_on_the_other_database(house: House) -> None:
    assert compare(house, range(100, 101))


@on_one_database
def test_their_owner_sees_them(house: House, app: Flask) -> None:
    """So the comparison has something to hide."""
    table, _, _ = moment(1)
    lay_out(table, house.accounts, table.state)
    before = [house.people[0].get(f"/games/{table.id}/orders"), house.people[0].get("/me/export")]
    leave(house.people[0], table, ORDERS[0])
    after = [house.people[0].get(f"/games/{table.id}/orders"), house.people[0].get("/me/export")]
    assert all(one.data != other.data for one, other in zip(before, after, strict=True))
    clear()


@on_one_database
def test_the_comparison_finds_orders_that_change_the_version_of_the_game(
    house: House,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    honest = keeping._keep

    def leaking(session: object, game: Game, *rest: object) -> None:
        game.version += 1
        honest(session, game, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(keeping, "_keep", leaking)
    with pytest.raises(AssertionError, match="viewer"):
        compare(house, range(2))
