"""Sentences about events and moves, and the drawing of the table, in the reader's language. The engine speaks English; what
another language says instead is data, `server/translations/<language>/words.toml`, and where it says nothing English is used."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from typing import Any

import engine
from engine.saying import Counting
from server import language

CARDS = ("card", "cards", "trait")  # values that are names on cards


class Words:
    def __init__(self, of: str) -> None:
        self._words = _read(of)
        self._form = language.forms(of)

    def event(self, seen: Mapping[str, Any]) -> str:
        """A projected event; `seen` has its English sentence as `text`."""
        known = [f"{seen['type']}.{name}" for name in ("cards", "card") if seen.get(name)]  # what only its player sees
        gains = [name for name in ("food", "fat") if seen.get(name)]
        known += [f"{seen['type']}.{name}" for name in gains if len(gains) == 1]
        return self._say("events", [*known, seen["type"]], seen) or seen["text"]

    def move(self, move: Mapping[str, Any], english: str) -> str:
        """A legal move, as its JSON object."""
        variants = [name for name in ("partner", "pair", "full") if move.get(name)]
        keys = [
            f"{move['type']}.{variant}" for variant in (move.get("trait"), *variants)
        ]  # symbiosis, for one, has a sentence of its own
        return self._say("moves", [*keys, move["type"]], move) or english

    def table(self, view: dict[str, Any]) -> str:
        """The table drawn in plain text."""
        return engine.draw_table(
            view, {**engine.TABLE_WORDS, **self._words.get("traits", {}), **self._words.get("table", {})}
        )

    def card(self, card: str) -> str:
        """The names on a card, as printed on it: "Хищник / Большой" for `carnivorous/large`."""
        names = self._words.get("traits", {})
        return " / ".join(names.get(trait, trait) for trait in card.split("/"))

    def _say(self, about: str, keys: list[str], values: Mapping[str, Any]) -> str | None:
        sentences: dict[str, str] = self._words.get(about, {})
        sentence = next((sentences[key] for key in keys if key in sentences), None)
        return (
            sentence.format_map({name: self._value(name, value) for name, value in values.items()})
            if sentence
            else None
        )

    def _value(self, name: str, value: Any) -> Any:
        if isinstance(value, list):
            return ", ".join(str(self._value(name, item)) for item in value)
        if name in CARDS and value:
            return self.card(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return Counting(value, self._form)
        return self._words.get("values", {}).get(value, value) if isinstance(value, str) else value


@functools.cache
def _read(of: str) -> dict[str, Any]:
    path = language.FOLDER / of / "words.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
