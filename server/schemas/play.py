from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from server.said import said
from server.schemas.base import (
    LARGEST,
    Boolean,
    Closed,
    Given,
    Integer,
    Open,
    QueryInteger,
    Time,
    WaitQuery,
    growing,
    told,
)
from server.schemas.games import Awaited

SMALLEST_WIDTH, LARGEST_WIDTH = 320, 1600  # of a drawing, in pixels
LONGEST_MOVE = 500  # characters; the longest legal one has some eighty
MOST_MOVES = 50  # of one request


class MoveGiven(fields.Raw):
    """Notation, or the JSON object: its keys are judged by the engine, its form here."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Any:
        if isinstance(value, str) and len(value) <= LONGEST_MOVE:
            return value
        if isinstance(value, dict) and len(value) <= 20 and all(map(_is_plain, value.values())):
            return value
        raise ma.ValidationError(
            said(
                "notation of at most {most:character|characters}, or the JSON object of a move, is expected",
                most=LONGEST_MOVE,
            )
        )


def _is_plain(value: Any) -> bool:
    """A word, a number, true, false, null, or a list of words."""
    if isinstance(value, list):
        return len(value) <= 20 and all(isinstance(item, str) for item in value)
    return isinstance(value, str | int | None)


MOVE_OBJECT = {
    "type": "object",
    "description": "A move as JSON. `type` says what is done; what further keys it has depends on that.",
    "maxProperties": 20,
    "additionalProperties": {"type": ["string", "integer", "boolean", "null", "array"], "items": {"type": "string"}},
    "examples": [{"type": "attack", "animal": "A1", "target": "B2"}],
}
A_MOVE = told(
    "Notation, or the JSON object of a legal move.",
    oneOf=[{"type": "string", "maxLength": LONGEST_MOVE}, {"$ref": "#/components/schemas/MoveObject"}],
    examples=["attack A1 B2", {"type": "attack", "animal": "A1", "target": "B2"}],
)


class NewMove(Closed):
    """Either `move` or `moves`."""

    decision = Integer(
        1, required=True, metadata=told("The number of the decision that the first move answers.", examples=[57])
    )
    move = MoveGiven(metadata=A_MOVE)
    moves = fields.List(
        MoveGiven(metadata=A_MOVE),
        validate=validate.Length(1, MOST_MOVES, error=said("1 to {most} moves are expected", most=MOST_MOVES)),
        metadata=told("Several in a row, as answers to this decision and to those that follow."),
    )
    dry_run = Boolean(
        load_default=False,
        metadata=told("`true`: only tell whether `move` is legal, and change nothing. Not with `moves`."),
    )

    @ma.validates_schema(skip_on_field_errors=True)
    def one_of_the_two(self, body: dict[str, Any], **_: Any) -> None:
        if ("move" in body) == ("moves" in body):
            raise ma.ValidationError(said("either `move` or `moves` is expected"), "move")
        if "moves" in body and body["dry_run"]:
            raise ma.ValidationError(said("a single `move` is tried at a time"), "dry_run")


class MoveJson(Open):
    """A move as an object; what further keys it has depends on `type`."""

    type = growing("What is done.", "feed", "attack", "pass", required=True)
    notation = fields.String(required=True, metadata=told("The same as text, canonical.", examples=["attack A1 B2"]))


class Card(Open):
    """A card on an animal, with the trait that is in force."""

    trait = fields.String(required=True, metadata=told("The trait in force.", examples=["camouflage"]))
    card = fields.String(required=True, metadata=told("The card, that end first.", examples=["camouflage/fat-tissue"]))


class Animal(Open):
    """An animal on the table."""

    id = fields.String(required=True, metadata=told("Seat and number, never reused.", examples=["A1"]))
    card = fields.String(
        required=True,
        allow_none=True,
        metadata=told("Which card lies face down as this animal; null to all but its player."),
    )
    traits = fields.List(fields.Nested(Card), required=True)
    need = fields.Integer(required=True, metadata=told("Food tokens that it must hold to be fed."))
    food = fields.Integer(required=True, metadata=told("Food tokens that it holds, fat not counted."))
    tokens = fields.String(
        required=True, metadata=told("The food tokens by colour, in the order of arrival.", examples=["rb"])
    )
    fat = fields.Integer(required=True, metadata=told("Fat cards that hold a token."))
    fat_slots = fields.Integer(required=True, metadata=told("Fat cards."))
    fed = fields.Boolean(required=True, metadata=told("Whether it has what it needs."))
    marks = fields.List(
        fields.String(), required=True, metadata=told("What happened to it or was used up.", examples=[["hunted"]])
    )
    forfeited = fields.List(
        fields.String(), required=True, metadata=told("Traits that it may not use any more in this phase.")
    )


class TableSeat(Open):
    """A seat with its hand and its animals, as the viewer may see them."""

    seat = fields.String(required=True)
    hand = fields.List(
        fields.String(), required=True, allow_none=True, metadata=told("Cards, sorted; null to all but its player.")
    )
    hand_size = fields.Integer(required=True, metadata=told("How many cards are in hand."))
    pile = fields.List(
        fields.String(), required=True, allow_none=True, metadata=told("The discard pile; null to all but its player.")
    )
    pile_size = fields.Integer(required=True, metadata=told("How many cards lie in the discard pile."))
    passed = fields.Boolean(required=True, metadata=told("Whether it is done for this phase."))
    score = fields.Integer(required=True, allow_none=True, metadata=told("Null until the game is over."))
    animals = fields.List(fields.Nested(Animal), required=True)


class Pair(Open):
    """A card that joins two animals."""

    trait = fields.String(required=True, metadata=told("What joins them."))
    animal = fields.String(required=True, metadata=told("One of the two; of symbiosis the symbiont."))
    partner = fields.String(required=True, metadata=told("The other one; of symbiosis the protected."))
    card = fields.String(required=True, metadata=told("The card, that end first."))
    spent = fields.Boolean(required=True, metadata=told("Whether it has done its work in this phase."))


class Question(Open):
    """What is asked, and whom."""

    kind = growing("What is asked.", "develop", "feed", "defend", "scavenge", "share", required=True)
    seat = fields.String(required=True)
    main_action_made = fields.Boolean(metadata=told("Of `feed`: whether food was taken or an attack made in this go."))
    extra_action_made = fields.Boolean(metadata=told("Of `feed`: whether the further action was made."))
    carnivore = fields.String(metadata=told("Of `defend`: who attacks."))
    prey = fields.String(metadata=told("Of `defend`: who is attacked."))
    ran = fields.List(fields.String(), metadata=told("Of `defend`: animals that have tried to run from this attack."))
    animals = fields.List(fields.String(), metadata=told("Of `scavenge`: those that may have the food."))
    pending = fields.List(fields.String(), metadata=told("Of `share`: the pairs that are still to do their work."))


class View(Open):
    """The table as one seat, or a spectator, may see it."""

    game = fields.String(required=True)
    you = fields.String(required=True, allow_none=True, metadata=told("Whose eyes; null for a spectator's."))
    decision = fields.Integer(required=True, allow_none=True, metadata=told("Number of the open decision."))
    turn = fields.Integer(required=True, metadata=told("Counted from 1."))
    phase = growing("Of the turn.", "development", "feeding", "over", required=True)
    bank = fields.Integer(required=True, metadata=told("Food tokens in the food bank."))
    deck = fields.Integer(required=True, metadata=told("How many cards are left."))
    first = fields.String(required=True, metadata=told("The first player of this turn."))
    go = fields.String(
        required=True,
        allow_none=True,
        metadata=told("Whose go it is; an answer to an attack may be another seat's. Null when over."),
    )
    last_turn = fields.Boolean(required=True, metadata=told("Whether the game ends with this turn."))
    options = fields.Dict(keys=fields.String(), values=fields.String(), required=True)
    seats = fields.List(fields.Nested(TableSeat), required=True)
    pairs = fields.List(fields.Nested(Pair), required=True)
    question = Given(
        Question, required=True, allow_none=True, metadata=told("What the game waits for; null when it is over.")
    )
    winners = fields.List(fields.String(), required=True, metadata=told("Empty until it is over."))
    position = fields.String(required=True, metadata=told("The same in notation."))


class Happened(Open):
    """What this viewer may know of an event; what further keys it has depends on `type`."""

    type = growing("A fact in the past tense.", "food_taken", "attacked", "killed", required=True)
    text = fields.String(required=True, metadata=told("In a sentence, in the language asked for."))


class EventItem(Happened):
    """An event in its place."""

    number = fields.Integer(required=True, metadata=told("Grows by one within a game."))
    decision = fields.Integer(required=True, metadata=told("Whose answer caused it; 0 at the deal."))
    at = Time(required=True)

    @ma.post_dump(pass_original=True)
    def with_its_facts(self, dumped: dict[str, Any], event: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {**event, **dumped}


class Played(Open):
    """A move that was made."""

    decision = fields.Integer(required=True)
    seat = fields.String(required=True)
    move = Given(MoveJson, required=True)


class Stopped(Open):
    """Why not all moves were played."""

    reason = growing(
        "Why the rest was not played: `chance`, `dry-run`, or the code of a problem.",
        "chance",
        "not-your-decision",
        "illegal-move",
        "bad-notation",
        "decision-closed",
        "game-over",
        "dry-run",
        required=True,
    )
    detail = fields.String(required=True, metadata=told("In a sentence, in the language asked for."))
    rule = fields.String(
        required=True, allow_none=True, metadata=told("Of an illegal move: which rule, as in `reason` of that problem.")
    )


class MoveAnswer(Open):
    """What was played, what came of it, and whom the server waits for now."""

    played = fields.List(
        fields.Nested(Played), required=True, metadata=told("My moves, each with the decision that it answered.")
    )
    not_played = fields.List(
        fields.Raw(), required=True, metadata=told("Of `moves` what was not played, as it was sent.", items=A_MOVE)
    )
    stopped = fields.Nested(Stopped, required=True, allow_none=True, metadata=told("Null: all was played."))
    cascade = fields.List(
        fields.Nested(Played),
        required=True,
        metadata=told(
            "The answers that followed at once, since nobody need be asked for them: the house's, or by orders, mine too."
        ),
    )
    legal = fields.Boolean(metadata=told("`true`, on a dry run only."))
    notation = fields.String(metadata=told("The move as it is written, on a dry run only."))
    events = fields.List(fields.Nested(EventItem), required=True, metadata=told("The same as in the feed."))
    view = Given(View, required=True)
    next = fields.Nested(Awaited, required=True, allow_none=True, metadata=told("Null: the game is over."))


class Answer(Played):
    """A decision that was answered."""

    kind = growing("What was asked.", "develop", "feed", "defend", "scavenge", "share", required=True)
    at = Time(required=True)
    by = growing(
        "Who answered: told to its own seat only, null to all others.",
        "hand",
        "orders",
        "house",
        required=True,
        allow_none=True,
    )


class AnswerList(Open):
    """A part of the log of moves."""

    items = fields.List(fields.Nested(Answer), required=True)
    next_after = fields.Integer(
        required=True, metadata=told("Ask again with this as `after`, now or later: nothing is skipped.")
    )
    more = fields.Boolean(required=True, metadata=told("Whether there is more already."))


class AnswerQuery(Closed):
    after = QueryInteger(
        0,
        LARGEST,
        load_default=0,
        metadata=told("Only answers to decisions with a greater number: `next_after` of the answer before."),
    )
    limit = QueryInteger(1, 500, load_default=100, metadata=told("How many at most."))


class ViewQuery(Closed):
    at = QueryInteger(
        1, LARGEST, metadata=told("The number of a decision: the table as I saw it when that was asked. Absent: now.")
    )


class PictureQuery(ViewQuery):
    width = QueryInteger(
        SMALLEST_WIDTH,
        LARGEST_WIDTH,
        load_default=720,
        metadata=told("In pixels; the height follows from it. 360 suits a phone.", examples=[360]),
    )


class LegalMove(Open):
    """A move that would be legal now."""

    number = fields.Integer(required=True, metadata=told("Its place in this list, from 1."))
    notation = fields.String(required=True, metadata=told("As text: send this."))
    move = Given(MoveJson, required=True)
    text = fields.String(required=True, metadata=told("In a sentence, in the language asked for."))


class LegalMoveList(Awaited):
    """The answers to an open decision."""

    game = fields.String(required=True)
    items = fields.List(fields.Nested(LegalMove), required=True)


class EventQuery(WaitQuery):
    after = QueryInteger(
        0,
        LARGEST,
        load_default=0,
        metadata=told("Only events with a greater number: `next_after` of the answer before."),
    )
    limit = QueryInteger(1, 500, load_default=100, metadata=told("How many at most."))


class EventList(Open):
    """A part of what happened in a game."""

    items = fields.List(fields.Nested(EventItem), required=True)
    next_after = fields.Integer(
        required=True, metadata=told("Ask again with this as `after`, now or later: nothing is skipped.")
    )
    more = fields.Boolean(required=True, metadata=told("Whether there is more already."))
