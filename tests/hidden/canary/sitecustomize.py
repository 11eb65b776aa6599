"""Makes every process of Galapost that has this folder on its PYTHONPATH play with canary cards.

Python imports this file when it starts. Nothing but data is other than it is shipped: the deck has cards of which each
bears a trait and a canary, a trait that does nothing and is on no other card. So each card has a name of its own, and
where that name turns up the card is known.

GALAPOST_CANARY_LEAKS, for those who look for canaries to prove that they find them, makes the server tell what it must not.
"""

from __future__ import annotations

import itertools
import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any

CARDS = int(os.environ.get("GALAPOST_CANARY_CARDS", "24"))
LETTERS = "bcdfghjk"
CANARIES = [f"canary-{''.join(pair)}" for pair in itertools.product(LETTERS, LETTERS)][:CARDS]
TRAITS = (
    "carnivorous", "running", "fat-tissue", "carnivorous", "tail-loss", "cooperation", "mimicry", "scavenger",
    "communication", "piracy", "parasite", "large", "symbiosis", "grazing", "poisonous",
)  # fmt: skip


def _name_canaries(vocabulary: Any) -> None:
    vocabulary.TRAITS += tuple(CANARIES)
    vocabulary.TRAIT_CODES.update({name: code for code, name in enumerate(vocabulary.TRAITS)})


def _print_deck(decks: Any) -> None:
    cards = {f"{trait}/{canary}": 1 for trait, canary in zip(itertools.cycle(TRAITS), CANARIES, strict=False)}
    decks.DECKS.update(dict.fromkeys(decks.DECKS, cards))


def _make_traits(traits: Any) -> None:
    traits.TRAIT_CLASSES += tuple(type(name, (traits.Trait,), {"name": name}) for name in CANARIES)


def _leak_hands(view: Any) -> None:
    shown = view._seat_view
    view._seat_view = lambda state, seat, own: shown(state, seat, own=True)


def _leak_secrets(events: Any) -> None:
    told = events.project
    events.project = lambda event, viewer: {**told(event, viewer), "secrets": str(event.secrets)}


def _leak_to_logs(notifying: Any) -> None:
    opened = notifying.decision_opened

    def decision_opened(session: Any, game: Any, decision: Any, now: Any) -> None:
        print("the game is now", game.state, flush=True)
        opened(session, game, decision, now)

    notifying.decision_opened = decision_opened


def _leak_to_webhooks(payloads: Any) -> None:
    about = payloads.about_game

    def about_game(kind: str, endpoint: Any, game: Any, *more: Any, **others: Any) -> str:
        body: str = about(kind, endpoint, game, *more, **others)
        return f'{body[:-1]}, "state": {game.state}}}'

    payloads.about_game = about_game


def _leak_to_drawings(layout: Any) -> None:
    """The hand of somebody else, since the view has them all."""
    drawn = layout._hand

    def hand(view: Any, words: Any, y: float, width: int) -> Any:
        other = next((seat["seat"] for seat in view["seats"] if seat["seat"] != view["you"] and seat["hand"]), None)
        return drawn({**view, "you": other}, words, y, width)

    layout._hand = hand


def _leak_to_pages(templates: Any) -> None:
    filled = templates.page
    templates.page = lambda language, values: filled(language, values) + f"<!-- {values['view']} -->"


def _leak_in_refusals(refusals: Any) -> None:
    def why_not(state: Any, wanted: Any) -> tuple[str, str]:
        kinds = sys.modules["engine.cards"].KINDS
        return "not-legal-now", str([kinds[card] for player in state.players for card in player.hand])

    refusals.why_not = why_not


CHANGES = {
    "engine.vocabulary": _name_canaries,
    "engine.rulebooks.decks": _print_deck,
    "engine.traits": _make_traits,
}
LEAKS = {
    "engine.view": _leak_hands,
    "engine.events": _leak_secrets,
    "server.services.notifying": _leak_to_logs,
    "server.services.payloads": _leak_to_webhooks,
    "server.services.drawing.layout": _leak_to_drawings,
    "server.services.letters.templates": _leak_to_pages,
    "engine.refusals": _leak_in_refusals,
}


class Changed(SourceFileLoader):
    """A module as it is written, and then the change."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        CHANGES[module.__name__](module)


class Finder(MetaPathFinder):
    def find_spec(self, fullname: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target) if fullname in CHANGES else None
        if spec is not None and spec.origin is not None:
            spec.loader = Changed(fullname, spec.origin)
        return spec


if os.environ.get("GALAPOST_CANARY_LEAKS"):
    CHANGES |= LEAKS
sys.meta_path.insert(0, Finder())
