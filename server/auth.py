"""From the header `Authorization` to the caller."""

from __future__ import annotations

import base64

from flask import current_app, request

from server import limits, sealing
from server.errors import TokenMissing, TokenUnknown
from server.said import said
from server.services import tokens
from server.services.accounts import Caller


def caller() -> Caller:
    """Who asks. Raises when there is no token, or none that is good."""
    header = request.headers.get("Authorization", "")
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise TokenMissing(said("`Authorization: Bearer <token>` is expected"))
    return tokens.authenticate(token.strip())


def mail_server() -> None:
    """Whether it is one that may hand in mail: by the secret of this installation, as a token or as the password of anybody."""
    secret = current_app.config["GALAPOST"].inbound_secret
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    shown = {"bearer": given.strip(), "basic": _password(given)}.get(scheme.lower(), "")
    if secret is not None and shown and sealing.same(sealing.digest(shown), sealing.digest(secret)):
        return
    limits.count(None, limits.SIGNING_IN)  # who tries secrets has few tries
    if not shown:
        raise TokenMissing(said("the secret for mail is expected, as `Bearer` or as the password of `Basic`"))
    raise TokenUnknown(said("this is not the secret for mail"))


def _password(given: str) -> str:
    try:
        return base64.b64decode(given.strip(), validate=True).decode().partition(":")[2]
    except ValueError:
        return ""


def anybody() -> Caller | None:
    """The same where one may come without a token; a bad one is refused all the same."""
    return caller() if "Authorization" in request.headers else None
