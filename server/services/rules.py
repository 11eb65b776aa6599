"""The rules as data, for clients that show them: lists and numbers of the engine, words of `translations/<language>/rules.toml`."""

from __future__ import annotations

import functools
import hashlib
import tomllib
from collections.abc import Mapping
from typing import Any

import engine
from engine.cards import KINDS
from engine.events import SENTENCES
from engine.extinction import NEW_HAND
from engine.flow import FIRST_HAND
from engine.hunting import MEAT, TAIL
from engine.notation import RUSSIAN_NAMES
from engine.notation.lines import operands_by_word
from engine.notation.operands import OPERANDS
from engine.records.form import RULES
from engine.rulebooks.decks import DECKS
from engine.rulebooks.options import BANK_TABLES, FEWEST_SEATS, MOST_SEATS, MOST_SEATS_WITH_ONE_SET
from engine.scoring import FOR_A_CARD, FOR_AN_ANIMAL
from engine.traits import TRAIT_CLASSES
from engine.traits.base import Trait
from engine.traits.running import ESCAPES
from server import language, links
from server.errors import UnknownRuleSet
from server.said import said
from server.services.looking import Known, Versioned

RULE_SETS = (RULES,)  # the newest last: a new game is played by that

NUMBERS = {
    "fewest_seats": FEWEST_SEATS,
    "most_seats": MOST_SEATS,
    "most_seats_with_one_set": MOST_SEATS_WITH_ONE_SET,
    "first_hand": FIRST_HAND,
    "new_hand": NEW_HAND,
    "food_for_a_kill": MEAT,
    "food_for_a_tail": TAIL,
    "die_to_escape": ESCAPES,
    "points_for_an_animal": FOR_AN_ANIMAL,
    "points_for_a_card": FOR_A_CARD,
}


def index(schemas: Mapping[str, Any], known: Known) -> Versioned:
    """All rule sets there are, and the one of new games in full."""
    body = {"items": [named(name) for name in RULE_SETS], "newest": _whole(RULE_SETS[-1], schemas)}
    return _versioned("rules", body, known)


def rule_set(name: str, schemas: Mapping[str, Any], known: Known) -> Versioned:
    if name not in RULE_SETS:
        raise UnknownRuleSet(said("there is no rule set {name!r}; there is {known}", name=name[:40], known=RULE_SETS))
    return _versioned("rule set", _whole(name, schemas), known)


def _versioned(what: str, body: dict[str, Any], known: Known) -> Versioned:
    """Nothing in it changes while the server runs; what it says is its version."""
    version = (what, hashlib.sha256(repr(body).encode()).hexdigest())
    return Versioned(version, None if known(version) else body)


def named(name: str) -> dict[str, Any]:
    """A rule set in short, in the language asked for."""
    words = _words(language.current())
    return {"id": name, "name": words["name"], "about": words["about"], "link": links.to(f"/v1/rules/{name}")}


def _whole(name: str, schemas: Mapping[str, Any]) -> dict[str, Any]:
    return {**named(name), **_told(language.current()), "schemas": dict(schemas)}


@functools.cache
def _told(of: str) -> dict[str, Any]:
    words = _words(of)
    return {
        "numbers": [{"name": name, "value": value, "text": words["numbers"][name]} for name, value in NUMBERS.items()],
        "decks": [{"name": name, "cards": sum(deck.values())} for name, deck in DECKS.items()],
        "cards": [_card(card) for card in KINDS],
        "traits": [_trait(trait, words["traits"][trait.name]) for trait in TRAIT_CLASSES],
        "bank": [_bank(table, seats) for table, lines in BANK_TABLES.items() for seats in lines],
        "options": [_option(name, words["options"][name]) for name in engine.OPTIONS],
        "moves": [_move(word, words["moves"][word]) for word in operands_by_word()],
        "events": list(SENTENCES),
        "reasons": [
            {"reason": reason, "text": language.translated(text, of)} for reason, text in engine.REASONS.items()
        ],
    }


def _card(card: str) -> dict[str, Any]:
    counts = {name: deck.get(card, 0) for name, deck in DECKS.items()}
    return {"card": card, "traits": card.split("/"), "counts": counts}


def _trait(trait: type[Trait], text: str) -> dict[str, Any]:
    return {
        "trait": trait.name,
        "names": {"en": trait.name.replace("-", " ").capitalize(), "ru": RUSSIAN_NAMES[trait.name]},
        "text": text,
        "need": trait.need,
        "placed": "pair" if trait.paired else "foreign" if trait.on_foreign else "own",
        "repeatable": trait.repeatable,
        "excludes": sorted({*trait.excludes, *(other.name for other in TRAIT_CLASSES if trait.name in other.excludes)}),
        "action": trait.action or None,
        "defence": trait.defence or None,
    }


def _bank(table: str, seats: int) -> dict[str, Any]:
    dice, added = BANK_TABLES[table][seats]
    return {"table": table, "seats": seats, "dice": dice, "added": added}


def _option(name: str, words: Mapping[str, str]) -> dict[str, Any]:
    values = engine.OPTIONS[name]
    told = [{"value": value, "text": words[value]} for value in values]
    return {"name": name, "text": words["about"], "default": values[0], "values": told}


def _move(word: str, text: str) -> dict[str, Any]:
    operands = [OPERANDS[name] for name in operands_by_word()[word]]
    keys = [key for operand in operands for key in operand.keys]
    return {"type": word, "keys": keys, "notation": " ".join([word, *(one.shape for one in operands)]), "text": text}


def meaning(option: str, value: str, of: str) -> str:
    """What a house rule means, in that language."""
    told: str = _words(of)["options"][option][value]
    return told


@functools.cache
def _words(of: str) -> dict[str, Any]:
    return tomllib.loads((language.FOLDER / of / "rules.toml").read_text("utf-8"))
