"""The rules of «Эволюция» (Evolution: The Origin of Species) as a library: state and move give state and events.

Nothing here reads a clock, a file or a random source; all chance comes from the seed. The loop of a game::

    state = new_game(seed, seats=3)
    while (seat := asked(state)) is not None:
        move = choose(view(state, seat), legal_moves(state))
        events = apply(state, move)

Start reading with ``flow.py`` and one trait, ``traits/running.py``.
"""

from engine.codec import BadDump, dump, load
from engine.defaults import default_answer
from engine.drawing import TABLE_WORDS, draw_table, sentence
from engine.errors import BadNotation, BadPosition, IllegalMove
from engine.events import REVEALING, Event, event_from_json, event_json, project
from engine.flow import legal_moves
from engine.game import apply, asked, feeding_go, new_game, opening, question
from engine.leaving import cancel, resign
from engine.moves import Move
from engine.notation import closes_a_go, move_json, print_move, project_move, read_move
from engine.refusals import REASONS
from engine.rulebooks.options import OPTIONS, BadOption, check_options
from engine.scoring import score, winners
from engine.state import State
from engine.view import view

__all__ = [
    "OPTIONS",
    "REASONS",
    "REVEALING",
    "TABLE_WORDS",
    "BadDump",
    "BadNotation",
    "BadOption",
    "BadPosition",
    "Event",
    "IllegalMove",
    "Move",
    "State",
    "apply",
    "asked",
    "cancel",
    "check_options",
    "closes_a_go",
    "default_answer",
    "draw_table",
    "dump",
    "event_from_json",
    "event_json",
    "feeding_go",
    "legal_moves",
    "load",
    "move_json",
    "new_game",
    "opening",
    "print_move",
    "project",
    "project_move",
    "question",
    "read_move",
    "resign",
    "score",
    "sentence",
    "view",
    "winners",
]
