"""Cards for what a position does not name: the other ends of its traits, cards under animals, piles, hands, the deck.

The cards that are named are set aside and the rest is shuffled. A trait on the table gets the uppermost card that has
such an end, unless another trait that has no other choice needs it; the remaining places are dealt from the top.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from engine.cards import END_TRAIT, KIND_ENDS, KINDS, End, Kind
from engine.chance import shuffled
from engine.positions.lines import Cards, Position
from engine.state import State
from engine.vocabulary import TRAITS, AnimalId, TraitCode


class Dealing:
    """Deals one position; ``faults`` tells what the cards of the game do not suffice for."""

    def __init__(self, state: State, position: Position) -> None:
        self.faults: list[str] = []
        self.position = position
        self.rest = shuffled(state, self._without_named(state.book.cards()))
        self.assignment = Assignment(self.rest)
        self.ends = self._ends_of_traits()
        self.rest = self.assignment.left_over()
        self._check_number()

    def _without_named(self, cards: list[Kind]) -> list[Kind]:
        left = Counter(cards)
        named = Counter(card for line in self.position.players.values() for card in _named(line.hand, line.discard))
        for kind, count in sorted(named.items()):
            if count > left[kind]:
                self.faults.append(f"{count} cards {KINDS[kind]!r} are named, there are {left[kind]}")
        return sorted((left - named).elements())

    def _ends_of_traits(self) -> dict[AnimalId | None, list[End]]:
        """For each animal the ends of its single cards in order; under None those of the pairs."""
        shown: dict[AnimalId | None, Iterable[TraitCode]] = {
            id: line.cards for id, line in sorted(self.position.animals.items())
        }
        shown[None] = [pair.trait for pair in self.position.pairs]
        places = {id: [self.assignment.add(trait) for trait in traits] for id, traits in shown.items()}
        self.faults += self.assignment.faults()
        return {id: [self.assignment.end(place) for place in found] for id, found in places.items()}

    def _check_number(self) -> None:
        numbers = [cards for line in self.position.players.values() for cards in (line.hand, line.discard)]
        wanted = sum(cards for cards in numbers if isinstance(cards, int))
        wanted += len(self.position.animals) + self.position.deck
        if wanted > len(self.rest):
            needed = f"{wanted} cards are needed beside those that are named or shown"
            self.faults.append(f"{needed}, there are {len(self.rest)} left")

    def take(self, count: int) -> tuple[Kind, ...]:
        """The next cards from the top of what is left."""
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def cards(self, cards: Cards) -> tuple[Kind, ...]:
        """The named cards, or as many from what is left."""
        return tuple(sorted(self.take(cards))) if isinstance(cards, int) else cards


def _named(*cards: Cards) -> list[Kind]:
    return [card for several in cards if not isinstance(several, int) for card in several]


class Assignment:
    """Gives each trait a card of its own that has such an end (bipartite matching with augmenting paths)."""

    def __init__(self, cards: tuple[Kind, ...]) -> None:
        self.left = Counter(cards)
        self.order = list(dict.fromkeys(cards))  # kinds by their uppermost card
        self.cards = cards
        self.traits: list[TraitCode] = []
        self.kinds: list[Kind | None] = []  # what each of the traits has got

    def add(self, trait: TraitCode) -> int:
        """Find a card for one more trait; the place of the trait in the lists."""
        place = len(self.traits)
        self.traits.append(trait)
        self.kinds.append(None)
        if place < len(self.cards):  # more traits than cards are a fault anyhow
            self._find(place, set())
        return place

    def _find(self, place: int, tried: set[Kind]) -> bool:
        kinds = [kind for kind in self.order if _has_end(kind, self.traits[place]) and kind not in tried]
        for kind in kinds:
            if self.left[kind]:
                self.left[kind] -= 1
                self.kinds[place] = kind
                return True
        for kind in kinds:
            if kind not in tried:
                tried.add(kind)
                for other, held in enumerate(self.kinds):
                    if held == kind and self._find(other, tried):
                        self.kinds[place] = kind
                        return True
        return False

    def faults(self) -> list[str]:
        """What could not be found, with all the ends that lie on the cards in question."""
        if len(self.traits) > len(self.cards):
            return [f"{len(self.traits)} traits are shown, there are {len(self.cards)} cards for them"]
        missing = [place for place, kind in enumerate(self.kinds) if kind is None]
        return list(dict.fromkeys(self._fault(place) for place in missing))

    def _fault(self, place: int) -> str:
        tried: set[Kind] = set()
        self._find(place, tried)
        holders = {self.traits[other] for other, kind in enumerate(self.kinds) if kind in tried} | {self.traits[place]}
        shown = sum(trait in holders for trait in self.traits)
        cards = sum(card in tried for card in self.cards)
        names = ", ".join(TRAITS[trait] for trait in sorted(holders))
        return f"{shown} cards are shown with {names}, there are {cards} left that can be those"

    def end(self, place: int) -> End:
        """The end with that trait in force; where there was no card, any."""
        kind, trait = self.kinds[place], self.traits[place]
        ends = range(len(END_TRAIT)) if kind is None else KIND_ENDS[kind]
        return next(end for end in ends if END_TRAIT[end] == trait)

    def left_over(self) -> tuple[Kind, ...]:
        """The cards nobody has got, in their order."""
        taken = Counter(kind for kind in self.kinds if kind is not None)
        rest = []
        for card in self.cards:
            if taken[card]:
                taken[card] -= 1
            else:
                rest.append(card)
        return tuple(rest)


def _has_end(kind: Kind, trait: TraitCode) -> bool:
    return any(END_TRAIT[end] == trait for end in KIND_ENDS[kind])
