"""How wide a text is in Roboto, the one font of our drawings; it comes with a package, never from the system."""

from __future__ import annotations

import functools
from pathlib import Path

import font_roboto
from fontTools.ttLib import TTFont

REGULAR, BOLD = font_roboto.Roboto, font_roboto.RobotoBold
FILES = [REGULAR, BOLD]
ELLIPSIS = "…"


@functools.cache
def _widths(file: str) -> tuple[dict[int, float], float]:
    """Of each character, in em; and of the box that stands for one that the font has not."""
    with TTFont(Path(file)) as font:
        advances, unit = font["hmtx"].metrics, font["head"].unitsPerEm
        known = {code: advances[glyph][0] / unit for code, glyph in font.getBestCmap().items()}
    return known, 1.0


def width(text: str, size: float, bold: bool = False) -> float:
    """In pixels, at a font size in pixels."""
    known, unknown = _widths(BOLD if bold else REGULAR)
    return sum(known.get(ord(character), unknown) for character in text) * size


def fitted(text: str, room: float, size: float, bold: bool = False) -> str:
    """The text, or as much of it as there is room for, with an ellipsis."""
    if width(text, size, bold) <= room:
        return text
    while text and width(text + ELLIPSIS, size, bold) > room:
        text = text[:-1]
    return text.rstrip() + ELLIPSIS


def wrapped(words: list[str], room: float, size: float) -> list[str]:
    """Words set in lines; one that is too wide by itself is cut."""
    lines = [""]
    for word in words:
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width(longer, size) > room:
            lines.append(fitted(word, room, size))
        else:
            lines[-1] = fitted(longer, room, size)
    return lines
