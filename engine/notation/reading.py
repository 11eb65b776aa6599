"""From what was written to a legal move: it is found in the list of legal moves, so there is no second validator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from engine import flow
from engine.cards import END_TRAIT, KIND_ENDS
from engine.errors import BadNotation, IllegalMove
from engine.notation.lines import LONGEST_TEXT, parse_move
from engine.notation.names import quoted, tidied
from engine.notation.objects import parse_move_json
from engine.notation.operands import Wanted
from engine.refusals import why_not
from engine.saying import said
from engine.vocabulary import TraitCode

if TYPE_CHECKING:
    from engine.moves import Move
    from engine.state import State

_CLOSING: Final = ("end", "pass")  # accepted for one another


def closes_a_go(given: str | Mapping[str, Any]) -> bool:
    """Whether that is `end` or `pass`, whatever is asked."""
    if isinstance(given, str):
        return tidied(given[:LONGEST_TEXT]) in _CLOSING
    said = given.get("type", given.get("notation"))
    return isinstance(said, str) and tidied(said[:LONGEST_TEXT]) in _CLOSING


def read_move(state: State, given: str | Mapping[str, Any]) -> Move:
    """The legal move that a line of notation or a JSON object names. The state is settled, else unchanged.

    Raises BadNotation for what cannot be read or is ambiguous, IllegalMove for what the rules refuse.
    """
    if isinstance(given, str):
        return _as_written(state, given) or _legal(state, parse_move(given))
    if not isinstance(given, Mapping):
        raise BadNotation(said("expected a move as a text or an object, came {came}", came=quoted(given)))
    moves = {id(move): move for move in [_legal(state, wanted) for wanted in parse_move_json(given)]}
    if len(moves) > 1:
        raise BadNotation(
            said("the notation {notation} and the other keys name different moves", notation=quoted(given["notation"]))
        )
    return moves.popitem()[1]


def _as_written(state: State, text: str) -> Move | None:
    """The legal move whose canonical notation this is: what programs send needs no parsing."""
    for move in flow.legal_moves(state):
        if text == str(move):
            return move
    return None


def _legal(state: State, wanted: Wanted) -> Move:
    found = [move for move in flow.legal_moves(state) if _fits(state, wanted, move)]
    if not found:
        raise IllegalMove(*why_not(state, wanted))
    if len(found) > 1:
        candidates = [str(move) for move in found]
        raise BadNotation(said("this may be any of: {candidates}", candidates=candidates), candidates)
    return found[0]


def _fits(state: State, wanted: Wanted, move: Move) -> bool:
    if wanted.word != move.word:
        return wanted.word in _CLOSING and move.word in _CLOSING
    return all(_says(state, move, field, value) for field, value in wanted.named())


def _says(state: State, move: Any, field: str, value: Any) -> bool:
    """Whether the move has that value there. Short forms name a trait where the move has a card."""
    if field == "trait":
        return value in _traits(move)
    if field == "full":
        return value == move.full or _full_alike(state, move)
    return bool(getattr(move, field) == value)


def _traits(move: Any) -> list[TraitCode]:
    """What a move's card can be called by: one in play by the trait in force, one face down by any of its ends."""
    if "kind" in move.operands:
        return [END_TRAIT[end] for end in KIND_ENDS[move.kind]]
    return [END_TRAIT[move.end] if "end" in move.operands else move.trait]


def _full_alike(state: State, move: Any) -> bool:
    """Where every fat card of the animal is full a star says nothing new."""
    animal = state.animal(move.animal)
    return animal.fat == animal.fat_slots
