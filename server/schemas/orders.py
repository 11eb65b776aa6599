"""Standing orders: what a player leaves to be played for him."""

from __future__ import annotations

from marshmallow import fields, validate

from server.said import said
from server.schemas.base import Closed, Given, Open, Text, Time, growing, told
from server.schemas.play import MoveJson

LONGEST_LINE = 800  # characters
MOST_LINES = 300  # all of them together, as long as they may be, fit into a body

EXAMPLE = [
    "play camouflage A1, pass",
    "feed A1, feed A2, end",
    "defend run, drop tail-loss, mimic",
    "defend A2 drop camouflage",
    "pass feeding when nothing to receive",
    "stop when attacked",
    "if illegal skip",
]


class NewOrders(Closed):
    """Orders, a line each."""

    lines = fields.List(
        Text(LONGEST_LINE, shortest=0),
        required=True,
        validate=validate.Length(0, MOST_LINES, error=said("at most {most} lines are read", most=MOST_LINES)),
        metadata=told("In the language of orders; empty lines say nothing.", examples=[EXAMPLE]),
    )


class QueueStopped(Open):
    """Why the queue ended before its end."""

    text = fields.String(required=True, metadata=told("In the language asked for."))
    decision = fields.Integer(required=True, metadata=told("Which decision it should have answered."))
    at = Time(required=True)


class Skipped(Open):
    """An order that could not be carried out."""

    decision = fields.Integer(required=True, metadata=told("Which decision it should have answered."))
    order = fields.String(required=True, metadata=told("As it was written.", examples=["feed A3"]))


class ByOrders(Open):
    """A decision that my orders answered."""

    decision = fields.Integer(required=True)
    move = Given(MoveJson, required=True)


class Orders(Open):
    """My standing orders in a game: what is left of them, and what they did."""

    lines = fields.List(
        fields.String(),
        required=True,
        metadata=told("All that is left, in the language of orders: what was carried out is gone.", examples=[EXAMPLE]),
    )
    queue = fields.List(
        fields.String(), required=True, metadata=told("The moves to come, one by one.", examples=[["feed A1", "end"]])
    )
    defend = fields.List(
        fields.String(),
        required=True,
        metadata=told(
            "How to answer an attack: of those that are possible the first. Those of one animal, which begin with its name,"
            " come before those of all.",
            examples=[["run", "drop tail-loss", "mimic", "A2 drop camouflage"]],
        ),
    )
    scavenge = fields.List(
        fields.String(),
        required=True,
        metadata=told("Who eats a carcass: the first that may.", examples=[["A3", "A1"]]),
    )
    share = fields.List(
        fields.String(),
        required=True,
        metadata=told(
            "Which pair of animals fires first: a trait, or one pair of it.",
            examples=[["cooperation A1>A2", "communication"]],
        ),
    )
    pass_after = fields.Integer(
        required=True,
        allow_none=True,
        metadata=told("Pass in development after so many cards of a turn; null: not by number."),
    )
    pass_when_empty = fields.Boolean(required=True, metadata=told("Pass in development when no card can be played."))
    pass_when_fed = fields.Boolean(required=True, metadata=told("End a go in feeding when nothing can be received."))
    stop_when = fields.List(
        fields.String(),
        required=True,
        metadata=told("What ends the queue.", examples=[["attacked", "bank below 3", "turn changed"]]),
    )
    if_illegal = growing("What to do with a move of the queue that is illegal.", "stop", "skip", required=True)
    given_at = Time(required=True, allow_none=True, metadata=told("When they were given, or last added to."))
    stopped = fields.Nested(
        QueueStopped, required=True, allow_none=True, metadata=told("Null: it did not, or there are new orders since.")
    )
    skipped = fields.List(fields.Nested(Skipped), required=True, metadata=told("Since I moved last."))
    acted = fields.List(
        fields.Nested(ByOrders), required=True, metadata=told("What my orders answered since I moved last.")
    )
