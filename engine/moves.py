"""What can be answered: a move holds ids, prints as one line of notation, and does its own deed.

A move is a constant: there is one object for each line of notation, made when it is first needed and kept, because
making them anew was the greatest part of the time of a random game. So moves are compared by identity.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Final, Generic, TypeVar

from engine.vocabulary import NOBODY, AnimalId, TraitCode

if TYPE_CHECKING:
    from engine.state import State


class Move:
    """One answer to one question.

    ``word`` is the first word of its notation and ``operands`` names, in order, the attributes that follow it. A subclass
    sets both, and ``ability`` where a pass forfeits it (RULES.md 6.4).
    """

    word: ClassVar[str]
    operands: ClassVar[tuple[str, ...]] = ()
    ability: ClassVar[TraitCode] = NOBODY

    animal: AnimalId = NOBODY
    notation: str = ""  # made when it is first asked for

    def do(self, state: State) -> None:
        """Carry the move out. It was found legal; the question it answers is on top of the stack."""
        raise AssertionError(f"{type(self).__name__} has no deed")

    def __str__(self) -> str:
        if not self.notation:
            # Imported here: the notation knows all moves.
            from engine.notation import print_move

            self.notation = print_move(self)
        return self.notation

    def __repr__(self) -> str:
        return f"<{self}>"


class AnimalMove(Move):
    """A move that names one animal."""

    operands: ClassVar[tuple[str, ...]] = ("animal",)

    def __init__(self, animal: AnimalId) -> None:
        self.animal = animal


class TargetMove(Move):
    """A move of one animal towards another."""

    operands: ClassVar[tuple[str, ...]] = ("animal", "target")

    def __init__(self, animal: AnimalId, target: AnimalId) -> None:
        self.animal = animal
        self.target = target


class Pass(Move):
    """In development: out for the rest of the phase. In feeding: end the go having done nothing."""

    word = "pass"

    def do(self, state: State) -> None:
        question = state.stack[-1]
        question.passed(state)
        question.close(state)


PASS: Final = Pass()

K = TypeVar("K")
M = TypeVar("M")


class Table(dict[K, M], Generic[K, M]):
    """Moves by what tells them apart; one that is not there yet is made."""

    def __init__(self, make: Callable[[K], M]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, key: K) -> M:
        made = self[key] = self.make(key)
        return made


class Row(dict[K, M], Generic[K, M]):
    """The moves of one animal, by the other thing that tells them apart."""

    def __init__(self, make: Callable[[AnimalId, K], M], animal: AnimalId) -> None:
        super().__init__()
        self.make = make
        self.animal = animal

    def __missing__(self, key: K) -> M:
        made = self[key] = self.make(self.animal, key)
        return made


class Grid(dict[AnimalId, Row[K, M]], Generic[K, M]):
    """Moves by an animal and another thing: ``ATTACK[animal][target]``."""

    def __init__(self, make: Callable[[AnimalId, K], M]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, animal: AnimalId) -> Row[K, M]:
        row = self[animal] = Row(self.make, animal)
        return row
