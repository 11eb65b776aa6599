"""Pair triggers (RULES.md 6.6): which paired card fires next, and when nobody need be asked (6.8).

The traits that fire put a :class:`Share` into ``pending`` for each direction in which a token may pass; it is resolved
when the action is complete but for them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from engine.events import happened
from engine.feeding import LinkKey, link_key, open_go
from engine.moves import Grid, Move, Table
from engine.questions import Question
from engine.tokens import receive
from engine.vocabulary import BLUE, RED, TRAITS, AnimalId, Seat, TraitCode, animal_name, owner_of

if TYPE_CHECKING:
    from engine.state import Animal, State


class Share(Move):
    """One direction of a paired card: the token passes from ``animal`` to ``target``."""

    word = "share"
    operands = ("trait", "passage")

    def __init__(self, trait: TraitCode, animal: AnimalId, target: AnimalId) -> None:
        self.trait = trait
        self.animal = animal
        self.target = target
        self.link = link_key(trait, animal, target)

    def possible(self, state: State, spent: tuple[LinkKey, ...]) -> bool:
        if self.link in spent:
            return False
        giver, partner = state.find(self.animal), state.find(self.target)
        if giver is None or partner is None or giver.link_to(self.target, self.trait) is None:
            return False
        return state.book.by_code[self.trait].possible(state, partner)

    def do(self, state: State) -> None:
        sharing = state.stack[-1]
        assert isinstance(sharing, Sharing)
        go = open_go(state)
        go.spent = tuple(sorted((*go.spent, self.link)))
        sharing.pending = tuple(item for item in sharing.pending if item.link != self.link)
        if state.log is not None:
            names = {"animal": animal_name(self.animal), "target": animal_name(self.target)}
            happened(state, "shared", trait=TRAITS[self.trait], **names)
        state.book.by_code[self.trait].share(state, state.animal(self.target))


class Sharing(Question):
    """Pair triggers still to be resolved; whose they are depends on what is possible now."""

    __slots__ = ("pending",)

    kind = "share"
    compares = True

    def __init__(self, pending: tuple[Share, ...]) -> None:
        self.pending = pending
        self.seat: Seat = 0  # known when the answers are

    def answers(self, state: State) -> list[Move]:
        spent = open_go(state).spent
        possible = [item for item in self.pending if item.possible(state, spent)]
        if not possible:
            return []
        owners = {owner_of(item.animal) for item in possible}
        self.seat = next(seat for seat in state.clockwise(state.go) if seat in owners)
        own = [item for item in possible if owner_of(item.animal) == self.seat]
        return [*sorted(own, key=share_order)]

    def close(self, state: State) -> None:
        """What could not fire is dropped; its card stays unspent."""
        state.stack.pop()

    def all_alike(self, state: State, answers: list[Move]) -> bool:
        # Imported here, since looking ahead plays these very moves; it is needed only where there are several.
        from engine.lookahead import Lookahead

        return Lookahead(state, self).all_alike(answers)

    def copy(self) -> Sharing:
        twin = Sharing(self.pending)
        twin.seat = self.seat
        return twin


def share_order(share: Share) -> tuple[AnimalId, AnimalId, TraitCode]:
    """The canonical order: by who passes, to whom, by which card."""
    return share.animal, share.target, share.trait


def _shares_by(trait: TraitCode) -> Grid[AnimalId, Share]:
    return Grid(partial(Share, trait))


SHARE: Final[Table[TraitCode, Grid[AnimalId, Share]]] = Table(_shares_by)


def pass_on(state: State, animal: Animal, trait: TraitCode) -> None:
    """The animal received a token: each unspent card of that trait on it may pass one to the partner."""
    spent = open_go(state).spent
    items = []
    for link in animal.links:
        if link.trait == trait and link_key(trait, link.first, link.second) not in spent:
            items.append(SHARE[trait][animal.id][link.partner(animal.id)])
    if items:
        _pend(state, items)


def _pend(state: State, items: list[Share]) -> None:
    top = state.stack[-1]
    if not isinstance(top, Sharing):
        top = Sharing(())
        state.stack.append(top)
    top.pending += tuple(item for item in items if item not in top.pending)


def share_blue(state: State, partner: Animal) -> None:
    receive(state, partner, 1, BLUE, from_bank=False)


def share_red(state: State, partner: Animal) -> None:
    state.bank -= 1
    receive(state, partner, 1, RED, from_bank=True)
