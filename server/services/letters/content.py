"""What a letter is about, before it is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Content:
    """`values` fill the template; where they have a `view`, a picture is drawn of it, with `names` of the players by seat.
    `printed`: the moves as the letter numbers them, for that `decision`. `about`: the invitation that an answer is about; `confirms`: what
    an answer confirms."""

    language: str
    values: dict[str, Any]
    names: dict[str, str] | None = None
    printed: list[str] | None = None
    decision: int | None = None
    about: str | None = None
    confirms: str | None = None
