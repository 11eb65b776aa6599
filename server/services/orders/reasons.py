"""Why a queue stopped, as it is stored: what was said, to be said again in the language of whoever asks."""

from __future__ import annotations

from typing import Any

from engine.saying import Said, filled


def stored(reason: Said) -> dict[str, Any]:
    """`again` makes the same of it."""
    return {"template": reason.template, "values": {name: _stored(value) for name, value in reason.values.items()}}


def _stored(value: Any) -> Any:
    if isinstance(value, Said):
        return stored(value)
    return [_stored(item) for item in value] if isinstance(value, list | tuple) else value


def again(kept: dict[str, Any]) -> Said:
    values = {name: _again(value) for name, value in kept["values"].items()}
    text = Said(filled(kept["template"], values))
    text.template, text.values = kept["template"], values
    return text


def _again(value: Any) -> Any:
    if isinstance(value, dict):
        return again(value)
    return [_again(item) for item in value] if isinstance(value, list) else value
