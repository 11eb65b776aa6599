"""The hooks of a trait: each a no-op here, filled in by the traits whose card says something about it.

The table of hooks, with moment and meaning, is in ``engine/traits/README.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from engine.vocabulary import TRAIT_CODES, Bits, TraitCode, bit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.feeding import Feed
    from engine.hunting import Defend
    from engine.moves import Move
    from engine.notation import Wanted
    from engine.state import Animal, State


class Trait:
    """One trait under one set of house rules."""

    name: ClassVar[str]
    need: ClassVar[int] = 0  # what it adds to the need of its animal
    paired: ClassVar[bool] = False  # joins two animals
    directed: ClassVar[bool] = False  # a pair in which the two sides differ
    on_foreign: ClassVar[bool] = False  # goes on another seat's animal, and there only
    repeatable: ClassVar[bool] = False  # more than once on one animal
    stores_fat: ClassVar[bool] = False
    excludes: ClassVar[tuple[str, ...]] = ()  # traits that may not lie on the same animal
    overcome_by: ClassVar[str] = ""  # its animal is attacked only by a hunter that has this trait
    both_or_neither: ClassVar[bool] = False  # it is on hunter and prey, or on neither
    out_of_reach: ClassVar[str] = ""  # the reason why its animal is no prey for the others
    action: ClassVar[str] = ""  # the word of its action in feeding
    defence: ClassVar[str] = ""  # the word of its answer to an attack
    marks: ClassVar[int] = 0  # marks of the animal that leave with the card
    main: bool = False  # its action is the main action of a go
    optional: bool = False  # its defence may be declined (house rules only)

    def __init__(self, options: Mapping[str, str]) -> None:
        self.code: TraitCode = TRAIT_CODES[self.name]
        self.bit: Bits = 1 << self.code
        self.overcoming: Bits = bit(self.overcome_by) if self.overcome_by else 0

    def offer(self, state: State, go: Feed, animal: Animal, moves: list[Move]) -> None:
        """Feeding: add the actions that this own animal may take now."""

    def refuses(self, state: State, go: Feed, animal: Animal, wanted: Wanted) -> str:
        """Feeding: why its action is not offered as somebody wanted it; a reason, "cannot-receive", or nothing."""
        return ""

    def may_still_feed(self, animal: Animal) -> bool:
        """Whether this trait's action may still bring the animal food in a go whose main action is made."""
        return False

    def protects(self, state: State, prey: Animal) -> str:
        """May the animal with this trait be attacked now, by whomever? The reason why not, or nothing."""
        return ""

    def defend(self, state: State, attack: Defend, prey: Animal, answers: list[Move]) -> None:
        """Under attack: add the answers that this trait gives its animal."""

    def refuses_answer(self, state: State, attack: Defend, prey: Animal, wanted: Wanted) -> str:
        """Under attack: why its answer is not offered as somebody wanted it; a reason, or nothing."""
        return ""

    def arrived(self, attack: Defend, prey: Animal) -> None:
        """An attack has been turned to the animal with this trait."""

    def attack_ended(self, state: State) -> None:
        """After every attack, however it ended."""

    def eaten(self, state: State, hunter: Animal) -> None:
        """The animal with this trait was killed by that hunter, who has not yet eaten."""

    def killed(self, state: State, hunter: Animal) -> None:
        """After every kill, when the hunter has eaten; asked of every trait of the rulebook."""

    def shuts(self, state: State, animal: Animal) -> bool:
        """Whether this (paired) trait keeps all tokens from that animal now."""
        return False

    def received(self, state: State, animal: Animal, from_bank: bool) -> None:
        """The animal with this trait has just received at least one token."""

    def possible(self, state: State, partner: Animal) -> bool:
        """Whether a token could pass to that partner by this paired trait now."""
        return False

    def share(self, state: State, partner: Animal) -> None:
        """Pass a token to that partner."""

    def dropped(self, state: State, animal: Animal) -> None:
        """The last card of this trait has just left the animal, which lives on."""
