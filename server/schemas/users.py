from __future__ import annotations

from marshmallow import fields

from server.schemas.base import Open, Time, growing, told


class GameCounts(Open):
    """Games of an account, by how they went."""

    running = fields.Integer(required=True, metadata=told("Begun, and not over."))
    finished = fields.Integer(required=True, metadata=told("Played to their end."))
    won = fields.Integer(required=True, metadata=told("Of those finished; a shared victory counts."))
    resigned = fields.Integer(required=True, metadata=told("Left before their end."))
    cancelled = fields.Integer(required=True, metadata=told("Begun, and called off by all players."))


class User(Open):
    """What everybody may know about an account."""

    name = fields.String(required=True, metadata=told("As it is written by its owner."))
    kind = growing("Of account.", "person", "bot", required=True)
    owner = fields.String(required=True, allow_none=True, metadata=told("Of a bot: the name of its owner."))
    created_at = Time(required=True)
    games = fields.Nested(GameCounts, required=True)
    reliability = fields.Float(
        required=True,
        allow_none=True,
        metadata=told(
            "Games finished over games begun, from 0 to 1; running and cancelled ones don't count. Null before the first.",
            examples=[0.96],
        ),
    )
