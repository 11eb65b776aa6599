"""What can be asked: one question at a time, on a stack in the state (ARCHITECTURE.md 3).

A question knows whose it is, what may be answered, and what happens when there is nothing to answer. It carries the
marks that live exactly as long as it does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from engine.moves import Move
    from engine.state import Link, State
    from engine.vocabulary import Seat


class Question:
    __slots__ = ("seat",)

    kind: ClassVar[str]
    compares: ClassVar[bool] = False  # whether its answers may all come to the same (all_alike)
    seat: Seat  # who is asked

    def answers(self, state: State) -> list[Move]:
        """The legal moves in canonical order (RULES.md 6.8); none when nothing can be answered."""
        raise AssertionError(f"{type(self).__name__} has no answers")

    def close(self, state: State) -> None:
        """Leave the stack, and do what follows when nothing (more) is answered."""
        raise AssertionError(f"{type(self).__name__} cannot be closed")

    def passed(self, state: State) -> None:
        """What a pass does, before the question is closed."""
        raise AssertionError(f"{type(self).__name__} cannot be passed")

    def link_left(self, link: Link) -> None:
        """A paired card has left the table: forget what was marked on it."""

    def all_alike(self, state: State, answers: list[Move]) -> bool:
        """Whether every answer comes to the same, so that nobody need be asked."""
        return False

    def copy(self) -> Question:
        raise AssertionError(f"{type(self).__name__} cannot be copied")
