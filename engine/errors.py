"""What can be wrong with what somebody gave the engine. The text says what was expected and what came.

What is wrong with a move or an option can be said in another language (``saying.py``); positions are read in English."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.positions import Position
    from engine.saying import Said


class IllegalMove(ValueError):
    """A move that can be read and that the rules refuse. ``reason`` is one of a closed list."""

    def __init__(self, reason: str, detail: Said) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class BadNotation(ValueError):
    """A move that cannot be read. ``candidates`` are the legal moves that an ambiguous one may mean."""

    def __init__(self, detail: str, candidates: Sequence[str] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.candidates = list(candidates)


class BadPosition(ValueError):
    """A position that cannot be read, or that breaks the rules; every fault has a line in ``faults``.

    ``readable`` is what could be read of one that has a header, to be held against the rules all the same.
    """

    def __init__(self, faults: Sequence[str], readable: Position | None = None) -> None:
        super().__init__("; ".join(faults))
        self.faults = list(faults)
        self.readable = readable
