"""Moves as text, both ways, and the names they are made of: the language of NOTATION.md, printed and parsed only here.

Positions are made of the same names (``engine/positions.py``).
"""

from engine.notation.lines import parse_move, print_move
from engine.notation.names import RUSSIAN_NAMES
from engine.notation.objects import move_json, project_move
from engine.notation.operands import Wanted
from engine.notation.reading import closes_a_go, read_move

__all__ = [
    "RUSSIAN_NAMES",
    "Wanted",
    "closes_a_go",
    "move_json",
    "parse_move",
    "print_move",
    "project_move",
    "read_move",
]
