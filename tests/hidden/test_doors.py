"""Whether all the doors are looked at: what is not compared could not be found."""

from __future__ import annotations

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from engine import asked, legal_moves
from server.services.rules import RULE_SETS
from tests.hidden.doors import WITHOUT_GAMES, filled, paths, rules, seen, signs
from tests.hidden.houses import BOT, NAMES, House, ends, moment
from tests.hidden.tables import Table, clear_away, lay_out, table_after
from tests.playing import Person, on_one_database

CONSTANT = {"<string:rule_set>": RULE_SETS[-1], "<path:path>": "swagger-ui.css"}


@on_one_database
def test_no_door_is_forgotten(app: Flask) -> None:
    """A new one with something else in its path wants to be opened here, too."""
    assert {"/v1/games/<string:game_id>/view", "/v1/me/decisions", "/v1/games"} <= set(rules(app))
    assert not [path for _, path in paths(app, signs("g_1", None)) if "<" in path]


@on_one_database
def test_every_door_is_opened_to_somebody(house: House) -> None:
    """Else the same refusals would be compared, and nothing behind them."""
    table = _before_the_end(3)
    lay_out(table, house.accounts, table.state)
    opened = _opened(house, table)
    mover = house.people[asked(table.state) or 0]
    last = next(move for move in legal_moves(table.state) if ends(table, move))
    mover.made(f"/games/{table.id}/moves", {"decision": table.decision, "move": str(last)})
    assert opened | _opened(house, table) == set(rules(house.app))


def _before_the_end(seats: int) -> Table:
    """With a last move that a random game came to."""
    tables = (table_after(number, 1000) for number in range(20))
    return next(table for table in tables if len(table.state.players) == seats)


def _opened(house: House, table: Table) -> set[str]:
    """By the host, the bot, its owner."""
    doors = set()
    for name in (NAMES[0], BOT, NAMES[-1]):
        person, account = house.people[NAMES.index(name)], house.accounts[NAMES.index(name)]
        for rule, path in paths(house.app, signs(table.id, account)):
            if person.get(path).status_code == 200:
                doors.add(rule)
    return doors


@on_one_database
@pytest.mark.parametrize("language", ["en", "ru"])
def test_the_other_doors_tell_of_no_game(house: House, language: str) -> None:
    """They answer the same, byte by byte, whether there is one or not."""
    assert {rule.rule for rule in house.app.url_map.iter_rules()} >= WITHOUT_GAMES
    found = []
    for number in (None, 34, 42):
        clear_away()
        if number is not None:
            table, _, _ = moment(number)
            lay_out(table, house.accounts, table.state)
        asked_for = [filled(door, CONSTANT) for door in sorted(WITHOUT_GAMES)]
        found.append([seen(_ask(house.people[0], path, language)) for path in asked_for])
    assert {answer.status for answer in found[0]} <= {200, 302, 308}
    assert found[0] == found[1] == found[2]


def _ask(person: Person, path: str, language: str) -> TestResponse:
    if path.startswith("/v1"):
        return person.get(path, headers={"Accept-Language": language})
    return person.app.test_client().get(path)
