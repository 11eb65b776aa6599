"""The names of the notation, both ways: seats, animals, traits, cards, pairs."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from engine.cards import END_CODES, End
from engine.errors import BadNotation
from engine.saying import Said, said
from engine.traits import TRAIT_CLASSES
from engine.vocabulary import (
    HIGHEST_NUMBER,
    SEAT_LETTERS,
    TRAIT_CODES,
    TRAITS,
    AnimalId,
    Seat,
    TraitCode,
    animal_id,
    animal_name,
)

RUSSIAN_NAMES: Final[dict[str, str]] = {
    "burrowing": "Норное",
    "camouflage": "Камуфляж",
    "carnivorous": "Хищник",
    "communication": "Взаимодействие",
    "cooperation": "Сотрудничество",
    "fat-tissue": "Жировой запас",
    "grazing": "Топотун",
    "hibernation": "Спячка",
    "large": "Большой",
    "mimicry": "Мимикрия",
    "parasite": "Паразит",
    "piracy": "Пиратство",
    "poisonous": "Ядовитое",
    "running": "Быстрое",
    "scavenger": "Падальщик",
    "sharp-vision": "Острое зрение",
    "swimming": "Водоплавающее",
    "symbiosis": "Симбиоз",
    "tail-loss": "Отбрасывание хвоста",
}

LONGEST_QUOTE: Final = 60  # characters of what came, in a message
UNKNOWN_CARD: Final = "?"  # a card that the reader of a move may not know
_DASHES: Final = str.maketrans({"ё": "е", "‐": "-", "‑": "-", "–": "-"})
_LOOK_ALIKES: Final = str.maketrans("авсен", "abceh")
_LETTER: Final = "[a-hавсен]"
ANIMAL_PATTERN: Final = f"{_LETTER}[0-9]{{1,4}}"
PAIR_PATTERN: Final = f"{ANIMAL_PATTERN}[+>]{ANIMAL_PATTERN}"
_DIRECTED: Final = frozenset(TRAIT_CODES[trait.name] for trait in TRAIT_CLASSES if trait.directed)
_PAIRED: Final = frozenset(TRAIT_CODES[trait.name] for trait in TRAIT_CLASSES if trait.paired)
STORING_FAT: Final = frozenset(TRAIT_CODES[trait.name] for trait in TRAIT_CLASSES if trait.stores_fat)

Pair = tuple[AnimalId, AnimalId]


_KINDS: Final[dict[type, Said]] = {dict: said("an object"), list: said("a list"), int: said("a number")}


def tidied(text: str) -> str:
    """Lower case, ё as е, one space between words and none round the signs that join."""
    composed = unicodedata.normalize("NFC", text.lower())  # some systems write й as и and a sign
    words = " ".join(composed.translate(_DASHES).split())
    return re.sub(r" ?([/+>]) ?", r"\1", words).replace(" *", "*")


def quoted(came: object) -> Said:
    """What came, for a message: short, and without what a terminal or a log could choke on."""
    if isinstance(came, str):
        return said("{text!r}{more}", text=came[:LONGEST_QUOTE], more="…" if len(came) > LONGEST_QUOTE else "")
    if came is None or isinstance(came, bool | float):
        return said("{word}", word="null" if came is None else repr(came).lower())
    return _KINDS.get(type(came)) or said("{word}", word=type(came).__name__)


def _aliases() -> dict[str, TraitCode]:
    names = {tidied(russian): TRAIT_CODES[slug] for slug, russian in RUSSIAN_NAMES.items()}
    spaced = {slug.replace("-", " "): code for slug, code in TRAIT_CODES.items()}
    return names | spaced | TRAIT_CODES


_TRAIT_NAMES: Final = _aliases()


def read_trait(text: str) -> TraitCode:
    """A trait by its English or Russian name; the text is tidied."""
    code = _TRAIT_NAMES.get(text)
    if code is None:
        raise BadNotation(said("expected a trait such as 'camouflage', came {came}", came=quoted(text)))
    return code


def read_end(text: str) -> End:
    """A card, the end in use first: ``carnivorous/large``, ``running``; the text is tidied."""
    name = "/".join(TRAITS[read_trait(part)] for part in text.split("/"))
    end = END_CODES.get(name)
    if end is None:
        raise BadNotation(said("there is no card {name}", name=quoted(name)))
    return end


def read_seat(text: str) -> Seat:
    letter = text.lower().translate(_LOOK_ALIKES).upper()
    if len(letter) != 1 or letter not in SEAT_LETTERS:
        raise BadNotation(said("expected a seat, A to H, came {came}", came=quoted(text)))
    return SEAT_LETTERS.index(letter)


def read_animal(text: str) -> AnimalId:
    """An animal: its seat and its number, as ``A1``."""
    if not re.fullmatch(ANIMAL_PATTERN, text.lower()):
        raise BadNotation(said("expected an animal such as 'A1', came {came}", came=quoted(text)))
    number = int(text[1:])
    if text[1] == "0" or number > HIGHEST_NUMBER:
        raise BadNotation(
            said("animals are numbered from 1 to {highest}, came {came}", highest=HIGHEST_NUMBER, came=quoted(text))
        )
    return animal_id(read_seat(text[0]), number)


def print_pair(trait: TraitCode, first: AnimalId, second: AnimalId) -> str:
    """Two animals that a paired card joins: ``A1+A2``, or ``A1>A2`` where the two sides differ."""
    return f"{animal_name(first)}{'>' if trait in _DIRECTED else '+'}{animal_name(second)}"


def read_pair(trait: TraitCode, text: str) -> Pair:
    """Two animals that a card of that trait joins; the lower first, unless they differ."""
    if trait not in _PAIRED:
        raise BadNotation(
            said(
                "{trait} is not a paired trait: expected one animal, came {came}",
                trait=TRAITS[trait],
                came=quoted(text),
            )
        )
    sign = ">" if trait in _DIRECTED else "+"
    first, found, second = text.partition(sign)
    if not found:
        raise BadNotation(
            said(
                "expected two animals as 'A1{sign}A2' for {trait}, came {came}",
                sign=sign,
                trait=TRAITS[trait],
                came=quoted(text),
            )
        )
    one, other = read_animal(first), read_animal(second)
    return (other, one) if sign == "+" and other < one else (one, other)
