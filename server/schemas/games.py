from __future__ import annotations

from marshmallow import fields

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
    WaitQuery,
    Word,
    growing,
    told,
)

LONGEST_ENTROPY = 200  # characters; 64 hexadecimal digits are as good as it gets

ENTROPY_COMMITMENT = told(
    "To add to the chance of the game: the SHA-256, in hex, of a text that you reveal when all seats are taken.",
    examples=["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
)


SEATS = told("More than four need `sets: two`.", examples=[2])
OPTIONS = told("House rules by name, where they are not the default; values are words.", examples=[{"deck": "classic"}])
LISTED = told(
    "Whether lists show it. If not, and everybody may join or look, only those find it who know its id. If nobody may, the"
    " game does not exist for strangers."
)
JOIN = told("Who may take a seat: everybody to whom the game is shown, or only those to whom its host offers one.")
SPECTATORS = told("Who may look at the table; no hidden card is shown to them.")
START = told("By the last seat taken, or by the host alone.")
OWN_BOTS = told("Whether a bot may sit with its owner, or with another bot of his.")


class NewGame(Closed):
    """A game to be made."""

    seats = Integer(2, 8, required=True, metadata=SEATS)
    options = fields.Dict(keys=Text(40), values=Text(40), load_default=dict, metadata=OPTIONS)
    listed = Boolean(load_default=True, metadata=LISTED)
    join = Word("open", "invited", load_default="open", metadata=JOIN)
    spectators = Word("none", "public", load_default="none", metadata=SPECTATORS)
    start = Word("automatic", "host", load_default="automatic", metadata=START)
    own_bots = Boolean(load_default=False, metadata=OWN_BOTS)
    entropy_commitment = Digest(metadata=ENTROPY_COMMITMENT)


class GameChanges(Closed):
    """What is left out stays."""

    seats = Integer(2, 8, metadata=told("Not fewer than are taken. More than four need `sets: two`.", examples=[4]))
    options = fields.Dict(
        keys=Text(40),
        values=Text(40),
        metadata=told("House rules that are to be others; the rest stays.", examples=[{"deck": "classic"}]),
    )
    listed = Boolean(metadata=LISTED)
    join = Word("open", "invited", metadata=JOIN)
    spectators = Word("none", "public", metadata=SPECTATORS)
    start = Word("automatic", "host", metadata=START)
    own_bots = Boolean(metadata=OWN_BOTS)


class NewSeat(Closed):
    """What one brings to the table."""

    entropy_commitment = Digest(metadata=ENTROPY_COMMITMENT)


class Commitment(Closed):
    """What binds a player to entropy of his own."""

    entropy_commitment = Digest(required=True, metadata=ENTROPY_COMMITMENT)


class Entropy(Closed):
    """The entropy itself."""

    entropy = Text(
        LONGEST_ENTROPY,
        required=True,
        metadata=told("The text whose UTF-8 bytes hash to your commitment.", examples=["test"]),
    )


class Player(Open):
    """Who sits at a table."""

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
    played_by = growing("Who answers for this seat.", "player", "house", required=True)
    resigned = fields.Boolean(
        required=True, metadata=told("Its player has left for good: the house answers, and it can't win.")
    )
    cancels = fields.Boolean(required=True, metadata=told("Its player agrees to cancel the game."))


class Awaited(Open):
    """A decision that the game waits for."""

    decision = fields.Integer(required=True, metadata=told("Its number: grows by one within a game.", examples=[57]))
    seat = fields.String(required=True, metadata=told("Whose it is.", examples=["B"]))
    kind = growing("What is asked.", "develop", "feed", "defend", "scavenge", "share", required=True)
    deadline = Time(required=True, allow_none=True, metadata=told("Null: there is time without end."))


class Result(Open):
    """How a game ended."""

    winners = fields.List(fields.String(), required=True, metadata=told("Seats; several share a victory."))
    scores = fields.Dict(keys=fields.String(), values=fields.Integer(), required=True, metadata=told("Points by seat."))


class GameLinks(Open):
    """Where everything about a game is."""

    game = fields.Url(required=True, metadata=told("Its summary."))
    seats = fields.Url(required=True, metadata=told("POST here to join."))
    invitations = fields.Url(required=True, metadata=told("Of its host."))
    start = fields.Url(required=True, metadata=told("POST here to start with those who are there: for its host."))
    view = fields.Url(required=True, metadata=told("The table as you may see it."))
    view_text = fields.Url(required=True, metadata=told("The same, drawn as text."))
    view_svg = fields.Url(required=True, metadata=told("The same as a drawing."))
    view_png = fields.Url(required=True, metadata=told("The same as a picture."))
    legal_moves = fields.Url(required=True, metadata=told("What you may answer."))
    moves = fields.Url(required=True, metadata=told("POST your answers here; GET is the log."))
    events = fields.Url(required=True, metadata=told("What happened."))
    orders = fields.Url(required=True, metadata=told("Your standing orders."))
    messages = fields.Url(required=True, metadata=told("The talk at the table; POST yours here."))
    notifications = fields.Url(required=True, metadata=told("Whether you are told of it."))
    resignation = fields.Url(required=True, metadata=told("POST here to give up."))
    cancellation = fields.Url(
        required=True, metadata=told("POST here to agree that it ends; DELETE to take that back.")
    )
    rematch = fields.Url(required=True, metadata=told("POST here for the same table again, when it is over."))
    fairness = fields.Url(required=True, metadata=told("What binds its chance; the proof when it is over."))
    record = fields.Url(required=True, metadata=told("The complete game, when it is over."))
    record_text = fields.Url(required=True, metadata=told("The same, for people to read."))


class Game(Open):
    """What is public about a game: nothing hidden at all."""

    id = fields.String(required=True)
    status = growing("Where the game stands.", "open", "running", "over", "cancelled", required=True)
    host = fields.String(required=True, metadata=told("Name of the account that made it."))
    seats = fields.Integer(required=True)
    free_seats = fields.Integer(required=True, metadata=told("How many can still be taken."))
    players = fields.List(fields.Nested(Player), required=True)
    options = fields.Dict(
        keys=fields.String(), values=fields.String(), required=True, metadata=told("All house rules with their values.")
    )
    listed = fields.Boolean(required=True, metadata=told("Whether lists show it."))
    join = growing("Who may take a seat.", "open", "invited", required=True)
    spectators = growing("Who may look at the table.", "none", "public", required=True)
    start = growing("What starts it: the last seat taken, or the host.", "automatic", "host", required=True)
    own_bots = fields.Boolean(required=True, metadata=told("Whether an owner may sit with his bots."))
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
    ended_by = growing(
        "What ended it; null before.",
        "rules",
        "resignation",
        "cancellation",
        "expiry",
        required=True,
        allow_none=True,
    )
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
    bots = QueryBoolean(metadata=told("`true`: only games with a bot; `false`: only games without one."))


class GameList(Open):
    """A page of games."""

    items = fields.List(fields.Nested(Game), required=True)
    next_cursor = fields.String(required=True, allow_none=True, metadata=NEXT_CURSOR)


class OwedDecision(Awaited):
    """A decision that I owe."""

    game = fields.String(required=True)
    opened_at = Time(required=True)
    links = fields.Nested(GameLinks, required=True)


class DecisionQuery(PageQuery, WaitQuery):
    after = Text(
        100,
        metadata=told(
            "`next_after` of the list that you have: to be told only when what you owe is no longer the same. With `cursor` it is ignored."
        ),
    )


class DecisionList(Open):
    """What I owe: a page of it."""

    items = fields.List(fields.Nested(OwedDecision), required=True)
    next_cursor = fields.String(required=True, allow_none=True, metadata=NEXT_CURSOR)
    next_after = fields.String(
        required=True,
        metadata=told("Stands for all that you owe now, on whatever page: ask again with this as `after`."),
    )
