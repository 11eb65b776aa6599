"""Food and fat: who is open to a token, and the one function that moves it (RULES.md 6.1, 6.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.events import Event
from engine.vocabulary import HIBERNATING, animal_name

if TYPE_CHECKING:
    from engine.state import Animal, State


def can_receive(state: State, animal: Animal) -> bool:
    """Whether a token of any kind may come to it: with room for it, awake, and not shut off by a paired card."""
    return (len(animal.food) < animal.need or animal.fat < animal.fat_slots) and not is_closed(state, animal)


def is_closed(state: State, animal: Animal) -> bool:
    """Whether no token may come to it whatever room it has: hibernating, or shut off by a paired card."""
    if animal.marks & HIBERNATING:
        return True
    shutting = animal.traits & state.book.shutting
    if shutting:
        for trait in state.book.having[shutting]:
            if trait.shuts(state, animal):
                return True
    return False


def receive(state: State, animal: Animal, tokens: int, colour: str, from_bank: bool) -> None:
    """Give tokens to an animal: as food until it is fed, then as fat; what finds no room is lost."""
    if not can_receive(state, animal):
        return
    as_food = as_fat = 0
    for _ in range(tokens):
        if len(animal.food) < animal.need:
            animal.food += colour
            as_food += 1
        elif animal.fat < animal.fat_slots:
            animal.fat += 1
            as_fat += 1
    if state.log is not None:
        facts = {"animal": animal_name(animal.id), "food": as_food, "fat": as_fat, "colour": colour}
        state.log.append(Event("food_received", facts))
    triggered = animal.traits & state.book.triggered
    if triggered:
        for trait in state.book.having[triggered]:
            trait.received(state, animal, from_bank)
