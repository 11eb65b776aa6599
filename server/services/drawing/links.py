"""Paired cards as lines between two animals, led through the gaps between the boxes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

LANE = 3  # pixels between two lines in one gap


class Placed(Protocol):
    id: str
    x: float
    y: float
    width: float
    height: float
    column: int
    row: int


@dataclass
class Link:
    trait: str
    path: str
    spent: bool


def between(boxes: Sequence[Placed], pairs: list[dict[str, Any]], gap: float) -> list[Link]:
    """The links of the animals of one seat."""
    placed = {box.id: box for box in boxes}
    used: Counter[object] = Counter()
    links = []
    for pair in pairs:
        if pair["animal"] in placed and pair["partner"] in placed:
            ends = sorted((placed[pair["animal"]], placed[pair["partner"]]), key=lambda box: (box.row, box.column))
            links.append(_link(pair, ends[0], ends[1], gap, used))
    return links


def _link(pair: dict[str, Any], first: Placed, second: Placed, gap: float, used: Counter[object]) -> Link:
    """Neighbours in a row by the gap between them; others by the gap below the upper one, and down beside the lower."""
    if first.row == second.row and second.column == first.column + 1:
        lane = used[first.id]
        used[first.id] += 1
        y = first.y + 13 + lane * 2 * LANE
        return Link(pair["trait"], f"M{first.x + first.width:g} {y:g}H{second.x:g}", pair["spent"])
    lane = used[first.row]
    used[first.row] += 1
    shift = (lane % 3 - 1) * LANE
    low = first.y + first.height + gap / 2 + shift
    start, end = first.x + first.width / 2 + shift * 3, second.x + second.width / 2 + shift * 3
    if first.row == second.row:
        down = f"M{start:g} {first.y + first.height:g}V{low:g}H{end:g}V{second.y + second.height:g}"
        return Link(pair["trait"], down, pair["spent"])
    beside, high = second.x - gap / 2 + shift, second.y - gap / 2 + shift
    path = f"M{start:g} {first.y + first.height:g}V{low:g}H{beside:g}V{high:g}H{end:g}V{second.y:g}"
    return Link(pair["trait"], path, pair["spent"])
