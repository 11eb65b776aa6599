"""The table and the moves in plain text for people, for terminals and mails: at most 78 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from engine.cards import END_TRAIT, ENDS, KINDS
from engine.notation import print_move
from engine.vocabulary import MARKS, NOBODY, TRAITS, animal_name

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


# What a drawing says, the names of traits aside; another language gives its own words for these names and for traits.
TABLE_WORDS: Final[dict[str, str]] = {
    "turn": "Turn {turn}, {phase}",
    "last-turn": "Turn {turn} (the last), {phase}",
    "development": "development",
    "feeding": "feeding",
    "over": "game over",
    "bank": "bank {bank}",
    "deck": "deck {deck}",
    "first": "first {first}",
    "you": "{seat} (you)",
    "hand": "hand {hand_size}",
    "pile": "pile {pile_size}",
    "passed": "passed",
    "score": "score {score}",
    "in-hand": "in hand: {cards}",
    "food": "food {tokens}",
    "fat": "fat {tokens}",
    "fed": "fed",
    "hungry": "hungry",
    **{mark: mark for mark in (*MARKS, "grazed")},
    "forfeits": "forfeits {trait}",
    "spent": "(spent)",
    "won": "The game is over. {winners} won.",
    "and": " and ",
    "nobody": "Nobody is asked.",
    "develop": "{seat} plays a card or passes.",
    "feed": "{seat} acts.",
    "defend": "{carnivore} attacks {prey}: {seat} defends.",
    "scavenge": "{seat} chooses which scavenger eats.",
    "share": "{seat} chooses which paired card fires next.",
}

Words = Mapping[str, str]


def draw_table(view: dict[str, Any], words: Words = TABLE_WORDS) -> str:
    """A view as text. Food is drawn as filled and empty circles, fat as filled and empty squares."""
    lines = [_headline(view, words), _RULE]
    for seat in view["seats"]:
        lines += _seat(view, seat, words)
    lines.append(_RULE)
    lines += _wrapped(_asked(view, words))
    return "\n".join(lines)


def _headline(view: dict[str, Any], words: Words) -> str:
    turn = words["last-turn" if view["last_turn"] else "turn"]
    numbers = [words[name].format_map(view) for name in ("bank", "deck", "first")]
    return " | ".join([turn.format(turn=view["turn"], phase=words[view["phase"]]), *numbers])


def _seat(view: dict[str, Any], seat: dict[str, Any], words: Words) -> list[str]:
    name = words["you"].format_map(seat) if seat["hand"] is not None else seat["seat"]
    facts = ["hand", "pile", *(["passed"] if seat["passed"] else []), *(["score"] if seat["score"] is not None else [])]
    lines = [" | ".join([name, *(words[fact].format_map(seat) for fact in facts)])]
    for animal in seat["animals"]:
        lines += _animal(animal, words)
    lines += _pairs(view, seat["seat"], words)
    if seat["hand"]:
        cards = ", ".join(_card(card, words) for card in seat["hand"])
        lines += _wrapped(words["in-hand"].format(cards=cards), "   ")
    return lines


def _animal(animal: dict[str, Any], words: Words) -> list[str]:
    parts = [words["food"].format(tokens=_tokens("●", "○", animal["food"], animal["need"]))]
    if animal["fat_slots"]:
        parts.append(words["fat"].format(tokens=_tokens("■", "□", animal["fat"], animal["fat_slots"])))
    parts += [words[mark] for mark in ("fed" if animal["fed"] else "hungry", *animal["marks"])]
    parts += [words["forfeits"].format(trait=_card(trait, words)) for trait in animal["forfeited"]]
    traits = ", ".join(_card(card["trait"], words) for card in animal["traits"])
    return _wrapped(f"{animal['id']:<4}{', '.join(parts)}", "   ") + _wrapped(traits, _MARGIN)


def _card(card: str, words: Words) -> str:
    """A trait or a card as it is called in a move."""
    return "/".join(words.get(trait, trait) for trait in card.split("/"))


def _tokens(full: str, empty: str, count: int, places: int) -> str:
    return full * count + empty * (places - count)


def _pairs(view: dict[str, Any], seat: str, words: Words) -> list[str]:
    pairs = [pair for pair in view["pairs"] if pair["animal"].startswith(seat)]
    return [line for pair in pairs for line in _wrapped(_pair(pair, words), "   ")]


def _pair(pair: dict[str, Any], words: Words) -> str:
    link = "-->" if pair["trait"] == "symbiosis" else "<->"
    spent = f" {words['spent']}" if pair["spent"] else ""
    return f"{pair['animal']} {link} {pair['partner']} {_card(pair['trait'], words)}{spent}"


def _asked(view: dict[str, Any], words: Words) -> str:
    if view["winners"]:
        return words["won"].format(winners=words["and"].join(view["winners"]))
    question = view["question"]
    return words["nobody"] if question is None else words[question["kind"]].format_map(question)


def _wrapped(text: str, margin: str = "") -> list[str]:
    """The text in lines; what does not fit goes on a little further in."""
    return textwrap.wrap(text, WIDTH, initial_indent=margin, subsequent_indent=margin + "  ", break_on_hyphens=False)
