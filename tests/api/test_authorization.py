"""Who may do what, as a table: `authorization.toml` has a row for every operation and a column for everybody who may ask."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.api.documents import VERBS
from tests.api.world import COMMITMENT, ENTROPY, SCOPES, STATES, World, with_scopes, world
from tests.playing import Person

TABLE = tomllib.loads(Path(__file__).with_name("authorization.toml").read_text("utf-8"))
ROWS = {name: row.split() for name, row in TABLE["rows"].items()}  # the state of the game, and a status a column
# Who asks, and whether about a private game. Expired and revoked are tokens of the host.
COLUMNS = {
    "no token": ("nobody", False),
    "expired": ("expired", True),
    "revoked": ("revoked", True),
    "wrong scope": ("wrong scope", True),
    "player": ("player", True),
    "spectator": ("other", False),
    "stranger": ("other", True),
    "bot": ("bot", True),
    "owner": ("owner", True),
    "host": ("host", True),
}
TOLD_BY_A_TOKEN = ("get_invitation",)  # whoever has its token was given it


@pytest.fixture(scope="module")
def earth(spec: dict[str, Any], sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """`spec` comes first: it is made by an app of its own, and a process has one database at a time."""
    file = tmp_path_factory.mktemp("world") / "galapost.db"
    file.write_bytes(sqlite_template.read_bytes())
    with world(file) as made:
        yield made


def operations(spec: dict[str, Any]) -> dict[str, tuple[str, str, dict[str, Any]]]:
    """By name: verb, path, and the rest."""
    return {
        operation["operationId"]: (verb.upper(), path, operation)
        for path, verbs in spec["paths"].items()
        for verb, operation in verbs.items()
        if verb in VERBS
    }


def scopes_of(operation: dict[str, Any]) -> set[str]:
    """Of which one is enough; none where none is needed."""
    return {scope for way in operation["security"] for scopes in way.values() for scope in scopes}


def without_the_scopes(made: World, operation: dict[str, Any]) -> Person:
    """The host with a token for everything else; where no scope is needed, or any will do, with one that lets see no hand."""
    wanted = scopes_of(operation)
    rest = [scope for scope in SCOPES if scope not in wanted] if wanted else []
    return with_scopes(made.people["host"], *(rest or ["webhooks"]))


def ask(made: World, name: str, operation: tuple[str, str, dict[str, Any]], column: str) -> TestResponse:
    verb, template, about = operation
    role, private = COLUMNS[column]
    person = without_the_scopes(made, about) if role == "wrong scope" else made.people[role]
    return person.ask(verb, filled(made, name, template, ROWS[name][0], private), **body(made, name))


def filled(made: World, name: str, template: str, state: str, private: bool) -> str:
    other = {thing: made.things[source] for thing, source in TABLE["things"].get(name, {}).items()}
    for thing, value in other.items():
        template = template.replace(f"{{{thing}}}", value)
    return made.path(template, "open" if state == "-" else state, private)


def body(made: World, name: str) -> dict[str, Any]:
    """What is sent; `$` leads to something of the world."""
    if name not in TABLE["bodies"]:
        return {}
    known = {**made.things, "commitment": COMMITMENT, "entropy": ENTROPY}
    given = TABLE["bodies"][name].items()
    return {
        "json": {
            key: known[value[1:]] if isinstance(value, str) and value.startswith("$") else value for key, value in given
        }
    }


def test_the_table_has_a_row_for_every_operation(spec: dict[str, Any]) -> None:
    assert sorted(ROWS) == sorted(operations(spec)), "every operation has its row in tests/api/authorization.toml"
    assert {len(row) for row in ROWS.values()} == {1 + len(COLUMNS)}
    cells = sum(len(row) - 1 for row in ROWS.values())
    print(f"{len(ROWS)} operations × {len(COLUMNS)} = {cells} cells")
    assert cells >= 890


@pytest.mark.parametrize("name", sorted(ROWS))
def test_an_operation_is_open_to_whom_the_table_says(name: str, earth: World, spec: dict[str, Any]) -> None:
    operation = operations(spec)[name]
    came = {}
    for column in COLUMNS:
        answer = ask(earth, name, operation, column)
        came[column] = str(answer.status_code)
        if operation[0] != "GET" and answer.status_code < 400:
            earth.put_back()
    assert came == dict(zip(COLUMNS, ROWS[name][1:], strict=True))


# A private game does not exist for strangers


@pytest.mark.parametrize("state", STATES)
def test_a_private_game_is_404_to_strangers_at_every_door(state: str, earth: World, spec: dict[str, Any]) -> None:
    walked = 0
    for name, (verb, template, about) in operations(spec).items():
        if "{game_id}" not in template:
            continue
        walked += 1
        path = filled(earth, name, template, state, private=True)
        stranger = earth.people["other"].ask(verb, path, **body(earth, name))
        assert (stranger.status_code, stranger.json["code"]) == (404, "unknown-game"), f"{name}: {stranger.text}"
        nobody = earth.people["nobody"].ask(verb, path, **body(earth, name))
        expected = (401, "token-missing") if {} not in about["security"] else (404, "unknown-game")
        assert (nobody.status_code, nobody.json["code"]) == expected, f"{name}: {nobody.text}"
    assert walked >= 30


@pytest.mark.parametrize("state", STATES)
def test_who_knows_the_version_of_a_private_game_learns_nothing_by_it(
    state: str, earth: World, spec: dict[str, Any]
) -> None:
    """A 304 would say that there is such a game."""
    for name, (verb, template, about) in operations(spec).items():
        if verb == "GET" and "{game_id}" in template and "304" in about["responses"]:
            path = filled(earth, name, template, state, private=True)
            for tag in (earth.people["host"].get(path).headers.get("ETag", '"x"'), "*"):
                answer = earth.people["other"].get(path, headers={"If-None-Match": tag})
                assert answer.status_code == 404, name


def test_no_list_shows_a_private_game_to_strangers(earth: World, spec: dict[str, Any]) -> None:
    private = [game for (_, hidden), game in earth.games.items() if hidden]
    public = [game for (_, hidden), game in earth.games.items() if not hidden]
    shown = set[str]()
    for name, (verb, template, _) in operations(spec).items():
        if verb != "GET" or "{game_id}" in template:
            continue
        for who in ("other", "nobody"):
            answer = earth.people[who].get(filled(earth, name, template, "open", private=False))
            if name not in TOLD_BY_A_TOKEN:
                assert not [game for game in private if game in answer.text], f"{name} to {who}"
            shown |= {game for game in public if game in answer.text}
    assert shown == set(public)
