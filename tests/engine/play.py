"""Random games for tests: what is played is a function of a number, so a failure can be played again."""

from __future__ import annotations

import random
from collections.abc import Iterator

from engine import Move, State, apply, legal_moves, new_game
from engine.cards import END_KIND
from engine.rulebooks.options import MOST_SEATS_WITH_ONE_SET, OPTIONS

SEATS = (2, 3, 4, 5, 6, 7, 8)


def random_options(chance: random.Random, seats: int) -> dict[str, str]:
    """Any house rules that fit that number of seats."""
    options = {option: chance.choice(values) for option, values in OPTIONS.items()}
    if seats > MOST_SEATS_WITH_ONE_SET:
        options["sets"] = "two"
    if seats > 6:
        options["bank-table"] = "standard"
    return options


def game(number: int) -> State:
    """Game ``number``: all seat counts and both decks in turn; every second one by the default rules."""
    chance = random.Random(number)
    seats = SEATS[number % len(SEATS)]
    options = random_options(chance, seats)
    if number % 2:
        options = {name: options[name] for name in ("deck", "sets") if name == "deck" or seats > 4}
    return new_game(number.to_bytes(32, "big"), seats, options)


def random_play(number: int) -> Iterator[tuple[State, Move]]:
    """Each state of game ``number`` with the move about to be made in it; the move is made when the next is asked for."""
    state = game(number)
    chance = random.Random(-number)
    while moves := legal_moves(state):
        move = chance.choice(moves)
        yield state, move
        apply(state, move)


def cards(state: State) -> list[int]:
    """Every card of the game, wherever it lies, by kind."""
    held = list(state.deck)
    for player in state.players:
        held += player.hand + player.pile
        for animal in player.animals.values():
            held.append(animal.card)
            held += [END_KIND[end] for end in animal.cards]
            held += [END_KIND[link.end] for link in animal.links if link.first == animal.id]
    return sorted(held)
