"""The order of play: whose question is next, the phases, the turns, the end (RULES.md 3 to 7).

:func:`settle` alone moves a game on. It plays what needs no person: a question with one answer, one whose answers all
come to the same, a go with nothing left to do, the dice, the extinction and the draw.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.chance import below, die, shuffled
from engine.development import DEVELOP
from engine.events import happened
from engine.extinction import draw_cards, end_turn, starve
from engine.feeding import Feed
from engine.rulebooks.book import rulebook
from engine.rulebooks.options import check_options
from engine.scoring import declare_result
from engine.state import State
from engine.vocabulary import FEEDING, OVER, seat_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.moves import Move

FIRST_HAND: Final = 6


def deal(key: bytes, seats: int, options: Mapping[str, str] | None = None) -> State:
    """A new game, dealt and not yet asked anything. Raises BadOption."""
    check_options(options or {}, seats)
    state = State(rulebook(options), seats, key)
    cards = shuffled(state, state.book.cards())
    for seat, player in enumerate(state.players):
        player.hand = tuple(sorted(cards[seat : seats * FIRST_HAND : seats]))
    state.deck = cards[seats * FIRST_HAND :]
    state.first = state.seat = below(state, seats)
    return state


def settle(state: State) -> list[Move]:
    """Move the game on to the next question for a person; its legal moves, or none when the game is over."""
    stack = state.stack
    while stack or _next_go(state):
        question = stack[-1]
        answers = question.answers(state)
        if not answers:
            question.close(state)
        elif len(answers) == 1 or (question.compares and question.all_alike(state, answers)):
            answers[0].do(state)
        else:
            state.answers = answers
            return answers
    state.answers = []
    return state.answers


def legal_moves(state: State) -> list[Move]:
    """The answers to the open question in canonical order. Settles a game that was just loaded."""
    if state.answers is None:
        return [] if state.ended else settle(state)
    return state.answers


def play(state: State, move: Move) -> list[Move]:
    """Carry out a move that is known to be legal, and settle. For those who play millions of moves."""
    state.answers = None
    move.do(state)
    return settle(state)


def _next_go(state: State) -> bool:
    """Ask the next seat, through as many phases as it takes; False when the game is over."""
    while True:
        if state.phase == FEEDING:
            if state.idle >= len(state.players):
                _end_feeding(state)
            elif state.players[state.seat].animals:
                state.stack.append(Feed(state.seat))
                return True
            else:  # nothing to do in this go, and no need to ask
                state.idle += 1
                state.seat = state.after(state.seat)
        elif state.phase == OVER:
            return False
        elif _next_development_go(state):
            return True
        else:
            _roll_bank(state)


def _next_development_go(state: State) -> bool:
    """The next seat that has not passed and has cards; an empty hand passes by itself and is not marked."""
    seat = state.seat
    for _ in state.players:
        player = state.players[seat]
        if player.hand and not player.passed:
            state.stack.append(DEVELOP[seat])
            return True
        seat = state.after(seat)
    return False


def _roll_bank(state: State) -> None:
    """The food bank phase (RULES.md 5), and feeding begins."""
    dice, added = state.book.bank(len(state.players))
    faces = [die(state) for _ in range(dice)]
    state.bank = sum(faces) + added
    happened(state, "bank_rolled", dice=faces, added=added, bank=state.bank)
    for player in state.players:
        player.passed = False
    state.phase = FEEDING
    state.seat = state.first
    state.idle = 0


def _end_feeding(state: State) -> None:
    """Extinction and draw (RULES.md 7), and the next turn or the end."""
    happened(state, "feeding_ended", bank=state.bank)
    state.bank = 0
    starve(state)
    if state.last_turn:
        state.phase = OVER
        declare_result(state)
        return
    draw_cards(state)
    end_turn(state)
    type = "last_turn_began" if state.last_turn else "turn_began"
    happened(state, type, turn=state.turn, first=seat_name(state.first))
