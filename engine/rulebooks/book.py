"""A rulebook is a value: options, traits and what follows from them. A game keeps the one it began with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from engine.cards import END_TRAIT, ENDS, KIND_CODES, KIND_ENDS, KINDS, End, Kind
from engine.rulebooks.decks import DECKS
from engine.rulebooks.options import bank_dice, full_options
from engine.traits import TRAIT_CLASSES
from engine.traits.base import Trait
from engine.vocabulary import Bits

if TYPE_CHECKING:
    from engine.development import Playable


class TraitsByBits(dict[Bits, tuple[Trait, ...]]):
    """The traits of a set of bits, in the order of the book."""

    def __init__(self, traits: tuple[Trait, ...]) -> None:
        super().__init__()
        self.traits = traits

    def __missing__(self, bits: Bits) -> tuple[Trait, ...]:
        found = self[bits] = tuple(trait for trait in self.traits if trait.bit & bits)
        return found


class OutOfReach(dict[Bits, Bits]):
    """The traits of prey that keep a hunter with these traits away, whatever else is the case."""

    def __init__(self, traits: tuple[Trait, ...]) -> None:
        super().__init__()
        self.traits = traits

    def __missing__(self, hunter: Bits) -> Bits:
        bits = 0
        for trait in self.traits:
            needed = trait.bit if trait.both_or_neither else trait.overcoming
            if needed and not hunter & needed:
                bits |= trait.bit
        self[hunter] = bits
        return bits


class Rulebook:
    """The rules of one game: its options, and its traits with what follows from them.

    The sets named after a moment (``acting``, ``defending`` …) hold the traits that have something to say then, so
    that an animal without any of them costs one look.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        self.options: dict[str, str] = full_options(options)
        self.traits: tuple[Trait, ...] = tuple(trait(self.options) for trait in TRAIT_CLASSES)
        self.having = TraitsByBits(self.traits)
        self.by_code: dict[int, Trait] = {trait.code: trait for trait in self.traits}
        self.by_end: tuple[Trait, ...] = tuple(self.by_code[code] for code in END_TRAIT)
        self.acting = self._that_fill("offer")
        self.acting_beside = self._bits(trait for trait in self.having[self.acting] if not trait.main)
        self.protecting = self._that_fill("protects")
        self.both_or_neither = self._bits(trait for trait in self.traits if trait.both_or_neither)
        self.reaching = self.both_or_neither
        for trait in self.traits:
            self.reaching |= trait.overcoming
        self.out_of_reach = OutOfReach(self.traits)
        self.defending = self._that_fill("defend")
        self.arriving = self._that_fill("arrived")
        self.poisoning = self._that_fill("eaten")
        self.shutting = self._that_fill("shuts")
        self.triggered = self._that_fill("received")
        self.after_attack = self.having[self._that_fill("attack_ended")]
        self.after_kill = self.having[self._that_fill("killed")]
        self.taking_is_free = self.options["taking"] == "free"
        self.empty_fat_obliges = self.options["empty-fat"] == "obliges"
        self.surplus_into_fat = self.options["surplus"] == "into-fat"
        self.hand_in_pile = self.options["hand-in-pile"] == "counted"
        self._cards = self._all_cards()
        self._lay_out_cards()

    def _that_fill(self, hook: str) -> Bits:
        return self._bits(trait for trait in self.traits if getattr(type(trait), hook) is not getattr(Trait, hook))

    def _bits(self, traits: Iterable[Trait]) -> Bits:
        bits = 0
        for trait in traits:
            bits |= trait.bit
        return bits

    def _lay_out_cards(self) -> None:
        """What development asks of every card in every go."""
        # by end: the traits on an animal that keep it away
        self.blocked_by: tuple[Bits, ...] = tuple(self._blocks(END_TRAIT[end]) for end in range(len(ENDS)))
        self.playable: dict[tuple[Kind, ...], Playable] = {}  # what development knows of hands, see there
        self.directed = self._bits(trait for trait in self.traits if trait.directed)
        # by kind: the ends that go on an animal of one's own, on a foreign one, between two
        kinds = range(len(KINDS))
        self.singles = tuple(self._ends(kind, paired=False, on_foreign=False) for kind in kinds)
        self.foreigners = tuple(self._ends(kind, paired=False, on_foreign=True) for kind in kinds)
        self.pairs = tuple(self._ends(kind, paired=True, on_foreign=False) for kind in kinds)

    def _blocks(self, code: int) -> Bits:
        """The traits that an animal may not have when this one is put on it; of a pair, itself to the same partner."""
        trait = self.by_code[code]
        bits = 0 if trait.repeatable else trait.bit
        for other in self.traits:
            if other.name in trait.excludes or trait.name in other.excludes:
                bits |= other.bit
        return bits

    def _ends(self, kind: Kind, *, paired: bool, on_foreign: bool) -> tuple[End, ...]:
        traits = [(end, self.by_end[end]) for end in KIND_ENDS[kind]]
        return tuple(end for end, trait in traits if trait.paired is paired and trait.on_foreign is on_foreign)

    def cards(self) -> list[Kind]:
        """Every card of the game, unshuffled, by kind."""
        return list(self._cards)

    def _all_cards(self) -> list[Kind]:
        sets = 2 if self.options["sets"] == "two" else 1
        deck = DECKS[self.options["deck"]]
        return sorted(KIND_CODES[name] for name, count in deck.items() for _ in range(count * sets))

    def bank(self, seats: int) -> tuple[int, int]:
        """How many dice make the bank, and what is added (RULES.md 5)."""
        return bank_dice(self.options["bank-table"], seats)


_BOOKS: Final[dict[tuple[tuple[str, str], ...], Rulebook]] = {}


def rulebook(options: Mapping[str, str] | None = None) -> Rulebook:
    """The book of these house rules; one value for each combination. BadOption when there is none."""
    full = full_options(options or {})
    key = tuple(full.items())
    book = _BOOKS.get(key)
    if book is None:
        book = _BOOKS[key] = Rulebook(full)
    return book
