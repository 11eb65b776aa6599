from __future__ import annotations

from marshmallow import fields

from server.schemas.base import Given, Open, growing, told


class Addition(Open):
    """Entropy of a seat."""

    seat = fields.String(required=True, metadata=told("Whose it is."))
    commitment = fields.String(required=True, metadata=told("SHA-256, in hex, of its UTF-8 bytes."))
    revealed = fields.String(
        required=True,
        allow_none=True,
        metadata=told("Null: not revealed. After the deal that means that it was left out."),
    )


class ProofOfChance(Open):
    """What all chance of a game came from."""

    seed = fields.String(required=True, metadata=told("In hex; its SHA-256 is the commitment."))
    key = fields.String(required=True, metadata=told("Of the stream of chance, in hex."))
    record = fields.Url(required=True, metadata=told("The complete game, to be replayed."))


class Fairness(Open):
    """What binds the chance of a game, and the proof of it."""

    game = fields.String(required=True)
    status = growing("Where the game stands.", "open", "running", "over", "cancelled", required=True)
    commitment = fields.String(required=True, metadata=told("SHA-256, in hex, of the seed."))
    entropy = fields.List(
        fields.Nested(Addition), required=True, metadata=told("Of the seats that committed to some, in table order.")
    )
    proof = fields.Nested(
        ProofOfChance,
        required=True,
        allow_none=True,
        metadata=told("Null until the game is over for all, and to those who may not see its record."),
    )


class RecordPlayer(Open):
    """Who had a seat."""

    seat = fields.String(required=True)
    name = fields.String(required=True, metadata=told("What the player was called."))


class About(Open):
    """The part that nobody can recompute."""

    game = fields.String(required=True)
    players = fields.List(fields.Nested(RecordPlayer), required=True)
    started_at = fields.String(required=True)
    ended_at = fields.String(required=True)


class Deal(Open):
    """What was dealt."""

    deck = fields.List(fields.String(), required=True, metadata=told("As it was shuffled, all cards."))
    hands = fields.Dict(
        keys=fields.String(),
        values=fields.List(fields.String()),
        required=True,
        metadata=told("The first hand of each seat."),
    )
    first = fields.String(required=True, metadata=told("The first player."))


class RecordMove(Open):
    """A move, as an answer to a decision."""

    decision = fields.Integer(required=True, metadata=told("Grows by one from 1."))
    seat = fields.String(required=True)
    kind = growing("What was asked.", "develop", "feed", "defend", "scavenge", "share", required=True)
    move = fields.String(required=True, metadata=told("In notation.", examples=["attack A1 B2"]))


class RecordEvent(Open):
    """What happened, with what everybody saw and what one seat alone did."""

    decision = fields.Integer(required=True, metadata=told("Whose answer caused it; 0 at the deal."))
    type = growing("A fact in the past tense.", "food_taken", "attacked", "killed", required=True)
    facts = fields.Dict(keys=fields.String(), required=True, metadata=told("What everybody saw."))
    secrets = fields.Dict(
        keys=fields.String(), metadata=told("What one seat alone saw of it, by seat; absent where nothing was hidden.")
    )


class RecordResult(Open):
    """How it ended."""

    winners = fields.List(fields.String(), required=True)
    scores = fields.Dict(keys=fields.String(), values=fields.Integer(), required=True)


class Final(Open):
    """The table at the end."""

    table = fields.List(fields.String(), required=True, metadata=told("The table at the end, every card open."))
    sha256 = fields.String(required=True, metadata=told("Of these lines, each with a line feed."))


class Resignation(Open):
    """Who resigned, and when."""

    seat = fields.String(required=True)
    after = fields.Integer(required=True, metadata=told("How many moves had been made."))


class Ended(Open):
    """What ended the game."""

    by = growing("What ended it.", "rules", "resignation", "cancellation", required=True)
    after = fields.Integer(required=True, metadata=told("How many moves had been made."))


class Record(Open):
    """A finished game; `docs/fairness.md` says what follows from what, `python -m engine verify` checks it."""

    format = fields.String(required=True, metadata=told("Of records.", examples=["galapost-record"]))
    schema = fields.Integer(required=True, metadata=told("Another number is another form."))
    about = Given(About, required=True)
    rules = growing("The rule set that it was played by.", "evolution-1", required=True)
    seats = fields.Integer(required=True)
    options = fields.Dict(keys=fields.String(), values=fields.String(), required=True)
    commitment = fields.String(required=True)
    seed = fields.String(required=True, metadata=told("The 256 bits that all chance came from, in hex."))
    entropy = Given(Addition, many=True, required=True)
    deal = Given(Deal, required=True)
    moves = Given(RecordMove, many=True, required=True)
    events = Given(RecordEvent, many=True, required=True)
    result = Given(RecordResult, required=True)
    final = Given(Final, required=True)
    resignations = Given(
        Resignation, many=True, metadata=told("Only where somebody left before the end, as is `ended`.")
    )
    ended = Given(Ended)
