"""Public profiles."""

from __future__ import annotations

from typing import Any

from server.api.smorest import Resource
from server.errors import UnknownUser
from server.schemas import users as schemas
from server.services import users

blueprint = Resource("users", __name__, url_prefix="/v1/users", description="What everybody may know about a player.")


@blueprint.operation("GET", "/<string:name>", answer=schemas.User, can_fail=(UnknownUser,))
def get_user(name: str) -> dict[str, Any]:
    """The public profile of a player

    By his name, or by one that looks the same: no two accounts have such names. The counts are of all games, those that no
    list shows, too; they don't tell which, nor with whom.
    """
    return users.show(name)
