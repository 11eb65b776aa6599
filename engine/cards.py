"""The kinds of card, and their ends, as numbers in alphabetical order.

A *kind* is a card as it lies in a hand: cards of one kind cannot be told apart. An *end* is a card in play, with
the trait that is in force named first: ``carnivorous/large`` and ``large/carnivorous`` are two ends of one kind.
"""

from typing import Final

from engine.rulebooks.decks import DECKS
from engine.vocabulary import TRAIT_CODES, TraitCode

Kind = int  # index into KINDS
End = int  # index into ENDS


def _turned(card: str) -> str:
    """The same card with its other end up."""
    return "/".join(reversed(card.split("/")))


KINDS: Final[tuple[str, ...]] = tuple(sorted({card for deck in DECKS.values() for card in deck}))
ENDS: Final[tuple[str, ...]] = tuple(sorted({end for card in KINDS for end in (card, _turned(card))}))

END_TRAIT: Final[tuple[TraitCode, ...]] = tuple(TRAIT_CODES[end.split("/")[0]] for end in ENDS)
END_KIND: Final[tuple[Kind, ...]] = tuple(KINDS.index(end if end in KINDS else _turned(end)) for end in ENDS)
KIND_ENDS: Final[tuple[tuple[End, ...], ...]] = tuple(
    tuple(end for end, of in enumerate(END_KIND) if of == kind) for kind in range(len(KINDS))
)

KIND_CODES: Final[dict[str, Kind]] = {name: END_KIND[end] for end, name in enumerate(ENDS)}  # by either end
END_CODES: Final[dict[str, End]] = {name: end for end, name in enumerate(ENDS)}
