"""Communication (Взаимодействие)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.sharing import pass_on, share_red
from engine.tokens import can_receive
from engine.traits.base import Trait

if TYPE_CHECKING:
    from engine.state import Animal, State


class Communication(Trait):
    """When one of the pair takes a red token from the bank, the other one takes one too. Once a go."""

    name = "communication"
    paired = True

    def received(self, state: State, animal: Animal, from_bank: bool) -> None:
        if from_bank:
            pass_on(state, animal, self.code)

    def possible(self, state: State, partner: Animal) -> bool:
        return state.bank > 0 and can_receive(state, partner)

    def share(self, state: State, partner: Animal) -> None:
        share_red(state, partner)
