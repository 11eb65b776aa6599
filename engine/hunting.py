"""The hunt (RULES.md 6.5): who can be attacked, the defences in their owner's order, the kill.

What the traits say of an attack comes through their hooks; this file tells only the sequence that all hunts share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.events import did
from engine.moves import AnimalMove, Move, Table
from engine.questions import Question
from engine.table import bury
from engine.tokens import receive
from engine.vocabulary import BLUE, AnimalId, owner_of

if TYPE_CHECKING:
    from engine.state import Animal, State

MEAT: Final = 2  # tokens of a kill
TAIL: Final = 1  # of a lost tail


def why_not_prey(state: State, hunter: Animal, prey: Animal) -> str:
    """Conditions 3 to 8 of an attack: the reason why this hunter cannot attack that animal, or nothing."""
    book = state.book
    if prey is hunter:
        return "prey-is-the-hunter"
    out_of_reach = prey.traits & book.out_of_reach[hunter.traits & book.reaching]
    if out_of_reach:
        return book.having[out_of_reach][0].out_of_reach
    if hunter.traits & book.both_or_neither & ~prey.traits:
        return "prey-on-land"
    return why_not_now(state, prey)


def why_not_now(state: State, prey: Animal) -> str:
    """The reason why nobody can attack that animal at this moment, or nothing."""
    protecting = prey.traits & state.book.protecting
    if protecting:
        for trait in state.book.having[protecting]:
            reason = trait.protects(state, prey)
            if reason:
                return reason
    return ""


def all_prey(state: State, hunter: Animal) -> list[Animal]:
    """The animals that this hunter could attack, by seat and number: why_not_prey for the whole table at once."""
    book = state.book
    out_of_reach = book.out_of_reach[hunter.traits & book.reaching]
    must_have = hunter.traits & book.both_or_neither
    prey = []
    for player in state.players:
        for animal in player.animals.values():
            traits = animal.traits
            if traits & out_of_reach or traits & must_have != must_have or animal is hunter:
                continue
            if not traits & book.protecting or not why_not_now(state, animal):
                prey.append(animal)
    return prey


class Defend(Question):
    """An attack that has reached ``prey``; its owner uses one of its defences, until the attack ends."""

    __slots__ = ("carnivore", "prey", "ran")

    kind = "defend"

    def __init__(self, carnivore: AnimalId, prey: AnimalId, ran: tuple[AnimalId, ...] = ()) -> None:
        self.carnivore = carnivore
        self.prey = prey
        self.seat = owner_of(prey)
        self.ran = ran  # the animals that have rolled in this attack

    def answers(self, state: State) -> list[Move]:
        prey = state.animal(self.prey)
        moves: list[Move] = []
        defending = prey.traits & state.book.defending
        if not defending:
            return moves
        compulsory = False
        for trait in state.book.having[defending]:
            before = len(moves)
            trait.defend(state, self, prey, moves)
            compulsory |= len(moves) > before and not trait.optional
        if moves and not compulsory:
            moves.append(YIELD[self.prey])
        return moves

    def close(self, state: State) -> None:
        """No defence is left."""
        kill(state)

    def copy(self) -> Defend:
        return Defend(self.carnivore, self.prey, self.ran)


def open_attack(state: State) -> Defend:
    """The attack that is being answered."""
    attack = state.stack[-1]
    assert isinstance(attack, Defend)
    return attack


def end_attack(state: State) -> Defend:
    """Take the attack off the stack, whatever came of it."""
    attack = open_attack(state)
    state.stack.pop()
    for trait in state.book.after_attack:
        trait.attack_ended(state)
    return attack


def redirect(state: State, target: AnimalId) -> None:
    """The attack turns to another animal of the same owner."""
    attack = open_attack(state)
    attack.prey = target
    prey = state.animal(target)
    for trait in state.book.having[prey.traits & state.book.arriving]:
        trait.arrived(attack, prey)


def kill(state: State) -> None:
    """The prey is eaten: poison first, then the meal, then what a kill brings to others."""
    attack = end_attack(state)
    hunter = state.animal(attack.carnivore)
    prey = state.animal(attack.prey)
    did(state, "killed", hunter.id, prey.id)
    poisoning = prey.traits & state.book.poisoning
    if poisoning:
        for trait in state.book.having[poisoning]:
            trait.eaten(state, hunter)
    bury(state, [prey.id])
    receive(state, hunter, MEAT, BLUE, from_bank=False)
    for trait in state.book.after_kill:
        trait.killed(state, hunter)


def bite_tail(state: State) -> None:
    """The prey has lost a card and lives: the attack is over and feeds the hunter one."""
    hunter = state.animal(end_attack(state).carnivore)
    receive(state, hunter, TAIL, BLUE, from_bank=False)


class Yield(AnimalMove):
    """Use no further defence (only where a house rule lets the owner decline)."""

    word = "yield"

    def do(self, state: State) -> None:
        did(state, "yielded", self.animal)
        kill(state)


YIELD: Final[Table[AnimalId, Yield]] = Table(Yield)
