"""The state of a game: plain data, ids instead of references, copied by hand.

Everything a game is lies in a :class:`State`; nothing is kept elsewhere, so it can be copied, stored and printed at
any moment, in the middle of an attack too. What never changes in place (hands, cards on an animal, links) is a tuple
and is shared by copies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.cards import END_TRAIT, End, Kind
from engine.vocabulary import (
    DEVELOPMENT,
    HIBERNATING,
    NUMBER_BITS,
    OVER,
    AnimalId,
    Bits,
    Seat,
    TraitCode,
    animal_name,
)

if TYPE_CHECKING:
    from engine.events import Event
    from engine.moves import Move
    from engine.questions import Question
    from engine.rulebooks.book import Rulebook


class Link:
    """A paired card between two animals of one seat. Symbiosis is directed: ``first`` protects ``second``."""

    __slots__ = ("end", "first", "second", "trait")

    def __init__(self, end: End, first: AnimalId, second: AnimalId) -> None:
        self.end = end
        self.trait: TraitCode = END_TRAIT[end]
        self.first = first
        self.second = second

    def partner(self, animal: AnimalId) -> AnimalId:
        return self.second if animal == self.first else self.first


class Animal:
    """An animal on the table.

    ``traits`` holds a bit for each trait on it, single or paired; ``cards`` its single cards in the order in which they
    were played; ``food`` the colours of its food tokens in the order of arrival. Full fat cards are always those
    played first (RULES.md 2.3), so their number says which.
    """

    __slots__ = ("card", "cards", "fat", "fat_slots", "food", "forfeited", "id", "links", "marks", "need", "traits")

    def __init__(
        self,
        id: AnimalId,
        card: Kind,
        cards: tuple[End, ...] = (),
        links: tuple[Link, ...] = (),
        traits: Bits = 0,
        need: int = 1,
        food: str = "",
        fat: int = 0,
        fat_slots: int = 0,
        marks: int = 0,
        forfeited: Bits = 0,
    ) -> None:
        self.id = id
        self.card = card  # face down: known to its player only
        self.cards = cards
        self.links = links
        self.traits = traits
        self.need = need
        self.food = food
        self.fat = fat  # yellow tokens
        self.fat_slots = fat_slots  # fat cards, full and empty
        self.marks = marks
        self.forfeited = forfeited

    def copy(self) -> Animal:
        # One call with everything in it: this is the hot part of State.copy(), and copy.copy() takes five times as long.
        return Animal(
            self.id, self.card, self.cards, self.links, self.traits, self.need,
            self.food, self.fat, self.fat_slots, self.marks, self.forfeited,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<Animal {animal_name(self.id)}>"

    def is_fed(self) -> bool:
        """RULES.md 6.1: enough food, or asleep. Yellow tokens are not food."""
        return len(self.food) >= self.need or self.marks & HIBERNATING != 0

    def link_to(self, partner: AnimalId, trait: TraitCode) -> Link | None:
        for link in self.links:
            if link.trait == trait and (link.first == partner or link.second == partner):
                return link
        return None


class Player:
    """What one seat owns."""

    __slots__ = ("animals", "born", "hand", "passed", "pile", "traits")

    def __init__(self) -> None:
        self.hand: tuple[Kind, ...] = ()  # always sorted: the order of arrival is nobody's business
        self.pile: tuple[Kind, ...] = ()  # in the order of the discards
        self.animals: dict[AnimalId, Animal] = {}  # in order of birth
        self.born = 0  # the highest animal number used
        self.passed = False
        # All traits that its animals have had in this turn: a first look before going through the animals.
        self.traits: Bits = 0

    def copy(self) -> Player:
        twin = Player()
        twin.hand = self.hand
        twin.pile = self.pile
        twin.animals = {id: animal.copy() for id, animal in self.animals.items()}
        twin.born = self.born
        twin.passed = self.passed
        twin.traits = self.traits
        return twin


class State:
    """A game at one moment.

    ``stack`` holds the open questions; the one on top is asked. While it is empty, ``seat`` is the seat whose go comes
    next. ``answers`` caches the legal moves of the question on top: None until the game has been settled.
    """

    __slots__ = (
        "answers", "bank", "book", "counter", "deck", "dice", "ended", "first", "idle", "key", "last_turn", "log", "phase",
        "players", "resigned", "seat", "stack", "turn",
    )  # fmt: skip

    def __init__(self, book: Rulebook, seats: int, key: bytes) -> None:
        self.book = book
        self.players = [Player() for _ in range(seats)]
        self.deck: tuple[Kind, ...] = ()  # the next card first
        self.phase = DEVELOPMENT
        self.turn = 1
        self.first: Seat = 0
        self.seat: Seat = 0
        self.bank = 0
        self.last_turn = False
        self.idle = 0  # goes in a row in which nothing was done
        self.resigned: tuple[Seat, ...] = ()  # who can't win any more, sorted
        self.ended = ""  # before its time, and by what: one of leaving.ENDINGS
        self.stack: list[Question] = []
        self.key = key  # of the stream that all chance comes from
        self.counter = 0
        self.dice: tuple[int, ...] = ()  # faces a scenario lays down; they come before the stream
        self.answers: list[Move] | None = None
        self.log: list[Event] | None = None  # where events go; None: nobody listens

    def copy(self) -> State:
        twin = State(self.book, 0, self.key)
        twin.players = [player.copy() for player in self.players]
        twin.deck = self.deck
        twin.phase = self.phase
        twin.turn = self.turn
        twin.first = self.first
        twin.seat = self.seat
        twin.bank = self.bank
        twin.last_turn = self.last_turn
        twin.idle = self.idle
        twin.resigned = self.resigned
        twin.ended = self.ended
        twin.stack = [question.copy() for question in self.stack]
        twin.counter = self.counter
        twin.dice = self.dice
        twin.answers = self.answers
        return twin

    def animal(self, id: AnimalId) -> Animal:
        """The animal of that id; KeyError when it is not on the table."""
        return self.players[id >> NUMBER_BITS].animals[id]

    def find(self, id: AnimalId) -> Animal | None:
        seat = id >> NUMBER_BITS
        return self.players[seat].animals.get(id) if 0 <= seat < len(self.players) else None

    def after(self, seat: Seat) -> Seat:
        """The next seat clockwise."""
        return seat + 1 if seat + 1 < len(self.players) else 0

    def clockwise(self, seat: Seat) -> list[Seat]:
        """All seats, from this one on."""
        seats = len(self.players)
        return [*range(seat, seats), *range(seat)]

    def in_play(self) -> list[Animal]:
        """All animals on the table, by seat and number."""
        return [animal for player in self.players for animal in player.animals.values()]

    @property
    def is_over(self) -> bool:
        """By the rules, or before its time."""
        return self.phase == OVER or self.ended != ""

    @property
    def go(self) -> Seat:
        """Whose go it is: the seat of the lowest question, or the next one."""
        return self.stack[0].seat if self.stack else self.seat
