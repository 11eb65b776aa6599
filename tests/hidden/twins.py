"""Twins: two states of a game that differ in nothing but what one viewer may not know.

Other hands, the cards face down under other seats' animals, other seats' piles and the deck are one heap that is dealt
anew into the same places; the key and the counter of all chance are drawn anew. What of that comes to light by right,
a card that is played, a card that the viewer draws, stays where it was when the twins are to be played on.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from itertools import islice

from engine import Event, Move, State, apply, asked, legal_moves
from engine.cards import END_KIND, Kind
from engine.vocabulary import SEAT_LETTERS, Seat

Viewer = Seat | None  # None: a spectator


def viewers(state: State) -> list[Viewer]:
    return [*range(len(state.players)), None]


def twin(
    state: State, viewer: Viewer, chance: random.Random, shown: Kind | None = None, drawn: Collection[int] = ()
) -> State:
    """Another state that this viewer can't tell from this one.

    `shown`: a card that the seat that is asked keeps in its hand; `drawn`: places in the deck that keep their cards.
    """
    other = state.copy()
    asked_seat = asked(state)
    kept = {asked_seat: (shown,)} if shown is not None else {}
    heap = sorted(_hidden(other, viewer, drawn))
    for cards in kept.values():
        heap.remove(cards[0])
    chance.shuffle(heap)
    cards = iter(heap)
    for seat, player in enumerate(other.players):
        if seat != viewer:
            held = kept.get(seat, ())
            player.hand = tuple(sorted((*held, *islice(cards, len(player.hand) - len(held)))))
            player.pile = tuple(sorted(islice(cards, len(player.pile))))
            for animal in player.animals.values():
                animal.card = next(cards)
    other.deck = tuple([card if place in drawn else next(cards) for place, card in enumerate(other.deck)])
    assert next(cards, None) is None, "every hidden card has a place"
    other.key, other.counter = chance.randbytes(32), chance.randrange(1 << 16)
    other.answers = None  # nothing is carried over: what is asked is found anew
    return other


def _hidden(state: State, viewer: Viewer, drawn: Collection[int]) -> Iterator[Kind]:
    for seat, player in enumerate(state.players):
        if seat != viewer:
            yield from player.hand
            yield from player.pile
            yield from (animal.card for animal in player.animals.values())
    yield from (card for place, card in enumerate(state.deck) if place not in drawn)


def hands_differ(one: State, other: State) -> bool:
    return any(player.hand != its.hand for player, its in zip(one.players, other.players, strict=True))


def twin_for_a_move(state: State, move: Move, viewer: Viewer, chance: random.Random) -> tuple[State, Move]:
    """A twin in which that move looks the same to the viewer, and the move there; the dice of the state are laid down.

    A card that another seat plays face down may be any that it has there.
    """
    foreign = asked(state) != viewer
    drawn = drawn_by(viewer, state, apply(state.copy(), move))
    other = twin(state, viewer, chance, shown_by(move) if foreign else None, drawn)
    if foreign and move.word == "animal":
        move = chance.choice([another for another in legal_moves(other) if another.word == "animal"])
    return other, move


def shown_by(move: Move) -> Kind | None:
    """The card that everybody sees when the move is made."""
    end = getattr(move, "end", None)
    return None if end is None else END_KIND[end]


def drawn_by(viewer: Viewer, state: State, events: list[Event]) -> set[int]:
    """The places in the deck from which that seat drew, by RULES.md 7: one card at a time, round and round."""
    counts = {SEAT_LETTERS.index(event.facts["seat"]): event.facts["count"] for event in events if _draws(event)}
    rounds = range(max(counts.values(), default=0))
    order = [seat for round in rounds for seat in state.clockwise(state.first) if round < counts[seat]]
    return {place for place, seat in enumerate(order) if seat == viewer}


def _draws(event: Event) -> bool:
    return event.type == "cards_drawn"
