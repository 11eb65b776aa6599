"""What is played for a seat that does not answer: legal, the same for everybody, and known beforehand (engine/README.md).

The rule, question by question:

- **development**: pass.
- **feeding**: the first hungry animal that can takes food from the bank. If none can, the go is ended, or passed when
  nothing has been done in it; if the rules don't allow that (only empty fat is left to be filled, and taking is
  compulsory), the first animal that can takes food. Nobody attacks, steals, grazes, hibernates or converts.
- **defence**: run; else lose a card, the first that there is in the order of ``DROPPED_FIRST``; else mimicry, to the animal
  that counts least in the score. Nothing is declined that could save the prey.
- **scavenging**: the first hungry scavenger eats, else the first.
- **sharing**: the first pair that feeds a hungry partner, else the first.

*First* is the order of the list of legal moves: by number of the animal, that is by birth. The rule sees what the seat
itself sees, and no chance is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from engine.errors import IllegalMove
from engine.flow import legal_moves
from engine.moves import Move
from engine.saying import said
from engine.scoring import worth
from engine.vocabulary import TRAITS

if TYPE_CHECKING:
    from engine.state import State

# The parasite first, since it only takes; then what counts one and does least for a seat that nobody plays, the last
# defences and what counts two at the end. A fat card that is full goes later than an empty one. What is not named is last.
DROPPED_FIRST: Final = (
    "parasite",
    "grazing",
    "hibernation",
    "piracy",
    "sharp-vision",
    "fat-tissue",
    "scavenger",
    "symbiosis",
    "communication",
    "cooperation",
    "poisonous",
    "burrowing",
    "camouflage",
    "swimming",
    "mimicry",
    "running",
    "full fat-tissue",
    "tail-loss",
    "large",
    "carnivorous",
)


def default_answer(state: State) -> Move:
    """The answer to the open question when its seat gives none. Raises IllegalMove when the game is over."""
    moves = legal_moves(state)
    if not moves:
        raise IllegalMove("game-over", said("the game is over: there is nothing to answer"))
    return _RULES[state.stack[-1].kind](state, moves)


def _pass(state: State, moves: Sequence[Move]) -> Move:
    return moves[-1]  # it is always offered, and last


def _feed(state: State, moves: Sequence[Move]) -> Move:
    takes = [move for move in moves if move.word == "feed"]
    hungry = [move for move in takes if not state.animal(move.animal).is_fed()]
    ends = [move for move in moves if move.word in ("end", "pass")]
    return (hungry or ends or takes)[0]


def _defend(state: State, moves: Sequence[Move]) -> Move:
    for word, cost in _DEFENCES:
        answers = [move for move in moves if move.word == word]
        if answers:
            return min(answers, key=lambda move: cost(state, move))  # the first of those that cost the same
    return moves[0]


def _nothing(state: State, run: Any) -> int:
    return 0


def _dearness(state: State, drop: Any) -> int:
    card = f"full {TRAITS[drop.trait]}" if drop.full else TRAITS[drop.trait]
    return DROPPED_FIRST.index(card) if card in DROPPED_FIRST else len(DROPPED_FIRST)


def _worth_of_target(state: State, mimic: Any) -> int:
    return worth(state, state.animal(mimic.target))


_DEFENCES: Final = (("run", _nothing), ("drop", _dearness), ("mimic", _worth_of_target))


def _scavenge(state: State, moves: Sequence[Move]) -> Move:
    return next((move for move in moves if not state.animal(move.animal).is_fed()), moves[0])


def _share(state: State, moves: Sequence[Any]) -> Move:
    chosen: Move = next((move for move in moves if not state.animal(move.target).is_fed()), moves[0])
    return chosen


_RULES: Final[dict[str, Callable[[State, Sequence[Any]], Move]]] = {
    "develop": _pass,
    "feed": _feed,
    "defend": _defend,
    "scavenge": _scavenge,
    "share": _share,
}
