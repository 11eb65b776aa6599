"""The texts of a drawing in its language; what they say is in `server/templates/drawing/words.toml`."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from server.services import wording

FILE = Path(__file__).parent.parent.parent / "templates" / "drawing" / "words.toml"
Told = tuple[str | None, str, bool]  # icon, text, whether it is faded


@functools.cache
def _all() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text("utf-8"))


class Words:
    def __init__(self, language: str) -> None:
        self._words: dict[str, str] = _all()[language]
        self._printed = wording.Words(language)
        self.hand = self._words["hand"]

    def turn(self, view: dict[str, Any]) -> str:
        said = self._words["turn"].format(turn=view["turn"], phase=self._words[view["phase"]])
        return f"{said} · {self._words['last_turn']}" if view["last_turn"] else said

    def stock(self, view: dict[str, Any]) -> str:
        return self._words["stock"].format(bank=view["bank"], deck=view["deck"])

    def awaited(self, view: dict[str, Any], names: dict[str, str]) -> str:
        """Whose go it is, and who is asked what; after the end, who has won."""
        if view["question"] is None:
            return self._words["won"].format(names=", ".join(f"{names[seat]} ({seat})" for seat in view["winners"]))
        asked = view["question"]
        said = self._words[asked["kind"]].format(**asked, name=names[asked["seat"]])
        if asked["seat"] == view["go"]:
            return said
        return f"{self._words['go'].format(seat=view['go'], name=names[view['go']])} {said}"

    def facts(self, seat: dict[str, Any]) -> str:
        facts = [
            self._words["cards"].format(count=seat["hand_size"]),
            self._words["pile"].format(count=seat["pile_size"]),
        ]
        if seat["score"] is not None:
            facts = [self._words["score"].format(count=seat["score"])]
        return " · ".join([*facts, *([self._words["passed"]] if seat["passed"] else [])])

    def trait(self, trait: str) -> str:
        printed = self._printed.card(trait)
        return printed.replace("-", " ") if printed == trait else printed

    def cards(self, hand: list[str]) -> list[str]:
        names = [" / ".join(self.trait(end) for end in card.split("/")) for card in hand]
        return [
            name.replace(" ", "\u00a0") + ("," if number < len(names) else "") for number, name in enumerate(names, 1)
        ]

    def traits(self, animal: dict[str, Any]) -> Iterator[Told]:
        for card in animal["traits"]:
            yield card["trait"], self.trait(card["trait"]), card["trait"] in animal["forfeited"]

    def pairs(self, animal: str, pairs: list[dict[str, Any]]) -> Iterator[Told]:
        for pair in pairs:
            if animal in (pair["animal"], pair["partner"]):
                yield pair["trait"], self._pair(animal, pair), pair["spent"]

    def _pair(self, animal: str, pair: dict[str, Any]) -> str:
        other = pair["partner"] if animal == pair["animal"] else pair["animal"]
        if pair["trait"] == "symbiosis":  # has a direction: the first protects the second
            return self._words["protects" if animal == pair["animal"] else "protected"].format(other=other)
        return f"{other}: {self.trait(pair['trait'])}"

    def marks(self, animal: dict[str, Any]) -> Iterator[Told]:
        for mark in animal["marks"]:
            yield None, self._words[mark], False
