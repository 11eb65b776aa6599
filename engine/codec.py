"""Storage both ways: a state as one line of JSON with a schema number, in words that outlive this program's integers.

``load(dump(state))`` is the same state, in the middle of an attack too; ``dump`` of equal states is equal to the byte.
A dump holds everything, the secrets and the key of all chance included: it never leaves the server.

What was stored under an older schema is upgraded when it is loaded, step by step: whoever changes what a dump looks like
raises ``SCHEMA``, adds to ``STEPS`` the function that makes the new form of the old one, and leaves older steps alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.cards import END_CODES, ENDS, KIND_CODES, KINDS
from engine.development import DEVELOP, Develop
from engine.feeding import Feed
from engine.hunting import Defend
from engine.questions import Question
from engine.rulebooks.book import rulebook
from engine.rulebooks.options import OPTIONS
from engine.sharing import SHARE, Share, Sharing, share_order
from engine.state import Animal, Link, Player, State
from engine.table import add_card, add_link
from engine.traits.scavenger import Scavenging
from engine.vocabulary import (
    MARKS,
    SEAT_LETTERS,
    TRAIT_CODES,
    TRAITS,
    AnimalId,
    Seat,
    animal_id,
    animal_name,
    mark_names,
    number_of,
    seat_name,
    trait_names,
)

SCHEMA: Final = 1

Step = Callable[[dict[str, Any]], dict[str, Any]]
# schema -> what makes the data of the next one of it; it gets the data as JSON was read, without the schema number
STEPS: Final[dict[int, Step]] = {}


class BadDump(ValueError):
    """A text that is no stored state, or one of a schema that this program does not know."""


def dump(state: State) -> str:
    """The state as text: the same text for the same state."""
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "options": {name: value for name, value in state.book.options.items() if value != OPTIONS[name][0]},
        "turn": state.turn,
        "phase": state.phase,
        "first": seat_name(state.first),
        "seat": seat_name(state.seat),
        "bank": state.bank,
        "last_turn": state.last_turn,
        "idle": state.idle,
        "key": state.key.hex(),
        "counter": state.counter,
        "deck": [KINDS[card] for card in state.deck],
        "players": [_dump_player(player) for player in state.players],
        "stack": [_dump_question(question) for question in state.stack],
    }
    if state.dice:
        data["dice"] = list(state.dice)
    if state.resigned:
        data["resigned"] = [seat_name(seat) for seat in state.resigned]
    if state.ended:
        data["ended"] = state.ended
    return json.dumps(data, separators=(",", ":"))


def load(text: str, steps: Mapping[int, Step] = STEPS) -> State:
    """The state that was dumped, by this program or by an older one. Raises BadDump."""
    try:
        data = json.loads(text)
        schema = data.pop("schema")
    except (ValueError, TypeError, KeyError, AttributeError) as fault:
        raise BadDump("a stored state is a JSON object with a schema number") from fault
    try:
        return _load(upgraded(data, schema, steps))
    except BadDump:
        raise
    except (KeyError, ValueError, TypeError, IndexError, AttributeError) as fault:
        raise BadDump(f"this stored state does not hold together: {fault!r}") from fault


def upgraded(data: dict[str, Any], schema: object, steps: Mapping[int, Step], newest: int = SCHEMA) -> dict[str, Any]:
    """The data of a stored state in the form of the newest schema. Raises BadDump."""
    if type(schema) is not int:
        raise BadDump(f"the schema of a stored state is a number, not {schema!r}")
    if schema > newest:
        raise BadDump(f"this state was stored under schema {schema} by a newer program; this one knows {newest}")
    for number in range(schema, newest):
        if number not in steps:
            raise BadDump(f"this state was stored under schema {schema}; nothing leads from {number} to {number + 1}")
        data = steps[number](data)
    return data


def _load(data: dict[str, Any]) -> State:
    players = data["players"]
    state = State(rulebook(data["options"]), len(players), bytes.fromhex(data["key"]))
    state.turn = data["turn"]
    state.phase = data["phase"]
    state.first = _seat(data["first"])
    state.seat = _seat(data["seat"])
    state.bank = data["bank"]
    state.last_turn = data["last_turn"]
    state.idle = data["idle"]
    state.counter = data["counter"]
    state.dice = tuple(data.get("dice", ()))
    state.resigned = tuple([_seat(letter) for letter in data.get("resigned", ())])
    state.ended = data.get("ended", "")
    state.deck = tuple([KIND_CODES[card] for card in data["deck"]])
    for seat, stored in enumerate(players):
        _load_player(state, seat, stored)
    state.stack = [_load_question(stored) for stored in data["stack"]]
    return state


def _dump_player(player: Player) -> dict[str, Any]:
    animals = list(player.animals.values())
    return {
        "hand": [KINDS[card] for card in player.hand],
        "pile": [KINDS[card] for card in sorted(player.pile)],
        "born": player.born,
        "passed": player.passed,
        "animals": [_dump_animal(animal) for animal in animals],
        "links": sorted(
            [number_of(link.first), number_of(link.second), ENDS[link.end]]
            for animal in animals
            for link in animal.links
            if link.first == animal.id
        ),
    }


def _dump_animal(animal: Animal) -> dict[str, Any]:
    """What is as on a new animal is left out."""
    data: dict[str, Any] = {"n": number_of(animal.id), "card": KINDS[animal.card]}
    if animal.cards:
        data["cards"] = [ENDS[end] for end in animal.cards]
    if animal.food:
        data["food"] = animal.food
    if animal.fat:
        data["fat"] = animal.fat
    if animal.marks:
        data["marks"] = mark_names(animal.marks)
    if animal.forfeited:
        data["forfeited"] = trait_names(animal.forfeited)
    return data


def _load_player(state: State, seat: Seat, data: dict[str, Any]) -> None:
    player = state.players[seat]
    player.hand = tuple([KIND_CODES[card] for card in data["hand"]])
    player.pile = tuple([KIND_CODES[card] for card in data["pile"]])
    player.born = data["born"]
    player.passed = data["passed"]
    for stored in data["animals"]:
        animal = Animal(animal_id(seat, stored["n"]), KIND_CODES[stored["card"]])
        player.animals[animal.id] = animal
        for end in stored.get("cards", ()):
            add_card(state, animal, END_CODES[end])
        animal.food = stored.get("food", "")
        animal.fat = stored.get("fat", 0)
        for mark in stored.get("marks", ()):
            animal.marks |= MARKS[mark]
        for trait in stored.get("forfeited", ()):
            animal.forfeited |= 1 << TRAIT_CODES[trait]
    for first, second, end in data["links"]:
        add_link(state, Link(END_CODES[end], animal_id(seat, first), animal_id(seat, second)))


def _dump_question(question: Question) -> dict[str, Any]:
    data: dict[str, Any] = {"kind": question.kind, "seat": seat_name(question.seat)}
    if isinstance(question, Feed):
        data |= {"main": question.main, "extra": question.extra, "grazed": _names(question.grazed)}
        data["spent"] = [[TRAITS[trait], animal_name(one), animal_name(other)] for trait, one, other in question.spent]
    elif isinstance(question, Defend):
        data |= {"carnivore": animal_name(question.carnivore), "prey": animal_name(question.prey)}
        data["ran"] = _names(question.ran)
    elif isinstance(question, Sharing):
        data["pending"] = [_dump_share(item) for item in sorted(question.pending, key=share_order)]
    return data


def _dump_share(item: Share) -> list[str]:
    return [TRAITS[item.trait], animal_name(item.animal), animal_name(item.target)]


def _load_feed(data: dict[str, Any]) -> Question:
    go = Feed(_seat(data["seat"]))
    go.main = data["main"]
    go.extra = data["extra"]
    go.grazed = tuple(_animal(name) for name in data["grazed"])
    go.spent = tuple((TRAIT_CODES[trait], _animal(one), _animal(other)) for trait, one, other in data["spent"])
    return go


def _load_sharing(data: dict[str, Any]) -> Question:
    items = data["pending"]
    sharing = Sharing(tuple(SHARE[TRAIT_CODES[trait]][_animal(one)][_animal(other)] for trait, one, other in items))
    sharing.seat = _seat(data["seat"])
    return sharing


_LOADERS: Final[dict[str, Callable[[dict[str, Any]], Question]]] = {
    Develop.kind: lambda data: DEVELOP[_seat(data["seat"])],
    Feed.kind: _load_feed,
    Defend.kind: lambda data: Defend(
        _animal(data["carnivore"]), _animal(data["prey"]), tuple(_animal(name) for name in data["ran"])
    ),
    Scavenging.kind: lambda data: Scavenging(_seat(data["seat"])),
    Sharing.kind: _load_sharing,
}


def _load_question(data: dict[str, Any]) -> Question:
    return _LOADERS[data["kind"]](data)


def _names(animals: tuple[AnimalId, ...]) -> list[str]:
    return [animal_name(animal) for animal in animals]


def _animal(name: str) -> AnimalId:
    return animal_id(_seat(name[0]), int(name[1:]))


def _seat(letter: str) -> Seat:
    return SEAT_LETTERS.index(letter)
