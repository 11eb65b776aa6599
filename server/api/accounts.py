"""Signing in: a code by mail, a token for the code."""

from __future__ import annotations

from typing import Any

from flask import request

from server.api.smorest import NEVER_STORE, Resource
from server.errors import CodeExpired, NameTaken, WrongCode
from server.limits import SIGNING_IN
from server.schemas import accounts as schemas
from server.services import signing_in

blueprint = Resource(
    "accounts",
    __name__,
    url_prefix="/v1/accounts",
    description="Accounts without passwords: an address is proven by a code.",
)


@blueprint.operation("POST", "", body=schemas.SignIn, answer=schemas.SignInStarted, status=202, counts_as=SIGNING_IN)
def start_sign_in(body: dict[str, Any]) -> dict[str, Any]:
    """Have a code sent to an address

    The same call for a new account and for signing in again, and the same answer whoever that is. A code has 8 characters
    and is good for 15 minutes, five tries and one use; only the newest counts. At most three mails an hour go to an address.
    """
    return {"verification": signing_in.begin(body["email"], body["language"], request.remote_addr)}


@blueprint.operation(
    "POST",
    "/verification",
    body=schemas.Proof,
    answer=schemas.SignedIn,
    status=201,
    counts_as=SIGNING_IN,
    can_fail=(WrongCode, CodeExpired, NameTaken),
)
def finish_sign_in(body: dict[str, Any]) -> Any:
    """Get a token for the code

    The token has every scope but `admin` and lives for 90 days. An address that is new gets an account; if the name you
    wish for is taken the code stays valid, so ask again with another one.
    """
    return signing_in.prove(**body), NEVER_STORE
