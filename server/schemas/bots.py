from __future__ import annotations

from marshmallow import fields, validate

from engine.saying import said
from server.schemas.accounts import Name
from server.schemas.base import (
    NEXT_CURSOR,
    Closed,
    Integer,
    Open,
    PageQuery,
    QueryBoolean,
    Text,
    Time,
    Word,
    characters_expected,
    told,
)

FEWEST_SEATS, MOST_SEATS = 2, 8
PACES = ("none",)
MOST_GAMES = 1000

SEATS = told("Sizes of the tables that it sits down at.", examples=[[2, 3, 4]])
PACE = told("Kinds of clocks that it plays by; there is none yet.", examples=[["none"]])
GAMES_AT_ONCE = told("In how many games it sits at most.", examples=[20])

ENGINE = told("How it chooses, in a word or two.", examples=["greedy 1.2"])
DESCRIPTION = told("What people should know before they play against it.")


def _name(required: bool) -> Name:
    return Name(
        required=required,
        validate=validate.Length(2, 40, error=characters_expected(2, 40)),
        metadata=told("Nobody else may be called so, nor by what looks the same.", examples=["Darwinist"]),
    )


def _several(field: Integer | Word, count: int) -> dict[str, object]:
    return {
        "cls_or_instance": field,
        "validate": validate.Length(1, count, error=said("1 to {most} values are expected", most=count)),
    }


def _seats(**default: list[int]) -> fields.List:
    sizes = MOST_SEATS - FEWEST_SEATS + 1
    return fields.List(**_several(Integer(FEWEST_SEATS, MOST_SEATS), sizes), metadata=SEATS, **default)


def _pace(**default: list[str]) -> fields.List:
    return fields.List(**_several(Word(*PACES), len(PACES)), metadata=PACE, **default)


class NewAccepts(Closed):
    """What the bot lets itself in for; all games when left out."""

    seats = _seats(load_default=list(range(FEWEST_SEATS, MOST_SEATS + 1)))
    pace = _pace(load_default=list(PACES))
    games_at_once = Integer(1, MOST_GAMES, load_default=20, metadata=GAMES_AT_ONCE)


class AcceptsChanges(Closed):
    """What is left out stays."""

    seats = _seats()
    pace = _pace()
    games_at_once = Integer(1, MOST_GAMES, metadata=GAMES_AT_ONCE)


class NewBot(Closed):
    """A bot to be made."""

    name = _name(required=True)
    engine = Text(100, load_default=None, allow_none=True, metadata=ENGINE)
    description = Text(1000, load_default=None, allow_none=True, metadata=DESCRIPTION)
    accepts = fields.Nested(NewAccepts, load_default=lambda: NewAccepts().load({}))


class BotChanges(Closed):
    """What is left out stays."""

    name = _name(required=False)
    engine = Text(100, allow_none=True, metadata=ENGINE)
    description = Text(1000, allow_none=True, metadata=DESCRIPTION)
    accepts = fields.Nested(AcceptsChanges, metadata=told("What is left out stays."))


class Accepts(Open):
    """What a bot lets itself in for; other games it declines (`bot-declines`)."""

    seats = fields.List(fields.Integer(), required=True, metadata=SEATS)
    pace = fields.List(fields.String(), required=True, metadata=PACE)
    games_at_once = fields.Integer(required=True, metadata=GAMES_AT_ONCE)


class Bot(Open):
    """A bot, and what it lets itself in for."""

    id = fields.String(required=True)
    name = fields.String(required=True)
    owner = fields.String(required=True, metadata=told("Name of the account that made it: one person with it."))
    engine = fields.String(required=True, allow_none=True, metadata=ENGINE)
    description = fields.String(required=True, allow_none=True, metadata=DESCRIPTION)
    accepts = fields.Nested(Accepts, required=True)
    created_at = Time(required=True)


class BotQuery(PageQuery):
    mine = QueryBoolean(load_default=False, metadata=told("`true`: only those that I own."))


class BotList(Open):
    """A page of bots."""

    items = fields.List(fields.Nested(Bot), required=True)
    next_cursor = fields.String(required=True, allow_none=True, metadata=NEXT_CURSOR)
