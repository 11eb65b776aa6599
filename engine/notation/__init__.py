"""Moves as text, both ways, and the names they are made of: the language of NOTATION.md, printed and parsed only here.

Positions are made of the same names (``engine/positions.py``).
"""

from engine.notation.lines import parse_move, print_move
from engine.notation.names import RUSSIAN_NAMES
from engine.notation.objects import move_json
from engine.notation.operands import Wanted
from engine.notation.reading import read_move

__all__ = ["RUSSIAN_NAMES", "Wanted", "move_json", "parse_move", "print_move", "read_move"]
