"""Extinction and draw (RULES.md 7): the hungry and the poisoned die, the survivors bring cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.cards import KINDS, Kind
from engine.events import happened, happened_in_secret
from engine.table import bury
from engine.vocabulary import DEVELOPMENT, HIBERNATED, HIBERNATING, POISONED, Seat, animal_name, seat_name

if TYPE_CHECKING:
    from engine.state import Animal, State

NEW_HAND: Final = 6  # for a seat without animals and cards


def starve(state: State) -> None:
    """All animals that are not fed, and all poisoned ones, die at once."""
    dying = [animal.id for animal in state.in_play() if not animal.is_fed() or animal.marks & POISONED]
    if dying:
        bury(state, dying)
        happened(state, "died", animals=[animal_name(id) for id in dying])


def cards_due(state: State, seat: Seat) -> int:
    player = state.players[seat]
    return len(player.animals) + 1 if player.animals or player.hand else NEW_HAND


def draw_cards(state: State) -> None:
    """Deal one card at a time, from this turn's first player round and round, until all have theirs or none is left."""
    order = state.clockwise(state.first)
    due = [cards_due(state, seat) for seat in range(len(state.players))]
    receivers = [seat for round in range(max(due)) for seat in order if round < due[seat]]
    drawn: list[list[Kind]] = [[] for _ in due]
    for seat, card in zip(receivers, state.deck, strict=False):  # the shorter one ends the draw
        drawn[seat].append(card)
    state.deck = state.deck[len(receivers) :]
    for seat in order:
        player, cards = state.players[seat], drawn[seat]
        player.hand = tuple(sorted([*player.hand, *cards]))
        if state.log is not None:
            secret = {"cards": [KINDS[card] for card in sorted(cards)]}
            happened_in_secret(state, "cards_drawn", seat, secret, seat=seat_name(seat), count=len(cards))
    state.last_turn = not state.deck


def end_turn(state: State) -> None:
    """Food goes, fat stays, the marks of the turn are cleared, the first player is the next seat."""
    for player in state.players:
        player.traits = 0
        for animal in player.animals.values():
            player.traits |= animal.traits
            _wake(animal)
    state.turn += 1
    state.first = state.seat = state.after(state.first)
    state.phase = DEVELOPMENT
    state.idle = 0


def _wake(animal: Animal) -> None:
    animal.food = ""
    animal.marks = HIBERNATED if animal.marks & HIBERNATING else 0
    animal.forfeited = 0
