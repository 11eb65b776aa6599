from __future__ import annotations

from marshmallow import fields

from server.schemas.base import Given, Open, growing, told


class RuleSetName(Open):
    """A rule set, in short."""

    id = fields.String(required=True, metadata=told("As records name it.", examples=["evolution-1"]))
    name = fields.String(required=True)
    about = fields.String(required=True, metadata=told("In a sentence."))
    link = fields.Url(required=True, metadata=told("The rule set in full."))


class RuleNumber(Open):
    """A number of the rules."""

    name = fields.String(required=True, metadata=told("What it counts, as a word.", examples=["most_seats"]))
    value = fields.Integer(required=True, metadata=told("How many."))
    text = fields.String(required=True, metadata=told("The same in a sentence."))


class RuleDeck(Open):
    """A deck to choose."""

    name = fields.String(required=True, metadata=told("A value of the option `deck`.", examples=["third-edition"]))
    cards = fields.Integer(required=True, metadata=told("How many; twice as many with `sets: two`."))


class RuleCard(Open):
    """A card, and how often it is there."""

    card = fields.String(required=True, metadata=told("As the notation names it.", examples=["large/carnivorous"]))
    traits = fields.List(fields.String(), required=True, metadata=told("One, or two: one at each end."))
    counts = fields.Dict(
        keys=fields.String(), values=fields.Integer(), required=True, metadata=told("How many each deck has.")
    )


class RuleTrait(Open):
    """A trait: one end of a card."""

    trait = fields.String(required=True, metadata=told("As the notation names it.", examples=["tail-loss"]))
    names = fields.Dict(
        keys=fields.String(), values=fields.String(), required=True, metadata=told("As people call it, by language.")
    )
    text = fields.String(required=True, metadata=told("What the card does."))
    need = fields.Integer(required=True, metadata=told("What it adds to the need of its animal."))
    placed = growing("On which animals it is played.", "own", "foreign", "pair", required=True)
    repeatable = fields.Boolean(required=True, metadata=told("Whether it may lie on one animal more than once."))
    excludes = fields.List(fields.String(), required=True, metadata=told("Traits that may not lie on the same animal."))
    action = fields.String(
        required=True,
        allow_none=True,
        metadata=told("The type of the move that it adds to feeding.", examples=["steal"]),
    )
    defence = fields.String(
        required=True, allow_none=True, metadata=told("The type of its answer to an attack.", examples=["run"])
    )


class RuleBank(Open):
    """How the dice make the food bank."""

    table = fields.String(required=True, metadata=told("A value of the option `bank-table`.", examples=["standard"]))
    seats = fields.Integer(required=True, metadata=told("At so many players."))
    dice = fields.Integer(required=True, metadata=told("How many are thrown."))
    added = fields.Integer(required=True, metadata=told("To their sum."))


class RuleValue(Open):
    """A value of a house rule."""

    value = fields.String(required=True, metadata=told("As `options` name it."))
    text = fields.String(required=True, metadata=told("What it means."))


class RuleOption(Open):
    """A house rule."""

    name = fields.String(required=True, metadata=told("In `options` of a new game.", examples=["bank-table"]))
    text = fields.String(required=True, metadata=told("What it decides."))
    default = fields.String(required=True, metadata=told("Its value where `options` say nothing."))
    values = fields.List(fields.Nested(RuleValue), required=True)


class RuleMove(Open):
    """A kind of move, and how it is written."""

    type = growing("The first word of its notation.", "feed", "attack", "pass", required=True)
    keys = fields.List(fields.String(), required=True, metadata=told("Of its JSON object; some only where they apply."))
    notation = fields.String(required=True, metadata=told("Its form.", examples=["attack A1 A1"]))
    text = fields.String(required=True, metadata=told("What it does."))


class RuleReason(Open):
    """A reason why a move is refused."""

    reason = fields.String(required=True, metadata=told("`reason` of the problem `illegal-move`."))
    text = fields.String(required=True)


class RuleSchemas(Open):
    """JSON Schemas (draft 2020-12), each complete by itself."""

    view = fields.Dict(keys=fields.String(), required=True, metadata=told("Of a table as somebody may see it."))
    move = fields.Dict(keys=fields.String(), required=True, metadata=told("Of a move as JSON."))
    event = fields.Dict(keys=fields.String(), required=True, metadata=told("Of an event in a feed."))


class RuleSet(RuleSetName):
    """Everything about a rule set that a client may want to show or to check with."""

    numbers = fields.List(fields.Nested(RuleNumber), required=True)
    decks = fields.List(fields.Nested(RuleDeck), required=True)
    cards = fields.List(fields.Nested(RuleCard), required=True)
    traits = fields.List(fields.Nested(RuleTrait), required=True)
    bank = fields.List(fields.Nested(RuleBank), required=True)
    options = fields.List(fields.Nested(RuleOption), required=True, metadata=told("House rules."))
    moves = fields.List(fields.Nested(RuleMove), required=True)
    events = fields.List(fields.String(), required=True, metadata=told("The types of what can happen in a game."))
    reasons = fields.List(fields.Nested(RuleReason), required=True, metadata=told("Why a move can be illegal."))
    schemas = Given(RuleSchemas, required=True)


class RuleSetList(Open):
    """All rule sets that games were ever played by."""

    items = fields.List(fields.Nested(RuleSetName), required=True)
    newest = fields.Nested(RuleSet, required=True, metadata=told("The one that new games are played by."))
