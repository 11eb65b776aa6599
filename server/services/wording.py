"""Sentences about events and moves in the reader's language. The engine speaks English; what another language says
instead is data, `server/templates/mail/<language>/words.toml`, and where it says nothing English is used."""

import functools
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent.parent / "templates" / "mail"


class Words:
    def __init__(self, language: str) -> None:
        self._words = _read(language)

    def event(self, seen: Mapping[str, Any]) -> str:
        """A projected event; `seen` has its English sentence as `text`."""
        known = [f"{seen['type']}.{name}" for name in ("cards", "card") if seen.get(name)]  # what only its player sees
        gains = [name for name in ("food", "fat") if seen.get(name)]
        known += [f"{seen['type']}.{name}" for name in gains if len(gains) == 1]
        return self._say("events", [*known, seen["type"]], seen) or seen["text"]

    def move(self, move: Mapping[str, Any], english: str) -> str:
        """A legal move, as its JSON object."""
        variants = [name for name in ("partner", "pair") if move.get(name)]
        keys = [
            f"{move['type']}.{variant}" for variant in (move.get("trait"), *variants)
        ]  # symbiosis, for one, has a sentence of its own
        return self._say("moves", [*keys, move["type"]], move) or english

    def card(self, card: str) -> str:
        """The names on a card, as printed on it: "Хищник / Большой" for `carnivorous/large`."""
        names = self._words.get("traits", {})
        return " / ".join(names.get(trait, trait) for trait in card.split("/"))

    def _say(self, about: str, keys: list[str], values: Mapping[str, Any]) -> str | None:
        sentences: dict[str, str] = self._words.get(about, {})
        sentence = next((sentences[key] for key in keys if key in sentences), None)
        return sentence.format_map({name: self._value(value) for name, value in values.items()}) if sentence else None

    def _value(self, value: Any) -> str:
        said: dict[str, str] = self._words.get("values", {})
        return ", ".join(map(self._value, value)) if isinstance(value, list) else said.get(str(value), str(value))


@functools.cache
def _read(language: str) -> dict[str, Any]:
    path = _FOLDER / language / "words.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
