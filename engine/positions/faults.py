"""A position held against the rules: every fault is named.

The checks look at a state that was made of the position as well as that went (``playing.py``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from engine.feeding import link_key
from engine.hunting import Defend, why_not_prey
from engine.positions.lines import AnimalLine, Awaiting, Item, Position, print_items
from engine.sharing import SHARE, Sharing
from engine.tokens import can_receive
from engine.traits.scavenger import scavengers
from engine.vocabulary import (
    DEVELOPMENT,
    FEEDING,
    HIBERNATED,
    HIBERNATING,
    HUNTED,
    MARKS,
    MIMICKED,
    OVER,
    TRAITS,
    AnimalId,
    Seat,
    animal_name,
    bit,
    mark_names,
    number_of,
    owner_of,
    seat_name,
    trait_names,
)

if TYPE_CHECKING:
    from engine.state import Animal, State

_ABILITIES: Final = bit("carnivorous") | bit("fat-tissue") | bit("piracy") | bit("grazing") | bit("hibernation")


def faults_of(state: State, position: Position) -> Iterator[str]:
    yield from _faults_of_seats(state, position)
    yield from _faults_of_phase(position, len(state.players))
    for id, line in sorted(position.animals.items()):
        animal = state.find(id)
        if animal is not None:
            yield from (f"{animal_name(id)}: {fault}" for fault in _faults_of_animal(state, animal, line))
            yield from (f"{animal_name(id)}: {fault}" for fault in _faults_of_marks(state, position, animal, line))
    yield from _faults_of_pairs(state, position)
    if position.awaiting is not None:
        yield from (f"awaiting: {fault}" for fault in _faults_of_awaiting(state, position, position.awaiting))
    if position.pending and (position.awaiting is None or position.awaiting.kind != "scavenge"):
        yield "pending: nothing else is asked before these triggers; write 'awaiting A: share …'"
    yield from (f"pending: {fault}" for item in position.pending for fault in _faults_of_item(state, position, item))


def _faults_of_seats(state: State, position: Position) -> Iterator[str]:
    seats = len(state.players)
    awaited = position.awaiting.seat if position.awaiting else None
    named: dict[str, Seat | None] = {"first": position.first, "go": position.go, "awaiting": awaited}
    for word, seat in named.items():
        if seat is not None and seat >= seats:
            yield f"{word} {seat_name(seat)}: there are {seats} seats"
    with_line = {*position.players, *(owner_of(animal) for animal in position.animals)}
    for seat in sorted(with_line):
        if seat >= seats:
            yield f"{seat_name(seat)} has a line, there are {seats} seats"
    for seat, line in sorted(position.players.items()):
        highest = max((number_of(animal) for animal in position.animals if owner_of(animal) == seat), default=0)
        if line.born is not None and line.born < highest:
            yield f"{seat_name(seat)}: born {line.born}, but there is an animal {seat_name(seat)}{highest}"
        if line.born is not None and line.born > len(state.book.cards()):
            yield f"{seat_name(seat)}: born {line.born}, but there are {len(state.book.cards())} cards"
        if line.passed and position.phase != DEVELOPMENT:
            yield f"{seat_name(seat)}: 'passed' is of the development phase"


def _faults_of_phase(position: Position, seats: int) -> Iterator[str]:
    if position.turn < 1:
        yield "turns are numbered from 1"
    if position.last_turn and position.deck:
        yield f"'last-turn' with deck {position.deck}: it is the last when the deck is empty"
    if not position.last_turn and not position.deck:
        yield "deck 0 without 'last-turn': the turn that begins with an empty deck is the last"
    if position.phase == OVER and not position.last_turn:
        yield "'over' without 'last-turn': the game is over after its last turn only"
    if position.phase == FEEDING:
        if position.idle >= seats:
            yield f"idle {position.idle}: feeding ends when all {seats} seats have been idle"
        return
    said = {"acted": position.acted, "used": position.used, "idle": position.idle, "awaiting": position.awaiting}
    for word in (word for word, value in said.items() if value):
        yield f"'{word}' in phase {position.phase}: it is of the feeding phase"
    if position.bank:
        yield f"bank {position.bank} in phase {position.phase}: the bank is filled for feeding only"


def _faults_of_animal(state: State, animal: Animal, line: AnimalLine) -> Iterator[str]:
    for code in sorted(set(line.cards)):
        trait = state.book.by_code[code]
        count = line.cards.count(code)
        if trait.paired:
            yield f"{trait.name} is a paired card; write it with both animals"
        elif count > 1 and not trait.repeatable:
            yield f"{count} cards {trait.name}, an animal has one at most"
        for other in trait.excludes:
            if animal.traits & bit(other):
                yield f"{trait.name} and {other} exclude each other"
    if number_of(animal.id) > len(state.book.cards()):
        yield f"there are {len(state.book.cards())} cards, so no animal has that number"
    if len(line.food) > animal.need:
        yield f"food {len(line.food)}, it needs {animal.need}"


def _faults_of_marks(state: State, position: Position, animal: Animal, line: AnimalLine) -> Iterator[str]:
    for name, mark in MARKS.items():
        owners = [trait for trait in state.book.traits if trait.marks & mark]
        if line.marks & mark and owners and not any(animal.traits & trait.bit for trait in owners):
            yield f"'{name}' without {' or '.join(trait.name for trait in owners)}"
    if line.marks & HIBERNATING and line.marks & HIBERNATED:
        yield "'hibernating' and 'hibernated': no animal hibernates two turns running"
    if line.marks & HIBERNATING and position.last_turn:
        yield "'hibernating' in the last turn, in which no animal hibernates"
    if line.grazed and not animal.traits & bit("grazing"):
        yield "'grazed' without grazing"
    if line.grazed and owner_of(animal.id) != position.go:
        yield "'grazed' is of the go, and this is another seat's"
    yield from (f"forfeit {trait} without {trait}" for trait in trait_names(line.forfeited & ~animal.traits))
    yield from (f"{trait} is nothing to forfeit" for trait in trait_names(line.forfeited & ~_ABILITIES))
    if position.phase == DEVELOPMENT:
        yield from (f"'{word}' in development: it ends with the turn" for word in _words_of_the_turn(line))


def _words_of_the_turn(line: AnimalLine) -> Iterator[str]:
    if line.food:
        yield "food"
    yield from mark_names(line.marks & ~HIBERNATED)
    if line.forfeited:
        yield "forfeit"


def _faults_of_pairs(state: State, position: Position) -> Iterator[str]:
    seen = set()
    for pair in position.pairs:
        name = f"{animal_name(pair.first)} and {animal_name(pair.second)}"
        if pair.first == pair.second:
            yield f"{name}: a paired card joins two different animals"
        if owner_of(pair.first) != owner_of(pair.second):
            yield f"{name}: a paired card joins animals of one seat"
        for id in dict.fromkeys((pair.first, pair.second)):
            if id not in position.animals:
                yield f"{name} are joined, but {animal_name(id)} has no line"
        key = link_key(pair.trait, pair.first, pair.second)
        if key in seen:
            yield f"{name} are joined by {TRAITS[pair.trait]} twice"
        seen.add(key)
        if pair.spent and position.phase != FEEDING:
            yield f"{name}: 'spent' is of the feeding phase"
        if pair.spent and not bit(TRAITS[pair.trait]) & state.book.triggered:
            yield f"{name}: {TRAITS[pair.trait]} never fires"


def _faults_of_awaiting(state: State, position: Position, awaiting: Awaiting) -> Iterator[str]:
    if position.phase != FEEDING or position.go is None or max(position.go, awaiting.seat) >= len(state.players):
        return  # said already, or nothing can be said
    missing = [animal_name(id) for id in (*awaiting.animals, *awaiting.ran) if state.find(id) is None]
    if missing:
        yield f"there is no {', '.join(missing)}"
    elif awaiting.kind == "defend":
        yield from _faults_of_defence(state, position, awaiting)
    elif awaiting.kind == "scavenge":
        yield from _faults_of_scavenging(state, position, awaiting)
    else:
        yield from _faults_of_sharing(state, position, awaiting)


def _faults_of_defence(state: State, position: Position, awaiting: Awaiting) -> Iterator[str]:
    hunter, prey = (state.animal(id) for id in awaiting.animals)
    if not position.acted:
        yield "an attack is the main action: the header needs 'acted'"
    if not hunter.marks & HUNTED:
        yield f"{animal_name(hunter.id)} attacks: its line needs 'hunted'"
    if owner_of(hunter.id) != position.go:
        yield f"{animal_name(hunter.id)} attacks in another seat's go"
    if owner_of(prey.id) != awaiting.seat:
        yield f"{animal_name(prey.id)} is attacked: its owner answers"
    if not can_receive(state, hunter):
        yield f"{animal_name(hunter.id)} cannot receive anything, so it does not attack"
    reason = why_not_prey(state, hunter, prey)
    if reason:
        yield f"{animal_name(hunter.id)} cannot attack {animal_name(prey.id)}: {reason}"
    for id in awaiting.ran:
        if owner_of(id) != owner_of(prey.id) or not state.animal(id).traits & bit("running"):
            yield f"{animal_name(id)} has not run in this attack"
        elif id != prey.id and not state.animal(id).marks & MIMICKED:
            yield f"{animal_name(id)} has run and is no longer attacked: its line needs 'mimicked'"
    if not Defend(hunter.id, prey.id, awaiting.ran).answers(state):
        yield f"{animal_name(prey.id)} has no defence left, so nobody is asked"


def _faults_of_scavenging(state: State, position: Position, awaiting: Awaiting) -> Iterator[str]:
    if not position.acted:
        yield "a kill is the main action: the header needs 'acted'"
    assert position.go is not None
    if not any(animal.marks & HUNTED for animal in state.players[position.go].animals.values()):
        yield "there was a kill: the line of the hunter needs 'hunted'"
    if state.book.options["scavenger"] == "first":
        yield "by the house rule nobody is asked who scavenges"
    for seat in state.clockwise(position.go):
        eaters = tuple(animal.id for animal in scavengers(state, seat))
        if eaters:
            if (seat, eaters) != (awaiting.seat, awaiting.animals):
                yield f"it is {seat_name(seat)} that is asked: {_names(eaters)}"
            return
    yield "no scavenger can receive anything, so nobody is asked"


def _faults_of_sharing(state: State, position: Position, awaiting: Awaiting) -> Iterator[str]:
    if not position.acted and not position.used:
        yield "nothing was received in this go: the header needs 'acted' or 'used'"
    faults = [fault for item in awaiting.items for fault in _faults_of_item(state, position, item)]
    yield from faults
    if faults:
        return
    sharing = Sharing(tuple(SHARE[trait][giver][partner] for trait, giver, partner in awaiting.items))
    if not sharing.answers(state):
        yield "none of these triggers is possible, so nobody is asked"
    elif sharing.seat != awaiting.seat:
        yield f"it is {seat_name(sharing.seat)} that is asked"


def _faults_of_item(state: State, position: Position, item: Item) -> Iterator[str]:
    trait, giver, partner = item
    name = print_items((item,))
    key = link_key(trait, giver, partner)
    links = [pair for pair in position.pairs if link_key(pair.trait, pair.first, pair.second) == key]
    if not links or state.find(giver) is None or state.find(partner) is None:
        yield f"{name}: there is no such card"
    elif not 1 << trait & state.book.triggered:
        yield f"{name}: {TRAITS[trait]} never fires"
    elif any(pair.spent for pair in links):
        yield f"{name}: the card is spent"
    elif not state.animal(giver).food and not state.animal(giver).fat:
        yield f"{name}: {animal_name(giver)} has received nothing"


def _names(animals: tuple[AnimalId, ...]) -> str:
    return ", ".join(animal_name(animal) for animal in animals)
