"""The rules as data: complete, in both languages, and true."""

from __future__ import annotations

import random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import engine
from engine.cards import KINDS
from engine.rulebooks.decks import DECKS
from engine.vocabulary import TRAITS
from tests.playing import Person, on_one_database, problem, running_game, whose_turn

pytestmark = on_one_database


@pytest.fixture
def rules(nobody: Person) -> dict[str, Any]:
    found: dict[str, Any] = nobody.seen("/rules/evolution-1")
    return found


def test_the_list_leads_to_each_rule_set(nobody: Person, rules: dict[str, Any]) -> None:
    listed = nobody.seen("/rules")
    assert [item["link"].partition("/v1")[2] for item in listed["items"]] == ["/rules/evolution-1"]
    assert listed["newest"] == rules
    assert "rules" in nobody.seen("/v1")["links"]


def test_a_rule_set_that_there_is_not(nobody: Person) -> None:
    problem(nobody.get("/rules/evolution-0"), 404, "unknown-rule-set")


def test_the_cards_are_those_of_the_decks(rules: dict[str, Any]) -> None:
    assert [card["card"] for card in rules["cards"]] == list(KINDS)
    for name, deck in DECKS.items():
        counts = {card["card"]: card["counts"][name] for card in rules["cards"] if card["counts"][name]}
        assert counts == deck and sum(counts.values()) == 84
    assert {deck["cards"] for deck in rules["decks"]} == {84}


def test_the_traits_have_names_and_texts(nobody: Person, rules: dict[str, Any]) -> None:
    russian = nobody.get("/rules/evolution-1", headers={"Accept-Language": "ru"}).json
    assert {trait["trait"] for trait in rules["traits"]} == set(TRAITS)
    for trait, other in zip(rules["traits"], russian["traits"], strict=True):
        assert trait["names"] == other["names"] and trait["text"] != other["text"]
    by_name = {trait["trait"]: trait for trait in rules["traits"]}
    assert by_name["sharp-vision"]["names"] == {"en": "Sharp vision", "ru": "Острое зрение"}
    assert by_name["parasite"]["need"] == 2 and by_name["parasite"]["placed"] == "foreign"
    assert by_name["scavenger"]["excludes"] == ["carnivorous"] and by_name["carnivorous"]["excludes"] == ["scavenger"]
    assert by_name["running"]["defence"] == "run" and by_name["piracy"]["action"] == "steal"


def test_the_options_are_those_that_a_game_takes(rules: dict[str, Any]) -> None:
    told = {option["name"]: tuple(value["value"] for value in option["values"]) for option in rules["options"]}
    assert told == engine.OPTIONS
    assert all(option["default"] == engine.OPTIONS[option["name"]][0] for option in rules["options"])


def test_the_reasons_are_those_of_the_engine(rules: dict[str, Any]) -> None:
    assert {item["reason"]: item["text"] for item in rules["reasons"]} == engine.REASONS


def test_the_schemas_hold_for_what_a_game_shows(ann: Person, bob: Person, rules: dict[str, Any]) -> None:
    checks = {name: Draft202012Validator(schema) for name, schema in rules["schemas"].items()}
    game, dice = running_game(ann, bob), random.Random(3)
    for _ in range(30):
        player, number = whose_turn(game, ann, bob)
        checks["view"].validate(player.seen(f"/games/{game}/view"))
        move = dice.choice(player.seen(f"/games/{game}/legal-moves")["items"])["move"]
        checks["move"].validate(move)
        for event in player.made(f"/games/{game}/moves", {"decision": number, "move": move})["events"]:
            checks["event"].validate(event)
    assert not checks["view"].is_valid({"game": 7}) and not checks["move"].is_valid({"type": "feed"})


def test_each_move_of_a_game_has_its_keys_told(ann: Person, bob: Person, rules: dict[str, Any]) -> None:
    told = {move["type"]: {*move["keys"], "type", "notation"} for move in rules["moves"]}
    game = running_game(ann, bob)
    player, _ = whose_turn(game, ann, bob)
    for item in player.seen(f"/games/{game}/legal-moves")["items"]:
        assert item["move"].keys() <= told[item["move"]["type"]]
