"""The caller himself, and what he owes."""

from __future__ import annotations

from typing import Any

from server import queries
from server.api.paging import page
from server.api.smorest import Resource
from server.schemas.accounts import Account
from server.schemas.base import PageQuery
from server.schemas.games import DecisionList
from server.services import accounts
from server.services.accounts import Caller

blueprint = Resource("me", __name__, url_prefix="/v1/me", description="Me, and what I owe.")


@blueprint.operation("GET", "", "account", answer=Account)
def get_me(caller: Caller) -> dict[str, Any]:
    """My account"""
    return accounts.about_me(caller)


@blueprint.operation("GET", "/decisions", "games:play", "games:read", query=PageQuery, answer=DecisionList)
def list_my_decisions(caller: Caller, query: dict[str, Any]) -> Any:
    """Every decision that I owe, across all games

    What has waited longest comes first. A bot does: take this list; for each item get the legal moves, choose, answer.
    """
    return page(queries.my_decisions(caller, **query))
