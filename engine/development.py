"""Development (RULES.md 4): lap after lap each seat plays one card or passes."""

from __future__ import annotations

from typing import Final

from engine.cards import END_KIND, END_TRAIT, ENDS, KINDS, End, Kind
from engine.events import happened, happened_in_secret
from engine.moves import PASS, Move, Table
from engine.questions import Question
from engine.state import Animal, Link, Player, State
from engine.table import add_card, add_link, bear
from engine.vocabulary import NOBODY, AnimalId, Bits, Seat, animal_name, seat_name


class Develop(Question):
    """A go in development. It keeps nothing, so there is one for each seat."""

    kind = "develop"

    def __init__(self, seat: Seat) -> None:
        self.seat = seat

    def answers(self, state: State) -> list[Move]:
        player = state.players[self.seat]
        kinds = list(dict.fromkeys(player.hand))
        moves: list[Move] = [PLAY_ANIMAL[kind] for kind in kinds]
        book = state.book
        singles = _placements(kinds, book.single_ends, book.blocked_by)
        on_foreign = _placements(kinds, book.foreign_ends, book.blocked_by)
        pairs = sorted([end for kind in kinds for end in book.paired_ends[kind]])
        for other in state.players:
            own = other is player
            placements = singles if own else on_foreign
            if placements or own:
                for animal in other.animals.values():
                    traits, id = animal.traits, animal.id
                    moves += [plays[id] for plays, blocked_by in placements if not traits & blocked_by]
                    if own and pairs:
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


# One end of a card in hand: the moves that put it on an animal, and the traits that forbid it there.
Placement = tuple["Table[AnimalId, Play]", Bits]


def _placements(kinds: list[Kind], ends: tuple[tuple[End, ...], ...], blocked_by: tuple[Bits, ...]) -> list[Placement]:
    return [(PLAY[end], blocked_by[end]) for end in sorted([end for kind in kinds for end in ends[kind]])]


def _joined(state: State, ends: list[End], animal: Animal, player: Player) -> list[Play]:
    """The paired cards that may join this animal, named first, to another of the same player."""
    moves = []
    for partner in player.animals.values():
        if partner is animal:
            continue
        for end in ends:
            trait = state.book.by_code[END_TRAIT[end]]
            in_order = trait.directed or animal.id < partner.id
            if in_order and not (animal.traits & trait.bit and animal.link_to(partner.id, trait.code)):
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


def _pair_table(end: End) -> Table[AnimalId, Table[AnimalId, Play]]:
    return Table(lambda first: Table(lambda second: Play(end, first, second)))


DEVELOP: Final[Table[Seat, Develop]] = Table(Develop)
PLAY_ANIMAL: Final[Table[Kind, PlayAnimal]] = Table(PlayAnimal)
PLAY: Final[Table[End, Table[AnimalId, Play]]] = Table(lambda end: Table(lambda animal: Play(end, animal)))
PLAY_PAIR: Final[Table[End, Table[AnimalId, Table[AnimalId, Play]]]] = Table(_pair_table)

