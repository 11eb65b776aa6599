"""Development (RULES.md 4): lap after lap each seat plays one card or passes."""

from __future__ import annotations

from typing import Final

from engine.cards import END_KIND, END_TRAIT, ENDS, KINDS, End, Kind
from engine.events import happened, happened_in_secret
from engine.moves import PASS, Move, Table
from engine.questions import Question
from engine.rulebooks.book import Placement
from engine.state import Animal, Link, Player, State
from engine.table import add_card, add_link, bear
from engine.vocabulary import NOBODY, AnimalId, Seat, animal_name, seat_name


class Develop(Question):
    """A go in development. It keeps nothing, so there is one for each seat."""

    kind = "develop"

    def __init__(self, seat: Seat) -> None:
        self.seat = seat

    def answers(self, state: State) -> list[Move]:
        player = state.players[self.seat]
        book = state.book
        kinds = list(dict.fromkeys(player.hand))
        moves: list[Move] = [PLAY_ANIMAL[kind] for kind in kinds]
        singles = _placements(kinds, book.singles)
        on_foreign = _placements(kinds, book.foreigners)
        pairs = _placements(kinds, book.pairs)
        for other in state.players:
            placements = singles if other is player else on_foreign
            if placements:
                for animal in other.animals.values():
                    traits = animal.traits
                    plays = PLAY[animal.id]
                    moves += [plays[end] for end, blocked_by in placements if not traits & blocked_by]
                    if pairs and other is player:
                        moves += _joined(state, pairs, animal, player)
            elif pairs and other is player:
                for animal in other.animals.values():
                    moves += _joined(state, pairs, animal, player)
        moves.append(PASS)
        return moves

    def passed(self, state: State) -> None:
        state.players[self.seat].passed = True
        happened(state, "development_passed", seat=seat_name(self.seat))

    def close(self, state: State) -> None:
        state.stack.pop()
        state.seat = self.seat + 1 if self.seat + 1 < len(state.players) else 0

    def copy(self) -> Develop:
        return self


def _placements(kinds: list[Kind], by_kind: tuple[tuple[Placement, ...], ...]) -> list[Placement]:
    """The ends of these cards in alphabetical order, each with the traits that block it."""
    return sorted([placement for kind in kinds for placement in by_kind[kind]])


def _joined(state: State, pairs: list[Placement], animal: Animal, player: Player) -> list[Move]:
    """The paired cards that may join this animal, named first, to another of the same player."""
    moves: list[Move] = []
    for partner in player.animals.values():
        if partner is animal:
            continue
        for end, traits in pairs:
            in_order = animal.id < partner.id or traits & state.book.directed
            if in_order and not (animal.traits & traits and animal.link_to(partner.id, END_TRAIT[end])):
                moves.append(PLAY_PAIR[end][animal.id][partner.id])
    return moves


def _take_from_hand(state: State, seat: Seat, kind: Kind) -> None:
    player = state.players[seat]
    at = player.hand.index(kind)
    player.hand = player.hand[:at] + player.hand[at + 1 :]


class PlayAnimal(Move):
    """Play a card face down as a new animal."""

    word = "animal"
    operands = ("kind",)

    def __init__(self, kind: Kind) -> None:
        self.kind = kind

    def do(self, state: State) -> None:
        seat = state.stack[-1].seat
        _take_from_hand(state, seat, self.kind)
        animal = bear(state, seat, self.kind)
        if state.log is not None:
            card = {"card": KINDS[self.kind]}
            names = {"animal": animal_name(animal.id), "card": None}
            happened_in_secret(state, "animal_played", seat, card, seat=seat_name(seat), **names)
        state.stack[-1].close(state)


class Play(Move):
    """Play a card as a trait on an animal, or between two."""

    word = "play"
    operands = ("end", "place")

    def __init__(self, end: End, animal: AnimalId, partner: AnimalId = NOBODY) -> None:
        self.end = end
        self.animal = animal
        self.partner = partner

    def do(self, state: State) -> None:
        seat = state.stack[-1].seat
        _take_from_hand(state, seat, END_KIND[self.end])
        if self.partner == NOBODY:
            add_card(state, state.animal(self.animal), self.end)
        else:
            add_link(state, Link(self.end, self.animal, self.partner))
        if state.log is not None:
            self._tell(state, seat)
        state.stack[-1].close(state)

    def _tell(self, state: State, seat: Seat) -> None:
        names = {"seat": seat_name(seat), "card": ENDS[self.end], "animal": animal_name(self.animal)}
        if self.partner == NOBODY:
            happened(state, "trait_played", **names)
        else:
            happened(state, "pair_played", **names, partner=animal_name(self.partner))


def _plays_on(animal: AnimalId) -> tuple[Play, ...]:
    return tuple(Play(end, animal) for end in range(len(ENDS)))


def _pair_table(end: End) -> Table[AnimalId, Table[AnimalId, Play]]:
    return Table(lambda first: Table(lambda second: Play(end, first, second)))


DEVELOP: Final[Table[Seat, Develop]] = Table(Develop)
PLAY_ANIMAL: Final[Table[Kind, PlayAnimal]] = Table(PlayAnimal)
PLAY: Final[Table[AnimalId, tuple[Play, ...]]] = Table(_plays_on)  # by animal, then end
PLAY_PAIR: Final[Table[End, Table[AnimalId, Table[AnimalId, Play]]]] = Table(_pair_table)

