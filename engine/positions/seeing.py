"""A state as a position, as a seat may see it."""

from __future__ import annotations

from typing import Final

from engine.cards import END_TRAIT, Kind
from engine.feeding import Feed, link_key
from engine.hunting import Defend
from engine.positions.lines import (
    AnimalLine,
    Awaiting,
    Cards,
    Item,
    PairLine,
    Position,
    SeatLine,
    item_order,
    pair_order,
    stars_of,
)
from engine.rulebooks.options import OPTIONS
from engine.sharing import Sharing
from engine.state import Animal, Player, State
from engine.traits.scavenger import Scavenging, scavengers
from engine.vocabulary import OVER, Seat, number_of

ALL: Final = -1  # a viewer from whom no hand and no pile is kept


def position_of(state: State, viewer: Seat | None) -> Position:
    """The table as that seat sees it: other hands and piles, and the deck, as numbers. None is a spectator."""
    go = state.stack[0] if state.stack and isinstance(state.stack[0], Feed) else Feed(state.seat)
    over = state.phase == OVER
    return Position(
        turn=state.turn,
        phase=state.phase,
        bank=state.bank,
        deck=len(state.deck),
        first=state.first,
        go=None if over else state.go,
        rules=tuple((option, value) for option, value in state.book.options.items() if value != OPTIONS[option][0]),
        last_turn=state.last_turn,
        acted=go.main,
        used=go.extra,
        idle=0 if over else state.idle,
        pending=_pending(state, go),
        players={seat: _seat(player, viewer in (seat, ALL)) for seat, player in enumerate(state.players)},
        animals={animal.id: _animal(animal, go) for animal in state.in_play()},
        pairs=_pairs(state, go),
        awaiting=_awaiting(state, go),
    )


def _seat(player: Player, shown: bool) -> SeatLine:
    highest = max((number_of(animal) for animal in player.animals), default=0)
    born = player.born if player.born > highest else None
    return SeatLine(_cards(player.hand, shown), _cards(tuple(sorted(player.pile)), shown), player.passed, born)


def _cards(cards: tuple[Kind, ...], shown: bool) -> Cards:
    return cards if cards and shown else len(cards)


def _animal(animal: Animal, go: Feed) -> AnimalLine:
    cards = tuple(END_TRAIT[end] for end in animal.cards)
    grazed = animal.id in go.grazed
    return AnimalLine(cards, stars_of(cards, animal.fat), animal.food, animal.marks, grazed, animal.forfeited)


def _pairs(state: State, go: Feed) -> tuple[PairLine, ...]:
    links = [link for animal in state.in_play() for link in animal.links if link.first == animal.id]
    pairs = [
        PairLine(link.trait, link.first, link.second, link_key(link.trait, link.first, link.second) in go.spent)
        for link in links
    ]
    return tuple(sorted(pairs, key=pair_order))


def _pending(state: State, go: Feed) -> tuple[Item, ...]:
    """Pair triggers beneath the question that is asked."""
    beneath = [question for question in state.stack[:-1] if isinstance(question, Sharing)]
    return _items(state, go, beneath[0]) if beneath else ()


def _items(state: State, go: Feed, sharing: Sharing) -> tuple[Item, ...]:
    """Those whose card is on the table and unspent, possible now or not."""
    items = []
    for share in sharing.pending:
        giver = state.find(share.animal)
        if share.link not in go.spent and giver is not None and giver.link_to(share.target, share.trait):
            items.append((share.trait, share.animal, share.target))
    return tuple(sorted(items, key=item_order))


def _awaiting(state: State, go: Feed) -> Awaiting | None:
    question = state.stack[-1] if state.stack else None
    if isinstance(question, Defend):
        return Awaiting(question.seat, question.kind, (question.carnivore, question.prey), ran=question.ran)
    if isinstance(question, Scavenging):
        eaters = tuple(animal.id for animal in scavengers(state, question.seat))
        return Awaiting(question.seat, question.kind, eaters)
    if isinstance(question, Sharing):
        return Awaiting(question.seat, question.kind, items=_items(state, go, question))
    return None
