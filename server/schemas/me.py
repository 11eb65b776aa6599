from __future__ import annotations

import functools
import zoneinfo
from collections.abc import Mapping
from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from engine.saying import said
from server.schemas.accounts import Address, Name
from server.schemas.base import Closed, Open, Text, Time, Word, characters_expected, told

NO_ZONES = ("Factory", "localtime")  # files that lie among those of the zones


@functools.cache
def zones() -> frozenset[str]:
    """The names of the IANA database that this machine knows."""
    return frozenset(zoneinfo.available_timezones().difference(NO_ZONES))


class TimeZone(fields.String):
    """By its IANA name. No list in the document: the names change with politics."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> str:
        name = str(super()._deserialize(value, attr, data, **kwargs))
        if name not in zones():
            raise ma.ValidationError(said("the IANA name of a time zone is expected, as in Europe/Riga"))
        return name


class AccountChanges(Closed):
    """What is left out stays."""

    name = Name(
        validate=validate.Length(2, 40, error=characters_expected(2, 40)),
        metadata=told("Nobody else may be called so, nor by what looks the same.", examples=["Anna"]),
    )
    language = Word("en", "ru", metadata=told("Of mails."))
    time_zone = TimeZone(metadata=told("By its IANA name: times in mails are told in it.", examples=["Europe/Riga"]))


class NewAddress(Closed):
    """The address that the account is to have."""

    email = Address(
        required=True,
        metadata=told("Where the code goes, and later everything else.", examples=["anna@example.org"]),
    )


class AddressChangeStarted(Open):
    """A code is on its way."""

    verification = fields.String(required=True, metadata=told("Goes with the code to POST /v1/me/email/verification."))


class AddressProof(Closed):
    """The code, and what it belongs to."""

    verification = Text(64, required=True, metadata=told("What POST /v1/me/email answered."))
    code = Text(32, required=True, metadata=told("From the mail; case does not matter.", examples=["K7WMQX2H"]))


def _rows(description: str) -> fields.List:
    """What is in a row is said by the names in it; they come and go with what the server keeps."""
    return fields.List(fields.Dict(), required=True, metadata=told(description))


class Export(Open):
    """What is stored about an account."""

    made_at = Time(required=True, metadata=told("When this was gathered."))
    account = fields.Dict(required=True, metadata=told("The account itself."))
    tokens = _rows("Without the tokens themselves: of those only digests are kept.")
    verifications = _rows("Codes that went to my address, or for another address of mine; without the codes.")
    repetitions = _rows("Requests with an `Idempotency-Key` in the last 48 hours.")
    feed = _rows("The counter of `GET /v1/me/events`.")
    feed_items = _rows("What that feed is made of.")
    webhooks = _rows("Without their secrets.")
    deliveries = _rows("What was sent to me, or is to be, with a log of the attempts; without the text.")
    preferences = _rows("What I want to be told, how and when.")
    mutes = _rows("Games that I want to hear nothing of.")
    mail_addresses = _rows("Addresses of the server's that answer me; without the tokens in them.")
    letters = _rows("Mails of mine that came in; without their text.")
    games = _rows(
        "Those that I host or play: `game` is what is public, `seat` mine, with every decision that I was asked and my answer."
    )
    messages = _rows("What I said at tables.")
    invitations_made = _rows("By me.")
    invitations_got = _rows("For me or for my address.")
    wants_no_invitations = fields.Boolean(required=True, metadata=told("Whether I said: never again."))
    bots = _rows("My bots: for each all of the above, and what is public about it.")
