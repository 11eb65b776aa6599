"""Cooperation (Сотрудничество)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.sharing import pass_on, share_blue
from engine.tokens import can_receive
from engine.traits.base import Trait

if TYPE_CHECKING:
    from engine.state import Animal, State


class Cooperation(Trait):
    """When one of the pair receives a token of any kind, the other one gets a blue one. Once a go."""

    name = "cooperation"
    paired = True

    def received(self, state: State, animal: Animal, from_bank: bool) -> None:
        pass_on(state, animal, self.code)

    def possible(self, state: State, partner: Animal) -> bool:
        return can_receive(state, partner)

    def share(self, state: State, partner: Animal) -> None:
        share_blue(state, partner)
