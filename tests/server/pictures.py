"""`python -m tests.server.pictures FOLDER`: draws tables for eyes to look at, of 2, 4 and 8 seats with 1 and 15 animals each, for a
phone and for a wide window, in English and Russian."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

from server.services import drawing
from tests.server.test_drawing import NAMES, crowded


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for seats, animals, width, language in itertools.product((2, 4, 8), (1, 15), (360, 1200), ("en", "ru")):
        file = folder / f"{seats}-seats-{animals}-animals-{width}-{language}.png"
        file.write_bytes(drawing.png(drawing.svg(crowded(seats, animals), NAMES, language, width)))
        print(file)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
