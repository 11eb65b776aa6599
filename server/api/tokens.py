"""My tokens."""

from __future__ import annotations

from typing import Any

from server import queries
from server.api.paging import page
from server.api.smorest import NEVER_STORE, Resource
from server.errors import NoSuchToken, TooManyTokens
from server.schemas import tokens as schemas
from server.schemas.base import PageQuery
from server.services import tokens
from server.services.accounts import Caller

blueprint = Resource(
    "tokens", __name__, url_prefix="/v1/me/tokens", description="What my programs show instead of a password."
)


@blueprint.operation("GET", "", "account", query=PageQuery, answer=schemas.TokenList)
def list_my_tokens(caller: Caller, query: dict[str, Any]) -> Any:
    """My tokens, the oldest first

    Those that are not revoked; expired ones, too. `current` is the one that I ask with.
    """
    return page(queries.tokens_of(caller, **query))


@blueprint.operation(
    "POST",
    "",
    "account",
    body=schemas.NewToken,
    answer=schemas.TokenWithSecret,
    status=201,
    repeatable=True,
    can_fail=(TooManyTokens,),
)
def create_token(caller: Caller, body: dict[str, Any]) -> Any:
    """Make another token

    It can have no scope that the one I ask with has not, but may live longer. The answer has the token itself, this once.
    """
    return tokens.create(caller, **body), NEVER_STORE


@blueprint.operation("DELETE", "/<string:token_id>", "account", status=204, can_fail=(NoSuchToken,))
def revoke_token(caller: Caller, token_id: str) -> None:
    """Revoke a token

    It opens nothing any more. Revoking the one that I ask with is signing out.
    """
    tokens.revoke(caller, token_id)
