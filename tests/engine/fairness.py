"""The test vectors of docs/fairness.md, as the engine computes them. `python -m tests.engine.fairness` writes them anew.

They are published: whatever changes in them breaks every verification that a stranger has written."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Final

from engine.chance import _block, below, die, stream_key
from engine.flow import deal
from engine.records import entropy_by_seat
from engine.records.making import deal_of
from engine.rulebooks.book import rulebook
from engine.state import State

DOCS: Final = Path(__file__).parents[2] / "docs"
FILE: Final = DOCS / "fairness-vectors.json"

TEXTS: Final = ("test", "Эволюция 1865 🦎", "0123456789abcdef" * 4)
SEEDS: Final = (bytes(32), bytes(range(32)), hashlib.sha256(b"galapost").digest())
NUMBERS: Final = (0, 1, 2, 255, 256, 2**32, 2**64 - 1)
DRAWS: Final = ((1, 4), (2, 12), (6, 20), (84, 8), (168, 8), (2**63 + 1, 8))  # below what, how many
GAMES: Final[tuple[tuple[int, dict[str, str]], ...]] = (
    (2, {}),
    (3, {"deck": "classic"}),
    (4, {"deck": "third-edition", "sets": "one"}),
    (8, {"deck": "classic", "sets": "two"}),
)
DICE: Final = 30


def addition(seat: str, text: str, revealed: bool = True) -> dict[str, Any]:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return {"seat": seat, "commitment": digest, "revealed": text if revealed else None}


ENTROPY: Final = (
    [],
    [addition("A", TEXTS[0])],
    [addition("A", TEXTS[0]), addition("B", TEXTS[1])],
    [addition("A", TEXTS[1], revealed=False), addition("B", TEXTS[2])],
)


def vectors() -> dict[str, Any]:
    keys = [_key(seed, entropy) for seed in SEEDS for entropy in ENTROPY]
    key = bytes.fromhex(keys[-1]["key"])
    return {
        "about": "docs/fairness.md says what these are. Bytes are in hex, numbers that may be large are texts.",
        "hashes": [{"text": text, "sha256": hashlib.sha256(text.encode()).hexdigest()} for text in ("", *TEXTS)],
        "keys": keys,
        "blocks": [{"key": key.hex(), "number": str(number), "block": _block_of(key, number)} for number in NUMBERS],
        "draws": [_draws(key, n, count) for n, count in DRAWS],
        "games": [
            _game(seed, entropy, seats, options)
            for seed, entropy, (seats, options) in zip((*SEEDS, SEEDS[0]), ENTROPY, GAMES, strict=True)
        ],
    }


def _key(seed: bytes, entropy: list[dict[str, Any]]) -> dict[str, Any]:
    key = stream_key(seed, entropy_by_seat(entropy))
    commitment = hashlib.sha256(seed).hexdigest()
    return {"seed": seed.hex(), "commitment": commitment, "entropy": entropy, "key": key.hex()}


def _block_of(key: bytes, number: int) -> str:
    return b"".join(word.to_bytes(8, "big") for word in _block(key, number)).hex()


def _draws(key: bytes, n: int, count: int) -> dict[str, Any]:
    state = State(rulebook(), 2, key)
    drawn = [str(below(state, n)) for _ in range(count)]
    return {"key": key.hex(), "below": str(n), "draws": drawn, "words": state.counter}


def _game(seed: bytes, entropy: list[dict[str, Any]], seats: int, options: dict[str, str]) -> dict[str, Any]:
    key = stream_key(seed, entropy_by_seat(entropy))
    state = deal(key, seats, options)
    dealt = {"seed": seed.hex(), "entropy": entropy, "seats": seats, "options": options}
    return {
        **dealt,
        "deal": deal_of(key, seats, options),
        "dice": [die(state) for _ in range(DICE)],
        "words": state.counter,
    }


def main() -> None:
    FILE.write_text(json.dumps(vectors(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
