"""All chance of a game: the shuffle, the first player, the dice. Nothing else in the engine is random.

It comes from a stream of words of eight bytes: four from each block ``HMAC-SHA256(key, block number)``, the blocks
numbered from 0, the number as eight bytes; all numbers have their most significant byte first. A draw below ``n`` takes
the next word modulo ``n``; a word in the incomplete last round of ``n`` would favour the low results and is passed over.
So the whole state of chance is a key and the number of words read.
"""

from __future__ import annotations

import hashlib
import struct
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from engine.vocabulary import Seat, seat_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.state import State

_WORDS: Final = 1 << 64
_HASH_BLOCK: Final = 64  # bytes; a longer key would have to be hashed first, and ours has 32
_INNER: Final = bytes(byte ^ 0x36 for byte in range(256))
_OUTER: Final = bytes(byte ^ 0x5C for byte in range(256))
_DOMAIN: Final = b"galapost chance 1"


def stream_key(seed: bytes, entropy: Mapping[Seat, bytes] | None = None) -> bytes:
    """The key of a game's stream: SHA-256 over a name, the seed, and what each seat added, by seat.

    An addition is written as its seat's letter, its length as two bytes, and itself.
    """
    added = (entropy or {}).items()
    additions = [seat_name(seat).encode() + len(text).to_bytes(2, "big") + text for seat, text in sorted(added)]
    return hashlib.sha256(b"".join([_DOMAIN, seed, *additions])).digest()


@lru_cache(maxsize=64)
def _padded(key: bytes) -> tuple[hashlib._Hash, hashlib._Hash]:
    """The two hashes of HMAC that have read the key. Reading it anew for each block would take three times as long."""
    padded = key.ljust(_HASH_BLOCK, b"\0")
    return hashlib.sha256(padded.translate(_INNER)), hashlib.sha256(padded.translate(_OUTER))


@lru_cache(maxsize=256)  # a block is asked for once for each of its words
def _block(key: bytes, number: int) -> tuple[int, ...]:
    read_inner, read_outer = _padded(key)
    inner, outer = read_inner.copy(), read_outer.copy()
    inner.update(number.to_bytes(8, "big"))
    outer.update(inner.digest())
    return struct.unpack(">4Q", outer.digest())


def below(state: State, n: int) -> int:
    """A number from 0 to n - 1, each as likely as the others."""
    return _draws(state, (n,))[0]


def _draws(state: State, bounds: Sequence[int]) -> list[int]:
    """A number below each bound, from the words that come next."""
    key, at = state.key, state.counter
    words = _block(key, at // 4)
    drawn = []
    for n in bounds:
        while True:
            word = words[at % 4]
            at += 1
            if not at % 4:
                words = _block(key, at // 4)
            if word < _WORDS - _WORDS % n:
                break
        drawn.append(word % n)
    state.counter = at
    return drawn


def die(state: State) -> int:
    """The face of a six-sided die. Faces that a scenario has laid down come first."""
    if state.dice:
        face, *rest = state.dice
        state.dice = tuple(rest)
        return face
    return below(state, 6) + 1


def shuffled(state: State, cards: list[int]) -> tuple[int, ...]:
    """The cards in random order (Fisher and Yates, from the last place down)."""
    order = list(cards)
    places = range(len(order) - 1, 0, -1)
    for last, chosen in zip(places, _draws(state, [place + 1 for place in places]), strict=True):
        order[last], order[chosen] = order[chosen], order[last]
    return tuple(order)
