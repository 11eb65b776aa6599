from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from server.schemas.base import Closed, Open, Text, Time, Word, growing, printable, told

# Letters of any script; nothing that needs quoting anywhere. Separators stand alone, between two others.
NAME = re.compile(r"[^\W_]+(?:[ ._'-][^\W_]+)*")
FILLERS = "\u115f\u1160\u3164\uffa0"  # letters to Unicode, nothing to the eye


class Address(fields.Email):
    """Of a host with a name: a literal address is a machine of somebody's network, this one's perhaps."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> str:
        address = str(super()._deserialize(value, attr, data, **kwargs))
        if address.rpartition("@")[2].startswith("["):
            raise self.make_error("invalid")
        return address


class Name(fields.String):
    """Composed first: some keyboards send й as two characters, of which the second is no letter."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> str:
        name = unicodedata.normalize("NFC", super()._deserialize(value, attr, data, **kwargs) or "")
        if NAME.fullmatch(name) is None:
            raise ma.ValidationError(
                "letters and digits are expected, with one space or . _ ' - between two of them at most"
            )
        if unicodedata.normalize("NFKC", name) != name or any(sign in FILLERS for sign in name):
            raise ma.ValidationError("plain letters and digits are expected: no ligatures, wide or invisible ones")
        return name


class SignIn(Closed):
    email = Address(
        required=True,
        validate=[validate.Length(max=254), printable],
        metadata=told("Where the code goes.", examples=["ann@example.org"]),
    )
    language = Word("en", "ru", load_default="en", metadata=told("Of mails, for an account that is new."))


class SignInStarted(Open):
    verification = fields.String(required=True, metadata=told("Goes with the code to POST /v1/accounts/verification."))


class Proof(Closed):
    verification = Text(64, required=True, metadata=told("What POST /v1/accounts answered."))
    code = Text(32, required=True, metadata=told("From the mail; case does not matter.", examples=["K7WMQX2H"]))
    name = Name(
        validate=validate.Length(2, 40, error="2 to 40 characters are expected"),
        metadata=told(
            "How a new account is called; without one a name is made up. To an account that exists it means nothing.",
            examples=["Ann"],
        ),
    )


class Account(Open):
    id = fields.String(required=True)
    name = fields.String(required=True)
    email = fields.String(required=True, allow_none=True, metadata=told("Null for a bot."))
    language = growing("Of mails.", "en", "ru", required=True)
    kind = growing("Of account.", "person", "bot", required=True)
    created_at = Time(required=True)


class SignedIn(Open):
    token = fields.String(required=True, metadata=told("Shown this once. Send it as `Authorization: Bearer …`."))
    scopes = fields.List(fields.String(), required=True)
    expires_at = Time(required=True)
    account = fields.Nested(Account, required=True)
