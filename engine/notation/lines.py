"""A move as a line of text, both ways."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from engine.errors import BadNotation
from engine.moves import Move
from engine.notation.names import UNKNOWN_CARD, quoted, tidied
from engine.notation.operands import OPERANDS, Wanted
from engine.saying import said

LONGEST_TEXT: Final = 200  # characters; the longest move has some 70


def print_move(move: Move, viewer_knows: bool = True) -> str:
    """The canonical notation; ``animal ?`` to a viewer who may not know the card."""
    if not viewer_knows and "kind" in move.operands:
        return f"{move.word} {UNKNOWN_CARD}"
    return " ".join([move.word, *(OPERANDS[name].write(move) for name in move.operands)])


@cache
def operands_by_word() -> dict[str, tuple[str, ...]]:
    """The operands of every kind of move there is."""
    found: dict[str, tuple[str, ...]] = {}
    classes = [Move]
    while classes:
        move = classes.pop()
        if hasattr(move, "word"):
            found[move.word] = move.operands
        classes += move.__subclasses__()
    return dict(sorted(found.items()))


def parse_move(text: str) -> Wanted:
    """What a line of notation asks for, whether it is legal or not. Raises BadNotation."""
    if len(text) > LONGEST_TEXT:
        raise BadNotation(
            said("expected a move of at most {most} characters, came {length}", most=LONGEST_TEXT, length=len(text))
        )
    tidy = tidied(text)
    words = operands_by_word()
    word = tidy.partition(" ")[0]
    if word not in words:
        raise BadNotation(
            said("expected a move that begins with one of {words}, came {came}", words=list(words), came=quoted(text))
        )
    operands = [OPERANDS[name] for name in words[word]]
    match = re.fullmatch(word + "".join(operand.pattern for operand in operands), tidy)
    if match is None:
        shape = " ".join([word, *(operand.shape for operand in operands)])
        raise BadNotation(said("expected {shape!r}, came {came}", shape=shape, came=quoted(text)))
    found = {name: text or "" for name, text in match.groupdict().items()}
    fields = [operand.read(found) for operand in operands]
    return Wanted(word, **{name: value for read in fields for name, value in read.items()})
