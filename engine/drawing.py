"""The table and the moves in plain text for people, for terminals and mails: at most 78 columns."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, Final

from engine.cards import END_TRAIT, ENDS, KINDS
from engine.notation import print_move
from engine.vocabulary import NOBODY, TRAITS, animal_name

if TYPE_CHECKING:
    from engine.moves import Move

WIDTH: Final = 78
_RULE: Final = "-" * WIDTH
_MARGIN: Final = " " * 7  # below the name of an animal

# The first word of a move -> what it does; the names in braces are those of _words_of().
SENTENCES: Final[dict[str, str]] = {
    "animal": "Play {card} face down as a new animal.",
    "pass": "Pass.",
    "end": "End the go.",
    "feed": "Feed {animal} from the bank.",
    "attack": "Attack {target} with {animal}.",
    "convert": "Turn {count} fat of {animal} into food.",
    "steal": "Steal a food token from {target} with {animal}.",
    "graze": "Destroy a food token of the bank with {animal}.",
    "hibernate": "Let {animal} hibernate.",
    "run": "Let {animal} run; it escapes on 4, 5 or 6.",
    "mimic": "Send the attacker from {animal} to {target}.",
    "drop": "Let {animal} lose {lost} and live.",
    "yield": "Let {animal} defend itself no more.",
    "scavenge": "Let {animal} scavenge.",
    "share": "Pass a token from {animal} to {target} by {trait}.",
}


def sentence(move: Move) -> str:
    """A legal move as an English sentence; one that has none here is told in notation."""
    if move.word == "play":
        return _sentence_of_play(move)
    words = SENTENCES.get(move.word)
    return words.format(**_words_of(move)) if words else f"{print_move(move).capitalize()}."


def _sentence_of_play(move: Any) -> str:
    card, animal = ENDS[move.end], animal_name(move.animal)
    if move.partner == NOBODY:
        return f"Put {card} on {animal}."
    partner = animal_name(move.partner)
    if TRAITS[END_TRAIT[move.end]] == "symbiosis":
        return f"Make {animal} the symbiont that protects {partner}."
    return f"Join {animal} and {partner} with {card}."


def _words_of(move: Any) -> dict[str, str]:
    words = {field: animal_name(getattr(move, field)) for field in ("animal", "target") if hasattr(move, field)}
    if "kind" in move.operands:
        words["card"] = KINDS[move.kind]
    if "count" in move.operands:
        words["count"] = str(move.count)
    if "trait" in move.operands:
        words["trait"] = TRAITS[move.trait]
    if "lost" in move.operands:
        words["lost"] = _lost(move)
    return words


def _lost(move: Any) -> str:
    if move.pair is None:
        return f"a full {TRAITS[move.trait]}" if move.full else TRAITS[move.trait]
    partner = next(animal for animal in move.pair if animal != move.animal)
    return f"{TRAITS[move.trait]} with {animal_name(partner)}"


def draw_table(view: dict[str, Any]) -> str:
    """A view as text. Food is drawn as filled and empty circles, fat as filled and empty squares."""
    lines = [_headline(view), _RULE]
    for seat in view["seats"]:
        lines += _seat(view, seat)
    lines.append(_RULE)
    lines += _wrapped(_asked(view))
    return "\n".join(lines)


def _headline(view: dict[str, Any]) -> str:
    phase = "game over" if view["phase"] == "over" else view["phase"]
    last = " (the last)" if view["last_turn"] else ""
    numbers = [f"{word} {view[word]}" for word in ("bank", "deck", "first")]
    return " | ".join([f"Turn {view['turn']}{last}, {phase}", *numbers])


def _seat(view: dict[str, Any], seat: dict[str, Any]) -> list[str]:
    said = [f"{seat['seat']}{' (you)' if seat['hand'] is not None else ''}", f"hand {seat['hand_size']}"]
    said.append(f"pile {seat['pile_size']}")
    if seat["passed"]:
        said.append("passed")
    if seat["score"] is not None:
        said.append(f"score {seat['score']}")
    lines = [" | ".join(said)]
    for animal in seat["animals"]:
        lines += _animal(animal)
    lines += _pairs(view, seat["seat"])
    if seat["hand"]:
        lines += _wrapped(f"in hand: {', '.join(seat['hand'])}", "   ")
    return lines


def _animal(animal: dict[str, Any]) -> list[str]:
    parts = [f"food {_tokens('●', '○', animal['food'], animal['need'])}"]
    if animal["fat_slots"]:
        parts.append(f"fat {_tokens('■', '□', animal['fat'], animal['fat_slots'])}")
    parts += ["fed" if animal["fed"] else "hungry", *animal["marks"]]
    parts += [f"forfeits {trait}" for trait in animal["forfeited"]]
    traits = ", ".join(card["trait"] for card in animal["traits"])
    return _wrapped(f"{animal['id']:<4}{', '.join(parts)}", "   ") + _wrapped(traits, _MARGIN)


def _tokens(full: str, empty: str, count: int, places: int) -> str:
    return full * count + empty * (places - count)


def _pairs(view: dict[str, Any], seat: str) -> list[str]:
    pairs = [pair for pair in view["pairs"] if pair["animal"].startswith(seat)]
    return [line for pair in pairs for line in _wrapped(_pair(pair), "   ")]


def _pair(pair: dict[str, Any]) -> str:
    link = "-->" if pair["trait"] == "symbiosis" else "<->"
    return f"{pair['animal']} {link} {pair['partner']} {pair['trait']}{' (spent)' if pair['spent'] else ''}"


def _asked(view: dict[str, Any]) -> str:
    if view["winners"]:
        return f"The game is over. {' and '.join(view['winners'])} won."
    question = view["question"]
    if question is None:
        return "Nobody is asked."
    seat = question["seat"]
    return {
        "develop": f"{seat} plays a card or passes.",
        "feed": f"{seat} acts.",
        "defend": f"{question.get('carnivore')} attacks {question.get('prey')}: {seat} defends.",
        "scavenge": f"{seat} chooses which scavenger eats.",
        "share": f"{seat} chooses which paired card fires next.",
    }.get(question["kind"], f"{seat} is asked: {question['kind']}.")


def _wrapped(text: str, margin: str = "") -> list[str]:
    """The text in lines; what does not fit goes on a little further in."""
    return textwrap.wrap(text, WIDTH, initial_indent=margin, subsequent_indent=margin + "  ", break_on_hyphens=False)
