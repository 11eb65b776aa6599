"""What one seat, or a spectator, may see of a state. Built up from nothing, never stripped down (RULES.md 3.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.cards import ENDS, KINDS
from engine.feeding import Feed, link_key
from engine.hunting import Defend
from engine.positions import position_of, print_position
from engine.scoring import score, winners
from engine.sharing import Sharing, share_order
from engine.traits.scavenger import Scavenging, scavengers
from engine.vocabulary import OVER, TRAITS, Seat, animal_name, mark_names, seat_name, trait_names

if TYPE_CHECKING:
    from engine.state import Animal, Link, State


def view(state: State, seat: Seat | None) -> dict[str, Any]:
    """The table as that seat may see it (None: a spectator), JSON-ready.

    Hands and piles of others and the deck are numbers; cards face down under animals are shown to their player only.
    """
    over = state.is_over
    return {
        "turn": state.turn,
        "phase": OVER if over else state.phase,
        "bank": state.bank,
        "deck": len(state.deck),
        "first": seat_name(state.first),
        "go": None if over else seat_name(state.go),
        "last_turn": state.last_turn,
        "options": dict(state.book.options),
        "you": None if seat is None else seat_name(seat),
        "seats": [_seat_view(state, other, own=other == seat) for other in range(len(state.players))],
        "pairs": [_pair_view(state, link) for link in _links(state)],
        "question": None if over else _question_view(state),
        "winners": [seat_name(winner) for winner in winners(state)] if over else [],
        "position": print_position(position_of(state, seat)),
    }


def _seat_view(state: State, seat: Seat, own: bool) -> dict[str, Any]:
    player = state.players[seat]
    return {
        "seat": seat_name(seat),
        "hand": [KINDS[card] for card in player.hand] if own else None,
        "hand_size": len(player.hand),
        "pile": [KINDS[card] for card in sorted(player.pile)] if own else None,
        "pile_size": len(player.pile),
        "passed": player.passed,
        "score": score(state, seat) if state.is_over else None,
        "animals": [_animal_view(state, animal, own) for animal in player.animals.values()],
    }


def _animal_view(state: State, animal: Animal, own: bool) -> dict[str, Any]:
    go = state.stack[0] if state.stack else None
    grazed = isinstance(go, Feed) and animal.id in go.grazed
    return {
        "id": animal_name(animal.id),
        "card": KINDS[animal.card] if own else None,
        "traits": [{"trait": ENDS[end].split("/")[0], "card": ENDS[end]} for end in animal.cards],
        "need": animal.need,
        "food": len(animal.food),
        "tokens": animal.food,
        "fat": animal.fat,
        "fat_slots": animal.fat_slots,
        "fed": animal.is_fed(),
        "marks": mark_names(animal.marks) + (["grazed"] if grazed else []),
        "forfeited": trait_names(animal.forfeited),
    }


def _links(state: State) -> list[Link]:
    """Every paired card once, by its first animal, its second, its trait."""
    links = [link for animal in state.in_play() for link in animal.links if link.first == animal.id]
    return sorted(links, key=lambda link: (link.first, link.second, link.trait))


def _pair_view(state: State, link: Link) -> dict[str, Any]:
    go = state.stack[0] if state.stack else None
    return {
        "trait": TRAITS[link.trait],
        "card": ENDS[link.end],
        "animal": animal_name(link.first),
        "partner": animal_name(link.second),
        "spent": isinstance(go, Feed) and link_key(link.trait, link.first, link.second) in go.spent,
    }


def _question_view(state: State) -> dict[str, Any] | None:
    """Who is asked what: public, since the table sees it."""
    if not state.stack:
        return None
    question = state.stack[-1]
    seen: dict[str, Any] = {"kind": question.kind, "seat": seat_name(question.seat)}
    if isinstance(question, Feed):
        seen |= {"main_action_made": question.main, "extra_action_made": question.extra}
    elif isinstance(question, Defend):
        seen |= {"carnivore": animal_name(question.carnivore), "prey": animal_name(question.prey)}
        seen["ran"] = [animal_name(animal) for animal in question.ran]
    elif isinstance(question, Scavenging):
        seen["animals"] = [animal_name(animal.id) for animal in scavengers(state, question.seat)]
    elif isinstance(question, Sharing):
        seen["pending"] = [str(item) for item in sorted(question.pending, key=share_order)]
    return seen
