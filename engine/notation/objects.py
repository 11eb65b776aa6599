"""A move as a flat JSON object, both ways."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine.cards import END_KIND, END_TRAIT, KIND_ENDS
from engine.errors import BadNotation
from engine.moves import Move
from engine.notation.lines import LONGEST_TEXT, operands_by_word, parse_move, print_move
from engine.notation.names import UNKNOWN_CARD, print_pair, quoted, read_animal, read_pair, read_trait, tidied
from engine.notation.operands import OPERANDS, Wanted, read_card, trait_in_use, unturned
from engine.saying import Said, said
from engine.vocabulary import TRAITS, TraitCode


def move_json(move: Move, viewer_knows: bool = True) -> dict[str, Any]:
    """The flat object of NOTATION.md, with the notation; the card is null to a viewer who may not know it."""
    data: dict[str, Any] = {"type": move.word}
    for name in move.operands:
        data |= OPERANDS[name].json(move)
    if not viewer_knows and "kind" in move.operands:
        data["card"] = None
    return {**data, "notation": print_move(move, viewer_knows)}


_KINDS: Final[dict[type, Said]] = {
    str: said("a text"),
    int: said("a whole number"),
    bool: said("true or false"),
}


def project_move(stored: Mapping[str, Any], own: bool) -> dict[str, Any]:
    """What whoever made a move (``own``), or anybody else, may know of it; ``stored`` is its object as its player knows it."""
    word = stored["type"]
    if not own and "kind" in operands_by_word()[word]:
        return {"type": word, "card": None, "notation": f"{word} {UNKNOWN_CARD}"}
    keys = [key for name in operands_by_word()[word] for key in OPERANDS[name].keys]
    return {"type": word, **{key: stored[key] for key in keys if key in stored}, "notation": stored["notation"]}


_OPTIONAL_KEYS: Final = frozenset({"card", "trait", "partner", "pair", "full"})


def parse_move_json(data: Mapping[str, Any]) -> list[Wanted]:
    """What a JSON object asks for. Its ``notation`` is enough; beside other keys it is a second description."""
    spoken = [parse_move(_text(data, "notation"))] if "notation" in data else []
    if spoken and len(data) == 1:
        return spoken
    words = operands_by_word()
    word = tidied(_text(data, "type"))
    if word not in words:
        raise BadNotation(said("expected a 'type' among {words}, came {came}", words=list(words), came=quoted(word)))
    _check_keys(data, word, [key for name in words[word] for key in OPERANDS[name].keys])
    return [*spoken, Wanted(word, **_fields(data, word))]


def _check_keys(data: Mapping[str, Any], word: str, keys: list[str]) -> None:
    unknown = [str(key) for key in data if key not in (*keys, "type", "notation")]
    if unknown:
        raise BadNotation(_unknown_key(word, quoted(unknown[0]), keys))
    missing = [key for key in keys if key not in data and key not in _OPTIONAL_KEYS]
    naming = [key for key in keys if key in ("card", "trait")]
    if naming and not any(key in data for key in naming):
        missing.append(naming[0])
    if missing:
        raise BadNotation(said("{word!r} needs the key {key!r}", word=word, key=missing[0]))


def _unknown_key(word: str, key: Said, keys: list[str]) -> Said:
    if not keys:
        return said("{word!r} has no key {key}: it has none", word=word, key=key)
    return said("{word!r} has no key {key}; its keys are {keys}", word=word, key=key, keys=keys)


def _fields(data: Mapping[str, Any], word: str) -> dict[str, Any]:
    fields: dict[str, Any] = {
        key: read_animal(_text(data, key)) for key in ("animal", "target", "partner") if key in data
    }
    if "trait" in data:
        fields["trait"] = read_trait(_text(data, "trait"))
    if "card" in data:
        fields |= _turned_to(fields.pop("trait", None), read_card(_text(data, "card")))
        if word == "animal":
            fields = unturned(fields)
    if "partner" in data:
        pair = print_pair(trait_in_use(fields), fields["animal"], fields["partner"])
        fields["animal"], fields["partner"] = read_pair(trait_in_use(fields), pair)
    if "pair" in data:
        fields["pair"] = read_pair(fields["trait"], _text(data, "pair"))
    return fields | {key: _of_type(data, key, type) for key, type in (("count", int), ("full", bool)) if key in data}


def _turned_to(trait: TraitCode | None, card: dict[str, Any]) -> dict[str, Any]:
    """The card with the end in use that ``trait`` says, whichever was named first."""
    if trait is None or card.get("trait") == trait:
        return card
    for end in KIND_ENDS[END_KIND[card["end"]]] if "end" in card else ():
        if END_TRAIT[end] == trait:
            return {"end": end}
    raise BadNotation(said("the card has no trait {trait!r}", trait=TRAITS[trait]))


def _text(data: Mapping[str, Any], key: str) -> str:
    text: str = _of_type(data, key, str)
    return tidied(text[: LONGEST_TEXT + 1])


def _of_type(data: Mapping[str, Any], key: str, wanted: type) -> Any:
    value = data.get(key)
    if type(value) is not wanted:
        raise BadNotation(
            said("expected {wanted} for {key!r}, came {came}", wanted=_KINDS[wanted], key=key, came=quoted(value))
        )
    return value
