"""What happened in all of one's games, as a feed to be resumed."""

from __future__ import annotations

from marshmallow import fields

from server.schemas.base import LARGEST, Open, QueryInteger, Time, WaitQuery, growing, told
from server.schemas.games import GameLinks
from server.schemas.play import EventItem


class FeedQuery(WaitQuery):
    after = QueryInteger(
        0,
        LARGEST,
        load_default=0,
        metadata=told("Only items with a greater number: `next_after` of the answer before."),
    )
    limit = QueryInteger(1, 200, load_default=50, metadata=told("How many items at most."))


class FeedItem(Open):
    """Something that happened in a game of mine."""

    number = fields.Integer(required=True, metadata=told("Grows by one within my feed, in the order of commits."))
    game = fields.String(required=True)
    type = growing(
        "What happened there; `cancellation`: somebody agreed to cancel the game, or does not agree any more.",
        "events",
        "message",
        "seated",
        "left",
        "started",
        "resigned",
        "cancellation",
        "over",
        "cancelled",
        required=True,
    )
    at = Time(required=True)
    events = fields.List(
        fields.Nested(EventItem),
        required=True,
        metadata=told("Of `events`: what happened at the table, as I may know it. Else empty."),
    )
    message = fields.Integer(
        required=True, allow_none=True, metadata=told("Of `message`: its number among the messages of the game.")
    )
    links = fields.Nested(GameLinks, required=True)


class Feed(Open):
    """A part of my feed."""

    items = fields.List(fields.Nested(FeedItem), required=True)
    next_after = fields.Integer(
        required=True, metadata=told("Ask again with this as `after`, now or later: nothing is skipped.")
    )
    more = fields.Boolean(required=True, metadata=told("Whether there is more already."))
