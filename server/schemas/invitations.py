from __future__ import annotations

from typing import Any

import marshmallow as ma
from marshmallow import fields

from engine.saying import said
from server.schemas.accounts import Address
from server.schemas.base import (
    NEXT_CURSOR,
    Boolean,
    Closed,
    Open,
    Text,
    Time,
    Word,
    growing,
    told,
)
from server.schemas.games import Game

TO = ("account", "email", "link")
STATE = growing("Where it stands.", "open", "accepted", "refused", "withdrawn", "expired", required=True)
KIND = growing("How the seat is offered.", *TO, required=True)


class NewInvitation(Closed):
    """To exactly one: `account`, `email` or `link`."""

    account = Text(80, metadata=told("An account, by its name or its id: nobody else can accept.", examples=["Bob"]))
    email = Address(
        metadata=told("An address, whether it has an account or not: you are not told.", examples=["bob@example.org"]),
    )
    link = Boolean(metadata=told("`true`: a link for you to pass on; who comes first has the seat."))
    language = Word(
        "en",
        "ru",
        metadata=told("Of the mail to an address that has no account here; by default yours. Only with `email`."),
    )

    @ma.validates_schema
    def to_one(self, data: dict[str, Any], **_: Any) -> None:
        if len([name for name in TO if data.get(name)]) != 1:
            raise ma.ValidationError(said("one of {words} is expected", words=TO))
        if "language" in data and "email" not in data:
            raise ma.ValidationError({"language": [said("it is expected with `email` only")]})

    @ma.post_load
    def without_link(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        """With neither an account nor an address it is a link that is wanted."""
        return {name: value for name, value in data.items() if name != "link"}


class Invitation(Open):
    """As its host sees it."""

    id = fields.String(required=True, metadata=told("To withdraw it.", examples=["i_…"]))
    game = fields.String(required=True)
    kind = KIND
    to = fields.String(
        required=True,
        allow_none=True,
        metadata=told("Name or address; null for a link, and for an address once it is settled."),
    )
    state = STATE
    created_at = Time(required=True)
    expires_at = Time(required=True, metadata=told("If the game does not start before."))
    settled_at = Time(required=True, allow_none=True)
    token = fields.String(
        required=True, allow_none=True, metadata=told("Of a link, shown this once. Whoever has it may take the seat.")
    )
    link = fields.Url(required=True, allow_none=True, metadata=told("The same as an address to pass on."))


class InvitationList(Open):
    """A page of invitations to a game."""

    items = fields.List(fields.Nested(Invitation), required=True)
    next_cursor = fields.String(required=True, allow_none=True, metadata=NEXT_CURSOR)


class InvitationLinks(Open):
    """Where an invitation is looked at and answered."""

    invitation = fields.Url(required=True, metadata=told("GET it: looking changes nothing."))
    acceptance = fields.Url(required=True, metadata=told("POST here to take the seat."))
    refusal = fields.Url(required=True, metadata=told("POST here to refuse it."))
    never_again = fields.Url(required=True, metadata=told("POST here to refuse it, and all mails with invitations."))


class Offer(Open):
    """An invitation as the invited sees it."""

    id = fields.String(required=True)
    kind = KIND
    state = STATE
    inviter = fields.String(required=True, metadata=told("The name of the host."))
    game = fields.Nested(
        Game, required=True, allow_none=True, metadata=told("What is public about the game; null when it is settled.")
    )
    created_at = Time(required=True)
    expires_at = Time(required=True, metadata=told("If the game does not start before."))
    links = fields.Nested(InvitationLinks, required=True)


class OfferList(Open):
    """A page of seats that are offered to me."""

    items = fields.List(fields.Nested(Offer), required=True)
    next_cursor = fields.String(required=True, allow_none=True, metadata=NEXT_CURSOR)
