from __future__ import annotations

from datetime import timedelta

from marshmallow import fields, validate

from engine.saying import said
from server.schemas.base import NEXT_CURSOR, Closed, Duration, Open, Text, Time, Word, told

SCOPES = ("account", "games:read", "games:play", "webhooks", "bots", "admin")
BOT_SCOPES = ("games:read", "games:play", "webhooks")
LONGEST_NAME = 60
SHORTEST_LIFE, LIFE, LONGEST_LIFE = timedelta(minutes=1), timedelta(days=90), timedelta(days=365)


def scopes(*words: str) -> fields.List:
    """What a new token shall allow."""
    return fields.List(
        Word(*words),
        required=True,
        validate=validate.Length(1, len(words), error=said("1 to {most} scopes are expected", most=len(words))),
        metadata=told("What it allows.", examples=[["games:read", "games:play"]]),
    )


class NewToken(Closed):
    """What the token is for, and what it is to allow."""

    name = Text(LONGEST_NAME, required=True, metadata=told("To tell it from the others.", examples=["laptop"]))
    scopes = scopes(*SCOPES)
    expires_in = Duration(
        SHORTEST_LIFE,
        LONGEST_LIFE,
        load_default=LIFE,
        metadata=told("How long it is good; a year at most.", examples=["P30D"]),
    )


class NewBotToken(NewToken):
    """What the token of a bot is called, and what it is to allow."""

    scopes = scopes(*BOT_SCOPES)


class Token(Open):
    """A token, without the token itself."""

    id = fields.String(required=True)
    name = fields.String(required=True, metadata=told("What its owner calls it."))
    prefix = fields.String(required=True, metadata=told("Its first characters.", examples=["gp_4f7kq2ah"]))
    scopes = fields.List(fields.String(), required=True)
    current = fields.Boolean(required=True, metadata=told("Whether it is the one that you ask with."))
    created_at = Time(required=True)
    expires_at = Time(required=True)
    last_used_at = Time(required=True, allow_none=True, metadata=told("To some five minutes; null: it never was."))


class TokenWithSecret(Token):
    """A token, shown this once."""

    token = fields.String(
        required=True,
        allow_none=True,
        metadata=told("Shown this once; null when the request is repeated. Send it as `Authorization: Bearer …`."),
    )


class TokenList(Open):
    """A page of tokens."""

    items = fields.List(fields.Nested(Token), required=True)
    next_cursor = fields.String(required=True, allow_none=True, metadata=NEXT_CURSOR)
