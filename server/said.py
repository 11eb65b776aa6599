"""Text for people that can be said in another language: English with places for values, which is its key in the catalogues."""

from __future__ import annotations

from typing import Any


class Said(str):
    """Reads as its English; keeps what a translation needs."""

    template: str
    values: dict[str, Any]


def said(template: str, **values: Any) -> Said:
    """`said("you have seat {letter}", letter="B")`; the template is a literal, so that a test finds all that there are."""
    text = Said(template.format(**values))
    text.template, text.values = template, values
    return text
