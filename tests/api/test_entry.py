"""The way in: from the entry document a client gets everywhere."""

from __future__ import annotations

from typing import Any

from server.schemas.base import LONGEST_WAIT
from tests.playing import Person, on_one_database, running_game

HERE = "http://127.0.0.1:8000"


@on_one_database
def test_it_links_to_all_that_can_be_read_without_knowing_a_name(nobody: Person, spec: dict[str, Any]) -> None:
    linked = {link.removeprefix(HERE) for link in nobody.seen("/v1")["links"].values()}
    read = {path for path, verbs in spec["paths"].items() if "get" in verbs and "{" not in path}
    assert read - linked == {"/v1"}
    assert {"/v1/docs/", "/v1/openapi.json", "/v1/accounts"} <= linked


@on_one_database
def test_it_says_how_what_has_a_name_is_found(ann: Person, spec: dict[str, Any]) -> None:
    templates = ann.seen("/v1")["templates"]
    assert {template.removeprefix(HERE) for template in templates.values()} <= set(spec["paths"])
    assert ann.seen(templates["user"].removeprefix(HERE).format(name="Ann"))["name"] == "Ann"


@on_one_database
def test_it_names_the_rule_sets(nobody: Person) -> None:
    (named,) = nobody.seen("/v1")["rule_sets"]
    assert named == nobody.seen("/rules")["items"][0]
    assert nobody.seen(named["link"].removeprefix(HERE))["id"] == "evolution-1"


@on_one_database
def test_it_tells_how_many_may_wait_and_how_long(ann: Person) -> None:
    limits = ann.seen("/v1")["limits"]
    assert (limits["waits_an_account"], limits["seconds_of_a_wait"]) == (4, LONGEST_WAIT)


@on_one_database
def test_a_game_links_to_all_that_is_right_below_it(ann: Person, bob: Person, spec: dict[str, Any]) -> None:
    game = running_game(ann, bob)
    above = f"{HERE}/v1/games/{game}"
    links = set(ann.seen(f"/games/{game}")["links"].values())
    paths = {path.replace("{game_id}", game) for path in spec["paths"] if path.startswith("/v1/games/{game_id}")}
    assert {HERE + path for path in paths if path.removeprefix(f"/v1/games/{game}").count("/") < 2} == links
    assert all(link.startswith(above) for link in links)
