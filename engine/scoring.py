"""The end and the score (RULES.md 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.events import happened
from engine.vocabulary import Seat, seat_name

if TYPE_CHECKING:
    from engine.state import Animal, State

FOR_AN_ANIMAL: Final = 2
FOR_A_CARD: Final = 1


def score(state: State, seat: Seat) -> int:
    """What the seat's table is worth now; a paired card counts once, a parasite for the owner of its host."""
    return sum(worth(state, animal) for animal in state.players[seat].animals.values())


def worth(state: State, animal: Animal) -> int:
    needs = sum(state.book.by_end[end].need for end in animal.cards)
    pairs = sum(link.first == animal.id for link in animal.links)
    return FOR_AN_ANIMAL + FOR_A_CARD * (len(animal.cards) + pairs) + needs


def pile_size(state: State, seat: Seat) -> int:
    """The discard pile as it breaks a tie: counted in cards, by a house rule with the hand."""
    player = state.players[seat]
    return len(player.pile) + (len(player.hand) if state.book.hand_in_pile else 0)


def contenders(state: State) -> list[Seat]:
    """Who can win: those who have not resigned, and nobody in a game that was cancelled."""
    seats = range(len(state.players)) if state.ended != "cancellation" else ()
    return [seat for seat in seats if seat not in state.resigned]


def winners(state: State) -> list[Seat]:
    """The best score, then the larger pile; what is still tied is shared."""
    standing = {seat: (score(state, seat), pile_size(state, seat)) for seat in contenders(state)}
    return [seat for seat, result in standing.items() if result == max(standing.values())]


def declare_result(state: State) -> None:
    if state.log is not None:
        seats = range(len(state.players))
        scores = {seat_name(seat): score(state, seat) for seat in seats}
        piles = {seat_name(seat): pile_size(state, seat) for seat in seats}
        won = [seat_name(seat) for seat in winners(state)]
        points = ", ".join(f"{seat} {points}" for seat, points in scores.items())
        result = f"{' and '.join(won)} won ({points})"
        happened(state, "game_ended", scores=scores, piles=piles, winners=won, result=result)
