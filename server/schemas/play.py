from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import marshmallow as ma
from marshmallow import fields

from server.schemas.base import LARGEST, Closed, Given, Integer, Open, QueryInteger, Time, growing, told
from server.schemas.games import Awaited

LONGEST_MOVE = 500  # characters; the longest legal one has some eighty


class MoveGiven(fields.Raw):
    """Notation, or the JSON object: its keys are judged by the engine, its form here."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Any:
        if isinstance(value, str) and len(value) <= LONGEST_MOVE:
            return value
        if isinstance(value, dict) and len(value) <= 20 and all(map(_is_plain, value.values())):
            return value
        raise ma.ValidationError(
            f"notation of at most {LONGEST_MOVE} characters, or the JSON object of a move, is expected"
        )


def _is_plain(value: Any) -> bool:
    """A word, a number, true, false, null, or a list of words."""
    if isinstance(value, list):
        return len(value) <= 20 and all(isinstance(item, str) for item in value)
    return isinstance(value, str | int | None)


class NewMove(Closed):
    decision = Integer(1, required=True, metadata=told("The number of the decision that this answers.", examples=[57]))
    move = MoveGiven(
        required=True,
        metadata=told(
            "Notation, or the JSON object of a legal move.",
            oneOf=[{"type": "string", "maxLength": LONGEST_MOVE}, {"type": "object", "maxProperties": 20}],
            examples=["attack A1 B2", {"type": "attack", "animal": "A1", "target": "B2"}],
        ),
    )


class MoveJson(Open):
    """A move as an object; what further keys it has depends on `type`."""

    type = growing("What is done.", "feed", "attack", "pass", required=True)
    notation = fields.String(required=True, metadata=told("The same as text, canonical.", examples=["attack A1 B2"]))


class Card(Open):
    trait = fields.String(required=True, metadata=told("The trait in force.", examples=["camouflage"]))
    card = fields.String(required=True, metadata=told("The card, that end first.", examples=["camouflage/fat-tissue"]))


class Animal(Open):
    id = fields.String(required=True, metadata=told("Seat and number, never reused.", examples=["A1"]))
    card = fields.String(
        required=True,
        allow_none=True,
        metadata=told("Which card lies face down as this animal; null to all but its player."),
    )
    traits = fields.List(fields.Nested(Card), required=True)
    need = fields.Integer(required=True, metadata=told("Food tokens that it must hold to be fed."))
    food = fields.Integer(required=True)
    tokens = fields.String(
        required=True, metadata=told("The food tokens by colour, in the order of arrival.", examples=["rb"])
    )
    fat = fields.Integer(required=True, metadata=told("Fat cards that hold a token."))
    fat_slots = fields.Integer(required=True, metadata=told("Fat cards."))
    fed = fields.Boolean(required=True)
    marks = fields.List(
        fields.String(), required=True, metadata=told("What happened to it or was used up.", examples=[["hunted"]])
    )
    forfeited = fields.List(
        fields.String(), required=True, metadata=told("Traits that it may not use any more in this phase.")
    )


class TableSeat(Open):
    seat = fields.String(required=True)
    hand = fields.List(
        fields.String(), required=True, allow_none=True, metadata=told("Cards, sorted; null to all but its player.")
    )
    hand_size = fields.Integer(required=True)
    pile = fields.List(
        fields.String(), required=True, allow_none=True, metadata=told("The discard pile; null to all but its player.")
    )
    pile_size = fields.Integer(required=True)
    passed = fields.Boolean(required=True)
    score = fields.Integer(required=True, allow_none=True, metadata=told("Null until the game is over."))
    animals = fields.List(fields.Nested(Animal), required=True)


class Pair(Open):
    trait = fields.String(required=True)
    animal = fields.String(required=True)
    partner = fields.String(required=True)
    card = fields.String(required=True)
    spent = fields.Boolean(required=True)


class Question(Open):
    kind = growing("What is asked.", "develop", "feed", "defend", "scavenge", "share", required=True)
    seat = fields.String(required=True)


class View(Open):
    """The table as one seat, or a spectator, may see it."""

    game = fields.String(required=True)
    you = fields.String(required=True, allow_none=True, metadata=told("Whose eyes; null for a spectator's."))
    decision = fields.Integer(required=True, allow_none=True, metadata=told("Number of the open decision."))
    turn = fields.Integer(required=True)
    phase = growing("Of the turn.", "development", "feeding", "over", required=True)
    bank = fields.Integer(required=True)
    deck = fields.Integer(required=True, metadata=told("How many cards are left."))
    first = fields.String(required=True, metadata=told("The first player of this turn."))
    go = fields.String(
        required=True,
        allow_none=True,
        metadata=told("Whose go it is; an answer to an attack may be another seat's. Null when over."),
    )
    last_turn = fields.Boolean(required=True)
    options = fields.Dict(keys=fields.String(), values=fields.String(), required=True)
    seats = fields.List(fields.Nested(TableSeat), required=True)
    pairs = fields.List(fields.Nested(Pair), required=True)
    question = fields.Nested(Question, required=True, allow_none=True)
    winners = fields.List(fields.String(), required=True, metadata=told("Empty until it is over."))
    position = fields.String(required=True, metadata=told("The same in notation."))


class Happened(Open):
    """What this viewer may know of an event; what further keys it has depends on `type`."""

    type = growing("A fact in the past tense.", "food_taken", "attacked", "killed", required=True)
    text = fields.String(required=True, metadata=told("In an English sentence."))


class EventItem(Happened):
    number = fields.Integer(required=True, metadata=told("Grows by one within a game."))
    decision = fields.Integer(required=True, metadata=told("Whose answer caused it; 0 at the deal."))
    at = Time(required=True)

    @ma.post_dump(pass_original=True)
    def with_its_facts(self, dumped: dict[str, Any], event: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {**event, **dumped}


class Played(Open):
    decision = fields.Integer(required=True)
    seat = fields.String(required=True)
    move = Given(MoveJson, required=True)


class MoveAnswer(Open):
    played = fields.List(fields.Nested(Played), required=True)
    events = fields.List(fields.Nested(EventItem), required=True, metadata=told("The same as in the feed."))
    view = Given(View, required=True)
    next = fields.Nested(Awaited, required=True, allow_none=True, metadata=told("Null: the game is over."))


class LegalMove(Open):
    number = fields.Integer(required=True, metadata=told("Its place in this list, from 1."))
    notation = fields.String(required=True)
    move = Given(MoveJson, required=True)
    text = fields.String(required=True, metadata=told("In an English sentence."))


class LegalMoveList(Awaited):
    game = fields.String(required=True)
    items = fields.List(fields.Nested(LegalMove), required=True)


class EventQuery(Closed):
    after = QueryInteger(
        0,
        LARGEST,
        load_default=0,
        metadata=told("Only events with a greater number: `next_after` of the answer before."),
    )
    limit = QueryInteger(1, 500, load_default=100, metadata=told("How many at most."))


class EventList(Open):
    items = fields.List(fields.Nested(EventItem), required=True)
    next_after = fields.Integer(
        required=True, metadata=told("Ask again with this as `after`, now or later: nothing is skipped.")
    )
    more = fields.Boolean(required=True, metadata=told("Whether there is more already."))
