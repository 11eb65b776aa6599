"""What a golden game is here for: its proof, found in a random game once and checked in the stored game for ever.

A proof is one of::

    {"trait": "running", "move": 57, "before": "B2: has running", "event": {"type": "ran", "escaped": true, …}}
    {"trait": "camouflage", "move": 57, "before": "…", "refused": "attack A1 B2", "reason": "prey-camouflaged"}
    {"ending": "shared victory"}
    {"option": "taking", "value": "free", "under": "compulsory", "parts_at": "move 57" or "the result"}
    {"seats": 6, "deck": "classic"}

``before`` holds lines as in the ``then`` of a scenario, true before that move; ``event`` is told of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from engine import IllegalMove, State, legal_moves, read_move
from engine.vocabulary import TRAIT_CODES, animal_name
from tests.golden.book import Step

Proof = dict[str, Any]
Finder = Callable[[Step], Proof | None]  # looks at one step: the state before the move, and the events of it


def told(trait: str, type: str, /, *keys: str, **facts: object) -> Finder:
    """The trait acts by itself, and an event of that type with those facts tells it; ``keys`` are kept with them."""

    def find(step: Step) -> Proof | None:
        for event in step.events:
            if event.type == type and all(event.facts[name] == value for name, value in facts.items()):
                kept = {key: event.facts[key] for key in (*keys, *facts)}
                return {"trait": trait, "move": step.number, "event": {"type": type, **kept}}
        return None

    return find


def hindered(trait: str, reason: str) -> Finder:
    """The trait keeps a carnivore from an attack, which is refused for that reason though it could attack another."""

    def find(step: Step) -> Proof | None:
        hunters = {move.animal for move in legal_moves(step.state) if move.word == "attack"}
        for hunter in sorted(hunters):
            for prey in step.state.in_play():
                text = f"attack {animal_name(hunter)} {animal_name(prey.id)}"
                if why_refused(step.state, text) == reason:
                    return {"trait": trait, "move": step.number, "refused": text, "reason": reason}
        return None

    return find


def why_refused(state: State, text: str) -> str | None:
    try:
        read_move(state, text)
    except IllegalMove as refusal:
        return refusal.reason
    return None


def sees_the_camouflaged(step: Step) -> Proof | None:
    """Sharp vision: a camouflaged animal is attacked."""
    camouflage = 1 << TRAIT_CODES["camouflage"]
    for event in step.events:
        if event.type == "attacked" and _traits(step.state, event.facts["target"]) & camouflage:
            hunter, prey = event.facts["animal"], event.facts["target"]
            before = f"{hunter}: has sharp-vision\n{prey}: has camouflage"
            told = {"type": "attacked", "animal": hunter, "target": prey}
            return {"trait": "sharp-vision", "move": step.number, "before": before, "event": told}
    return None


def starves_by_its_parasite(step: Step) -> Proof | None:
    """Parasite: an animal dies hungry with food that had been enough without it."""
    parasite = 1 << TRAIT_CODES["parasite"]
    for name in _dead(step):
        food = _food(step.state, name)
        if _traits(step.state, name) & parasite and 0 < food >= _need(step.state, name) - 2:
            before = f"{name}: has parasite; need {_need(step.state, name)}; food {food}; not poisoned"
            return {"trait": "parasite", "move": step.number, "before": before, "event": _died(step)}
    return None


def dies_of_its_prey(step: Step) -> Proof | None:
    """Poisonous: a carnivore that is fed dies of what it has eaten."""
    for name in _dead(step):
        animal = next(animal for animal in step.state.in_play() if animal_name(animal.id) == name)
        if len(animal.food) >= animal.need and animal.marks:
            before = f"{name}: fed; poisoned"
            return {"trait": "poisonous", "move": step.number, "before": before, "event": _died(step)}
    return None


def _dead(step: Step) -> Iterator[str]:
    """Who died in the extinction that this move brought, of those that were on the table before it."""
    known = {animal_name(animal.id) for animal in step.state.in_play()}
    for event in step.events:
        if event.type == "died":
            yield from (name for name in event.facts["animals"] if name in known)


def _died(step: Step) -> dict[str, Any]:
    died = next(event for event in step.events if event.type == "died")
    return {"type": "died", "animals": died.facts["animals"]}


def _animal(state: State, name: str) -> Any:
    return next((animal for animal in state.in_play() if animal_name(animal.id) == name), None)


def _traits(state: State, name: str) -> int:
    animal = _animal(state, name)
    return animal.traits if animal else 0


def _food(state: State, name: str) -> int:
    return len(_animal(state, name).food)


def _need(state: State, name: str) -> int:
    return int(_animal(state, name).need)


TRAITS_ACT: dict[str, Finder] = {
    "burrowing": hindered("burrowing", "prey-burrowed"),
    "camouflage": hindered("camouflage", "prey-camouflaged"),
    "carnivorous": told("carnivorous", "killed", "animal", "target"),
    "communication": told("communication", "shared", "animal", "target", trait="communication"),
    "cooperation": told("cooperation", "shared", "animal", "target", trait="cooperation"),
    "fat-tissue": told("fat-tissue", "fat_converted", "animal", "count"),
    "grazing": told("grazing", "bank_grazed", "animal"),
    "hibernation": told("hibernation", "hibernated", "animal"),
    "large": hindered("large", "prey-large"),
    "mimicry": told("mimicry", "mimicked", "animal", "target"),
    "parasite": starves_by_its_parasite,
    "piracy": told("piracy", "food_stolen", "animal", "target"),
    "poisonous": dies_of_its_prey,
    "running": told("running", "ran", "animal", escaped=True),
    "scavenger": told("scavenger", "scavenged", "animal"),
    "sharp-vision": sees_the_camouflaged,
    "swimming": hindered("swimming", "prey-in-water"),
    "symbiosis": hindered("symbiosis", "prey-protected"),
    "tail-loss": told("tail-loss", "tail_dropped", "animal", "card"),
}
