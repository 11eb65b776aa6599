"""Talk at the table."""

from __future__ import annotations

from typing import Any

from server.api.paging import feed
from server.api.smorest import Resource
from server.errors import NotAPlayer, TalkOver, UnknownGame
from server.schemas import messages as schemas
from server.services import talking
from server.services.accounts import Caller

blueprint = Resource(
    "messages", __name__, url_prefix="/v1/games/<string:game_id>", description="Talk at the table, among its players."
)


@blueprint.operation(
    "POST",
    "/messages",
    "games:play",
    body=schemas.NewMessage,
    answer=schemas.Message,
    status=201,
    repeatable=True,
    can_fail=(UnknownGame, NotAPlayer, TalkOver),
)
def send_message(caller: Caller, game_id: str, body: dict[str, Any]) -> Any:
    """Say something to the table

    For its players alone, from the moment they sit down until seven days after the end. Nobody else reads it.
    """
    return talking.say(caller, game_id, **body)


@blueprint.operation(
    "GET",
    "/messages",
    "games:play",
    "games:read",
    query=schemas.MessageQuery,
    answer=schemas.MessageList,
    can_fail=(UnknownGame, NotAPlayer),
)
def list_messages(caller: Caller, game_id: str, query: dict[str, Any]) -> Any:
    """What was said at the table, in order

    A feed to be resumed: ask again with `next_after` as `after`. `/v1/me/events` tells when there is something new.
    """
    return feed(talking.messages(caller, game_id, **query))
