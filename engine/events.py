"""Facts in the past tense, each with its audience.

An event has *facts* that everybody may know and, where a rule keeps something from the others, *secrets* of single
seats. What a viewer may see of one is built up from nothing by :func:`project`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from engine.vocabulary import SEAT_LETTERS, animal_name

if TYPE_CHECKING:
    from engine.state import State
    from engine.vocabulary import AnimalId, Seat

# type -> sentence; the names in braces are facts of the event.
SENTENCES: Final[dict[str, str]] = {
    "game_began": "The cards are dealt; {first} is the first player.",
    "turn_began": "Turn {turn} begins; {first} is the first player.",
    "last_turn_began": "The deck is empty: turn {turn} is the last.",
    "animal_played": "{seat} plays a card as animal {animal}.",
    "trait_played": "{seat} plays {card} on {animal}.",
    "pair_played": "{seat} joins {animal} and {partner} with {card}.",
    "development_passed": "{seat} passes for the rest of the phase.",
    "bank_rolled": "The dice show {dice}: {bank} food in the bank.",
    "food_taken": "{animal} takes food from the bank.",
    "food_received": "{animal} receives {food} food and {fat} fat.",
    "fat_converted": "{animal} turns {count} fat into food.",
    "food_stolen": "{animal} steals a token from {target}.",
    "bank_grazed": "{animal} destroys a token of the bank.",
    "hibernated": "{animal} hibernates.",
    "attacked": "{animal} attacks {target}.",
    "ran": "{animal} runs and rolls {die}: {outcome}.",
    "mimicked": "{animal} sends the attacker to {target}.",
    "tail_dropped": "{animal} loses {card} and lives.",
    "yielded": "{animal} defends itself no more.",
    "killed": "{animal} eats {target}.",
    "poisoned": "{animal} is poisoned.",
    "scavenged": "{animal} scavenges.",
    "shared": "{animal} passes food on to {target} by {trait}.",
    "go_ended": "{seat} ends the go.",
    "go_passed": "{seat} passes.",
    "feeding_ended": "Feeding is over; {bank} food in the bank is discarded.",
    "died": "{animals} die.",
    "cards_drawn": "{seat} draws {count}.",
    "game_ended": "The game is over: {result}.",
    "resigned": "{seat} resigns.",
    "game_cancelled": "The game is cancelled.",
}


# What brings to light what nobody could know before: after one of these a move can't be taken back.
REVEALING: Final = frozenset({"bank_rolled", "ran", "cards_drawn"})


class Event:
    """``type`` is a key of SENTENCES; ``facts`` is JSON-ready and public; ``secrets`` adds facts for a single seat."""

    __slots__ = ("facts", "secrets", "type")

    def __init__(self, type: str, facts: dict[str, Any], secrets: dict[Seat, dict[str, Any]] | None = None) -> None:
        self.type = type
        self.facts = facts
        self.secrets = secrets or {}

    def __repr__(self) -> str:
        return f"<Event {self.type} {self.facts}>"


def happened(state: State, type: str, **facts: Any) -> None:
    """Note a public fact. Callers on the hot path ask ``state.log is not None`` first and save the call."""
    if state.log is not None:
        state.log.append(Event(type, facts))


def happened_in_secret(state: State, type: str, knower: Seat, secret: dict[str, Any], **facts: Any) -> None:
    """Note a fact of which one seat alone knows more."""
    if state.log is not None:
        state.log.append(Event(type, facts, {knower: secret}))


def did(state: State, type: str, animal: AnimalId, target: AnimalId | None = None) -> None:
    """Note what one animal did (to another): the commonest kind of fact."""
    if state.log is not None:
        facts = {"animal": animal_name(animal)}
        if target is not None:
            facts["target"] = animal_name(target)
        state.log.append(Event(type, facts))


def project(event: Event, viewer: Seat | None) -> dict[str, Any]:
    """What a seat, or a spectator (None), may see of an event; with an English sentence as ``text``."""
    seen: dict[str, Any] = {"type": event.type, **event.facts}
    if viewer is not None and viewer in event.secrets:
        seen.update(event.secrets[viewer])
    return {**seen, "text": _sentence(event.type, seen)}


def _sentence(type: str, seen: dict[str, Any]) -> str:
    said = {name: _in_words(value) for name, value in seen.items()}
    sentence = SENTENCES[type].format(**said)
    if type == "animal_played" and seen.get("card"):
        return f"{said['seat']} plays {said['card']} as animal {said['animal']}."
    if type == "food_received":
        gains = [f"{seen[name]} {name}" for name in ("food", "fat") if seen[name]]
        return f"{said['animal']} receives {' and '.join(gains)}."
    if type == "cards_drawn" and "cards" in seen:
        return f"{said['seat']} draws {said['cards'] or 'nothing'}."
    return sentence


def _in_words(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def event_json(event: Event) -> dict[str, Any]:
    """The event as it is stored, secrets included: for the log of a game, never for a viewer."""
    secrets = {SEAT_LETTERS[seat]: secret for seat, secret in event.secrets.items()}
    return {"type": event.type, "facts": event.facts} | ({"secrets": secrets} if secrets else {})


def event_from_json(data: dict[str, Any]) -> Event:
    secrets = {SEAT_LETTERS.index(letter): secret for letter, secret in data.get("secrets", {}).items()}
    return Event(data["type"], data["facts"], secrets)
