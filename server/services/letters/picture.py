"""The table as a picture that a mail has room for."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from PIL import Image

from server.services import drawing

WIDTH = 640  # pixels; what most readers show without scaling it down
# Zoom and number of colours, the best first. Our drawings have few colours; with so few a picture is a quarter as large.
STEPS = ((1.0, 32), (0.75, 16), (0.6, 16))
LARGEST_SVG = (
    120_000  # characters; of a table with more on it no picture fits into a mail, and drawing it takes seconds
)


def pictures(view: dict[str, Any], names: dict[str, str], language: str) -> Iterator[bytes]:
    """PNGs of the same table, each smaller than the one before."""
    svg = drawing.svg(view, names, language, WIDTH)
    drawn: dict[float, bytes] = {}
    if len(svg) > LARGEST_SVG:
        return
    for zoom, colours in STEPS:
        drawn.setdefault(zoom, drawing.png(svg, zoom))
        yield _of_few_colours(drawn[zoom], colours)


def _of_few_colours(png: bytes, colours: int) -> bytes:
    image = Image.open(io.BytesIO(png)).convert("RGB")
    made = io.BytesIO()
    image.quantize(colours, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(made, "PNG", optimize=True)
    return made.getvalue()
