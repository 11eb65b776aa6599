"""Bots: accounts that somebody owns."""

from __future__ import annotations

from typing import Any

from server import links, queries
from server.api.paging import page
from server.api.smorest import ANYBODY, NEVER_STORE, Resource, known
from server.errors import NameTaken, NoSuchToken, NotTheOwner, TokenMissing, TooManyBots, TooManyTokens, UnknownBot
from server.schemas import bots as schemas
from server.schemas import tokens as token_schemas
from server.schemas.base import PageQuery
from server.services import bots, deletion
from server.services.accounts import Caller
from server.services.looking import Expects

blueprint = Resource(
    "bots",
    __name__,
    url_prefix="/v1/bots",
    description="Accounts that programs play with, each owned by a person. An owner and his bots count as one person.",
)

CANT_TOUCH = (UnknownBot, NotTheOwner)


@blueprint.operation("GET", "", ANYBODY, query=schemas.BotQuery, answer=schemas.BotList, can_fail=(TokenMissing,))
def list_bots(caller: Caller | None, query: dict[str, Any]) -> Any:
    """All bots, the oldest first

    With what each lets itself in for.
    """
    return page(queries.list_bots(caller, **query))


@blueprint.operation(
    "POST",
    "",
    "bots",
    body=schemas.NewBot,
    answer=schemas.Bot,
    status=201,
    repeatable=True,
    can_fail=(NameTaken, TooManyBots),
)
def create_bot(caller: Caller, body: dict[str, Any]) -> Any:
    """Make a bot

    An account of its own, which I own. It plays with tokens of its own (POST /v1/bots/{bot_id}/tokens), joins games like
    anybody, and can be invited. Beyond `accepts` it is not seated, not even by its own token.
    """
    made = bots.create(caller, **body)
    return made, {"Location": links.to(f"/v1/bots/{made.body['id']}")}


@blueprint.operation("GET", "/<string:bot_id>", ANYBODY, answer=schemas.Bot, versioned=True, can_fail=(UnknownBot,))
def get_bot(caller: Caller | None, bot_id: str) -> Any:
    """A bot"""
    return bots.show(bot_id, known)


@blueprint.operation(
    "PATCH",
    "/<string:bot_id>",
    "bots",
    body=schemas.BotChanges,
    answer=schemas.Bot,
    conditional=True,
    can_fail=(*CANT_TOUCH, NameTaken),
)
def change_bot(caller: Caller, bot_id: str, body: dict[str, Any], expects: Expects) -> Any:
    """Change a bot of mine

    What is left out stays, in `accepts`, too. Games that it sits in already it plays on.
    """
    return bots.change(caller, bot_id, body, expects)


@blueprint.operation("DELETE", "/<string:bot_id>", "bots", status=204, conditional=True, can_fail=CANT_TOUCH)
def delete_bot(caller: Caller, bot_id: str, expects: Expects) -> None:
    """Delete a bot of mine

    As an account is deleted: it leaves open games, the house plays on for it in running ones, finished ones keep its seat
    under a name that tells nothing.
    """
    deletion.delete_bot(caller, bot_id, expects)


@blueprint.operation(
    "GET", "/<string:bot_id>/tokens", "bots", query=PageQuery, answer=token_schemas.TokenList, can_fail=CANT_TOUCH
)
def list_bot_tokens(caller: Caller, bot_id: str, query: dict[str, Any]) -> Any:
    """Tokens of a bot of mine, the oldest first

    Those that are not revoked.
    """
    return page(queries.tokens_of(caller, **query, bot_id=bot_id))


@blueprint.operation(
    "POST",
    "/<string:bot_id>/tokens",
    "bots",
    body=token_schemas.NewBotToken,
    answer=token_schemas.TokenWithSecret,
    status=201,
    repeatable=True,
    can_fail=(*CANT_TOUCH, TooManyTokens),
)
def create_bot_token(caller: Caller, bot_id: str, body: dict[str, Any]) -> Any:
    """Make a token for a bot of mine

    The answer has the token itself, this once. Whoever has it plays as the bot, and sees its hands.
    """
    return bots.create_token(caller, bot_id, **body), NEVER_STORE


@blueprint.operation(
    "DELETE", "/<string:bot_id>/tokens/<string:token_id>", "bots", status=204, can_fail=(*CANT_TOUCH, NoSuchToken)
)
def revoke_bot_token(caller: Caller, bot_id: str, token_id: str) -> None:
    """Revoke a token of a bot of mine

    It opens nothing any more.
    """
    bots.revoke_token(caller, bot_id, token_id)
