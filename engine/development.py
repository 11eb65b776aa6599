"""Development (RULES.md 4): lap after lap each seat plays one card or passes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from engine.cards import END_KIND, ENDS, KINDS, End, Kind
from engine.events import happened, happened_in_secret
from engine.moves import PASS, Grid, Move, Table
from engine.questions import Question
from engine.state import Animal, Link, Player, State
from engine.table import add_card, add_link, bear
from engine.vocabulary import NOBODY, AnimalId, Seat, animal_name, seat_name

if TYPE_CHECKING:
    from engine.rulebooks.book import Rulebook
    from engine.traits.base import Trait


MOST_HANDS_KEPT: Final = 16384  # at about a kilobyte each


class Develop(Question):
    """A go in development. It keeps nothing, so there is one for each seat."""

    __slots__ = ()

    kind = "develop"

    def __init__(self, seat: Seat) -> None:
        self.seat = seat

    def answers(self, state: State) -> list[Move]:
        player = state.players[self.seat]
        playable = _playable(state.book, tuple(dict.fromkeys(player.hand)))
        blocked_by, on_own = state.book.blocked_by, playable.on_own
        moves: list[Move] = [*playable.as_animals]
        for other in state.players:
            if other is player:
                for animal in other.animals.values():
                    traits = animal.traits
                    plays = PLAY[animal.id]
                    for end in on_own:  # a loop, since a comprehension costs a call
                        if not traits & blocked_by[end]:
                            moves.append(plays[end])
                    if playable.pairs and len(other.animals) > 1:
                        _join(playable.pairs, animal, player, moves)
            elif playable.on_foreign:
                for animal in other.animals.values():
                    for end in playable.on_foreign:
                        if not animal.traits & blocked_by[end]:
                            moves.append(PLAY[animal.id][end])
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


class Playable:
    """What kinds of card can be played as, whatever lies on the table; the ends in alphabetical order."""

    __slots__ = ("as_animals", "on_foreign", "on_own", "pairs")

    def __init__(self, book: Rulebook, kinds: tuple[Kind, ...]) -> None:
        self.as_animals: list[Move] = []
        self.on_own: list[End] = []
        self.on_foreign: list[End] = []
        pairs: list[End] = []
        for kind in kinds:
            self.as_animals.append(PLAY_ANIMAL[kind])
            self.on_own += book.singles[kind]
            self.on_foreign += book.foreigners[kind]
            pairs += book.pairs[kind]
        self.on_own.sort()
        self.on_foreign.sort()
        self.pairs = [(end, book.by_end[end], book.by_end[end].directed) for end in sorted(pairs)]


def _playable(book: Rulebook, kinds: tuple[Kind, ...]) -> Playable:
    """Kept for the hands seen lately: small ones come again and again."""
    found = book.playable.get(kinds)
    if found is None:
        if len(book.playable) >= MOST_HANDS_KEPT:
            book.playable.clear()
        found = book.playable[kinds] = Playable(book, kinds)
    return found


def _join(pairs: Sequence[tuple[End, Trait, bool]], animal: Animal, player: Player, moves: list[Move]) -> None:
    """Add the paired cards that may join this animal, named first, to another of the same player."""
    id, traits = animal.id, animal.traits
    for partner in player.animals:
        if partner != id:
            for end, trait, directed in pairs:
                if (directed or id < partner) and not (traits & trait.bit and animal.link_to(partner, trait.code)):
                    moves.append(PLAY_PAIR[end][id][partner])


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


def _plays_of_pair(end: End) -> Grid[AnimalId, Play]:
    return Grid(partial(Play, end))


DEVELOP: Final[Table[Seat, Develop]] = Table(Develop)
PLAY_ANIMAL: Final[Table[Kind, PlayAnimal]] = Table(PlayAnimal)
PLAY: Final[Table[AnimalId, tuple[Play, ...]]] = Table(_plays_on)  # by animal, then end
PLAY_PAIR: Final[Table[End, Grid[AnimalId, Play]]] = Table(_plays_of_pair)
