"""The way in, and whether anybody is at home."""

from __future__ import annotations

from tests.api.story.telling import Teller
from tests.playing import Person


def tell(teller: Teller) -> None:
    nobody = Person(teller.app)
    for sign in ("get_entry", "get_health", "get_ready", "list_problems"):
        teller.play(sign, nobody)
    teller.play("list_rules", nobody, at_most=2)
    teller.play("get_rule_set", nobody, rule_set="evolution-1", at_most=2)
