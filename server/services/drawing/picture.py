"""From a view to SVG, and from SVG to PNG."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import Any

import resvg_py
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from server.services.drawing import letters
from server.services.drawing.layout import arrange
from server.services.drawing.words import Words

TEMPLATES = Path(__file__).parent.parent.parent / "templates" / "drawing"

# Always escaped: a player may call himself `</text><image href=…>`.
_templates = Environment(
    loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, autoescape=True, trim_blocks=True, lstrip_blocks=True
)


@functools.cache
def _icons() -> dict[str, str]:
    icons: dict[str, str] = tomllib.loads((TEMPLATES / "icons.toml").read_text("utf-8"))
    return icons


def svg(view: dict[str, Any], names: dict[str, str], language: str, width: int) -> str:
    """The table that `view` shows. `names`: of the players, by seat; `width` in pixels, the height follows."""
    readable = {seat: _one_line(name) for seat, name in names.items()}
    picture = arrange(view, readable, Words(language), width)
    return _templates.get_template("table.svg").render(picture=picture, icons=_icons(), language=language)


def _one_line(name: str) -> str:
    """XML has no place for control characters, and the others turn a line around."""
    return "".join(character if character.isprintable() else " " for character in name)


def png(svg: str, zoom: float = 1) -> bytes:
    """With our own fonts alone, so that it looks the same on every machine, and nothing outside is ever loaded."""
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg, skip_system_fonts=True, font_files=letters.FILES, font_family="Roboto",
            sans_serif_family="Roboto", zoom=zoom,
        )
    )  # fmt: skip
