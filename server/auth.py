"""From the header `Authorization` to the caller."""

from __future__ import annotations

from flask import request

from server.errors import TokenMissing
from server.services import accounts
from server.services.accounts import Caller


def caller() -> Caller:
    """Who asks. Raises when there is no token, or none that is good."""
    header = request.headers.get("Authorization", "")
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise TokenMissing("`Authorization: Bearer <token>` is expected")
    return accounts.authenticate(token.strip())


def anybody() -> Caller | None:
    """The same where one may come without a token; a bad one is refused all the same."""
    return caller() if "Authorization" in request.headers else None
