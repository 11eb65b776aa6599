"""Positions as text, both ways (NOTATION.md): a :class:`Position` is anything that parses, a state has been checked.

``lines.py`` says what a position is and prints it, ``parsing.py`` reads it, ``dealing.py`` finds cards for what is not
named, ``faults.py`` holds it against the rules, ``playing.py`` makes a state of it and ``seeing.py`` one of a state.
"""

from engine.positions.lines import Position, print_position
from engine.positions.parsing import parse_position
from engine.positions.playing import playable, read_playable
from engine.positions.seeing import ALL, position_of

__all__ = ["ALL", "Position", "parse_position", "playable", "position_of", "print_position", "read_playable"]
