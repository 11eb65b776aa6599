from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from server.said import said
from server.schemas.base import Closed, Open, Text, Time, Word, characters_expected, growing, printable, told

# Letters of any script; nothing that needs quoting anywhere. Separators stand alone, between two others.
NAME = re.compile(r"[^\W_]+(?:[ ._'-][^\W_]+)*")
LONGEST_ADDRESS = 254  # characters that mail servers agree on
FILLERS = "\u115f\u1160\u3164\uffa0"  # letters to Unicode, nothing to the eye


class Address(fields.Email):
    """Of a host with a name: a literal address is a machine of somebody's network, this one's perhaps."""

    def __init__(self, **kwargs: Any) -> None:
        length = validate.Length(max=LONGEST_ADDRESS, error=characters_expected(1, LONGEST_ADDRESS))
        super().__init__(validate=[length, printable], **kwargs)

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
                said("letters and digits are expected, with one space or . _ ' - between two of them at most")
            )
        if unicodedata.normalize("NFKC", name) != name or any(sign in FILLERS for sign in name):
            raise ma.ValidationError(
                said("plain letters and digits are expected: no ligatures, wide or invisible ones")
            )
        return name


class SignIn(Closed):
    """Whose address is to be proven."""

    email = Address(
        required=True,
        metadata=told("Where the code goes.", examples=["ann@example.org"]),
    )
    language = Word("en", "ru", load_default="en", metadata=told("Of mails, for an account that is new."))


class SignInStarted(Open):
    """A code is on its way, if the address may get one."""

    verification = fields.String(required=True, metadata=told("Goes with the code to POST /v1/accounts/verification."))


class Proof(Closed):
    """The code, and what it belongs to."""

    verification = Text(64, required=True, metadata=told("What POST /v1/accounts answered."))
    code = Text(32, required=True, metadata=told("From the mail; case does not matter.", examples=["K7WMQX2H"]))
    name = Name(
        validate=validate.Length(2, 40, error=characters_expected(2, 40)),
        metadata=told(
            "How a new account is called; without one a name is made up. To an account that exists it means nothing.",
            examples=["Ann"],
        ),
    )


class Mail(Open):
    """Whether mail reaches the account."""

    state = growing("Of the address.", "ok", "dead", required=True)
    since = Time(required=True, allow_none=True, metadata=told("Since when nothing but codes is sent there."))
    reason = fields.String(
        required=True,
        allow_none=True,
        metadata=told("What its mail server said.", examples=["5.1.1 550 no such user"]),
    )


class Account(Open):
    """An account, as its owner sees it."""

    id = fields.String(required=True)
    name = fields.String(required=True, metadata=told("What you are called at every table; nobody else is."))
    email = fields.String(required=True, allow_none=True, metadata=told("Null for a bot."))
    language = growing("Of mails.", "en", "ru", required=True)
    time_zone = fields.String(
        required=True, metadata=told("Of times in mails, by its IANA name.", examples=["Europe/Riga"])
    )
    kind = growing("Of account.", "person", "bot", required=True)
    created_at = Time(required=True)
    mail = fields.Nested(
        Mail,
        required=True,
        allow_none=True,
        metadata=told(
            "Whether mail reaches me. A dead address is written to again when I sign in by a code, or have another one. Null"
            " for a bot."
        ),
    )


class Me(Account):
    """Whose token it is. Without the scope `account` there are only `id`, `name`, `language` and `kind`."""

    TOLD_TO_ALL = ("id", "name", "language", "kind")

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        field_obj.required = field_name in self.TOLD_TO_ALL


class SignedIn(Open):
    """A fresh token, and whose it is."""

    token = fields.String(required=True, metadata=told("Shown this once. Send it as `Authorization: Bearer …`."))
    scopes = fields.List(fields.String(), required=True)
    expires_at = Time(required=True)
    account = fields.Nested(Account, required=True)
