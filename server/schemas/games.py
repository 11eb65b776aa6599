from __future__ import annotations

from marshmallow import fields, validate

from server.schemas.base import (
    NEXT_CURSOR,
    Boolean,
    Closed,
    Digest,
    Integer,
    Open,
    PageQuery,
    QueryBoolean,
    Text,
    Time,
    Word,
    growing,
    told,
)

LONGEST_ENTROPY = 200  # characters; 64 hexadecimal digits are as good as it gets

ENTROPY_COMMITMENT = told(
    "To add to the chance of the game: the SHA-256, in hex, of a text that you reveal when all seats are taken.",
    examples=["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
)


class NewGame(Closed):
    seats = Integer(2, 8, required=True, metadata=told("More than four need `sets: two`.", examples=[2]))
    options = fields.Dict(
        keys=Text(40),
        values=Text(40),
        load_default=dict,
        metadata=told(
            "House rules by name, where they are not the default; values are words.", examples=[{"deck": "classic"}]
        ),
    )
    listed = Boolean(
        load_default=True,
        metadata=told(
            "Whether lists show it. If not, only those find it who know its id: they see its summary, and may join."
        ),
    )
    join = fields.String(
        load_default="open",
        validate=validate.OneOf(["open"], error="open is expected: there are no invitations yet"),
        metadata=told("Who may take a seat: everybody who knows of the game. Keep it out of lists with `listed`."),
    )
    spectators = Word(
        "none",
        "public",
        load_default="none",
        metadata=told("Who may look at the table; no hidden card is shown to them."),
    )
    start = Word(
        "automatic", "host", load_default="automatic", metadata=told("By the last seat taken, or by the host alone.")
    )
    entropy_commitment = Digest(metadata=ENTROPY_COMMITMENT)


class NewSeat(Closed):
    entropy_commitment = Digest(metadata=ENTROPY_COMMITMENT)


class Entropy(Closed):
    entropy = Text(
        LONGEST_ENTROPY,
        required=True,
        metadata=told("The text whose UTF-8 bytes hash to your commitment.", examples=["test"]),
    )


class Player(Open):
    seat = fields.String(required=True, metadata=told("A letter in table order.", examples=["A"]))
    name = fields.String(required=True)
    kind = growing("Of account.", "person", "bot", required=True)
    entropy = growing(
        "Of his own for the chance of the game; what is not revealed before the deal is left out.",
        "none",
        "committed",
        "revealed",
        required=True,
    )


class Awaited(Open):
    """A decision that the game waits for."""

    decision = fields.Integer(required=True, metadata=told("Its number: grows by one within a game.", examples=[57]))
    seat = fields.String(required=True, metadata=told("Whose it is.", examples=["B"]))
    kind = growing("What is asked.", "develop", "feed", "defend", "scavenge", "share", required=True)
    deadline = Time(required=True, allow_none=True, metadata=told("Null: there is time without end."))


class Result(Open):
    winners = fields.List(fields.String(), required=True, metadata=told("Seats; several share a victory."))
    scores = fields.Dict(keys=fields.String(), values=fields.Integer(), required=True, metadata=told("Points by seat."))


class GameLinks(Open):
    game = fields.Url(required=True)
    seats = fields.Url(required=True)
    view = fields.Url(required=True)
    legal_moves = fields.Url(required=True)
    moves = fields.Url(required=True)
    events = fields.Url(required=True)
    fairness = fields.Url(required=True)
    record = fields.Url(required=True)


class Game(Open):
    """What is public about a game: nothing hidden at all."""

    id = fields.String(required=True)
    status = growing("Where the game stands.", "open", "running", "over", "cancelled", required=True)
    host = fields.String(required=True, metadata=told("Name of the account that made it."))
    seats = fields.Integer(required=True)
    free_seats = fields.Integer(required=True)
    players = fields.List(fields.Nested(Player), required=True)
    options = fields.Dict(
        keys=fields.String(), values=fields.String(), required=True, metadata=told("All house rules with their values.")
    )
    listed = fields.Boolean(required=True)
    join = growing("Who may take a seat.", "open", "invited", required=True)
    spectators = growing("Who may look at the table.", "none", "public", required=True)
    start = growing("What starts it: the last seat taken, or the host.", "automatic", "host", required=True)
    commitment = fields.String(
        required=True, metadata=told("SHA-256, in hex, of the 256 bits that all chance of the game comes from.")
    )
    waiting_for = fields.Nested(
        Awaited,
        required=True,
        allow_none=True,
        metadata=told("The open decision; null before the start and after the end."),
    )
    result = fields.Nested(Result, required=True, allow_none=True, metadata=told("Null until it is over."))
    version = fields.Integer(required=True, metadata=told("Grows with every change of the game."))
    created_at = Time(required=True)
    started_at = Time(required=True, allow_none=True)
    ended_at = Time(required=True, allow_none=True)
    links = fields.Nested(GameLinks, required=True)


class GameQuery(PageQuery):
    status = Word("open", "running", "over", "cancelled", metadata=told("Only these."))
    mine = QueryBoolean(load_default=False, metadata=told("`true`: only games that I host or play."))
    my_turn = QueryBoolean(load_default=False, metadata=told("`true`: only games that wait for me."))
    open = QueryBoolean(load_default=False, metadata=told("`true`: only games with a seat that anybody may take."))


class GameList(Open):
    items = fields.List(fields.Nested(Game), required=True)
    next_cursor = fields.String(required=True, allow_none=True, metadata=NEXT_CURSOR)


class OwedDecision(Awaited):
    game = fields.String(required=True)
    opened_at = Time(required=True)
    links = fields.Nested(GameLinks, required=True)


class DecisionList(Open):
    items = fields.List(fields.Nested(OwedDecision), required=True)
    next_cursor = fields.String(required=True, allow_none=True, metadata=NEXT_CURSOR)
