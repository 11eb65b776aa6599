"""When two names are the same to the eye: nobody shall sit down under what looks like another player's name."""

from __future__ import annotations

import unicodedata

SEPARATORS = " ._'-"

# Small letters, as casefold leaves them; some are alike only as capitals (В and B), which is how a name may be written.
CYRILLIC = str.maketrans("авекмнорстухіїјѕһԁԛԝӏьё", "abekmhopctyxiïjshdqwlbë")
GREEK = str.maketrans("αβεικμνορτυχ", "abeikmvoptux")
WITHOUT_SEPARATORS = str.maketrans("", "", SEPARATORS)


def name_key(name: str) -> str:
    """The same for all names that can be taken for each other."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return folded.translate(CYRILLIC).translate(GREEK).translate(WITHOUT_SEPARATORS)
