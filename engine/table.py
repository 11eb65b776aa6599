"""Cards on the table: they are put down, lost, and buried. Derived numbers (need, slots) are kept right here only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.cards import END_KIND, END_TRAIT, End, Kind
from engine.state import Animal, Link
from engine.vocabulary import AnimalId, Seat, TraitCode, animal_id, owner_of

if TYPE_CHECKING:
    from engine.state import State


def bear(state: State, seat: Seat, card: Kind) -> Animal:
    """A new animal in front of its player; its number is never used again."""
    player = state.players[seat]
    player.born += 1
    animal = Animal(animal_id(seat, player.born), card)
    player.animals[animal.id] = animal
    return animal


def add_card(state: State, animal: Animal, end: End) -> None:
    trait = state.book.by_end[end]
    animal.cards += (end,)
    animal.traits |= trait.bit
    state.players[owner_of(animal.id)].traits |= trait.bit
    animal.need += trait.need
    animal.fat_slots += trait.stores_fat


def add_link(state: State, link: Link) -> None:
    for id in (link.first, link.second):
        animal = state.animal(id)
        animal.links += (link,)
        animal.traits |= 1 << link.trait
    state.players[owner_of(link.first)].traits |= 1 << link.trait


def remove_link(state: State, link: Link) -> None:
    """Take a paired card off both its animals, of which one may be gone already."""
    for id in (link.first, link.second):
        animal = state.find(id)
        if animal is not None:
            animal.links = tuple(other for other in animal.links if other is not link)
            if not any(other.trait == link.trait for other in animal.links):
                _lose_trait(state, animal, link.trait)
    if state.stack:
        state.stack[0].link_left(link)


def _lose_trait(state: State, animal: Animal, code: TraitCode) -> None:
    """The last card of a trait is gone: its marks go with it (RULES.md 6.5)."""
    trait = state.book.by_code[code]
    animal.traits &= ~trait.bit
    animal.forfeited &= ~trait.bit
    animal.marks &= ~trait.marks
    trait.dropped(state, animal)


def drop_link(state: State, animal: Animal, link: Link) -> None:
    """A paired card is lost: it goes to the pile of its owner."""
    remove_link(state, link)
    discard(state, owner_of(animal.id), END_KIND[link.end])


def drop_card(state: State, animal: Animal, at: int) -> End:
    """The single card in that place is lost: it goes to the pile, its need with it (RULES.md 6.5, ``drop_card``)."""
    end = animal.cards[at]
    animal.cards = animal.cards[:at] + animal.cards[at + 1 :]
    trait = state.book.by_end[end]
    animal.fat_slots -= trait.stores_fat
    if not any(END_TRAIT[other] == trait.code for other in animal.cards):
        _lose_trait(state, animal, trait.code)
    discard(state, owner_of(animal.id), END_KIND[end])
    animal.need -= trait.need
    _shed_surplus(state, animal)
    return end


def _shed_surplus(state: State, animal: Animal) -> None:
    """Food above the need is lost, the token placed last first (RULES.md 2.3); by a house rule it becomes fat."""
    surplus = len(animal.food) - animal.need
    if surplus > 0:
        animal.food = animal.food[: animal.need]
        if state.book.surplus_into_fat:
            animal.fat += min(surplus, animal.fat_slots - animal.fat)


def discard(state: State, seat: Seat, card: Kind) -> None:
    state.players[seat].pile += (card,)


def bury(state: State, ids: list[AnimalId]) -> None:
    """Animals leave the table at once: they, their traits and paired cards go to their owners' piles."""
    for id in ids:
        seat = owner_of(id)
        animal = state.players[seat].animals.pop(id)
        for link in animal.links:
            remove_link(state, link)
            discard(state, seat, END_KIND[link.end])
        for end in animal.cards:
            discard(state, seat, END_KIND[end])
        discard(state, seat, animal.card)
