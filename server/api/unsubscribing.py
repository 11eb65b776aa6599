"""No more mails of a kind, by the link in one of them."""

from __future__ import annotations

from typing import Any

from server.api.smorest import Resource
from server.errors import UnknownSubscription
from server.schemas import unsubscribing as schemas
from server.services import unsubscribing

blueprint = Resource(
    "unsubscribing",
    __name__,
    url_prefix="/v1/unsubscribe",
    description="No more mails of a kind, by the link in one of them.",
)


@blueprint.operation("GET", "/<string:token>", answer=schemas.Subscription, can_fail=(UnknownSubscription,))
def get_subscription(token: str) -> Any:
    """What unsubscribing would do

    Changes nothing: programs that look for viruses follow every link in a mail.
    """
    return unsubscribing.look(token)


@blueprint.operation(
    "POST",
    "/<string:token>",
    overlooks_its_body=True,
    answer=schemas.Subscription,
    can_fail=(UnknownSubscription,),
)
def unsubscribe(token: str) -> Any:
    """No more mails of this kind

    Mail readers send this for whoever presses their button (RFC 8058: a form, `List-Unsubscribe=One-Click`). Needs no token
    but that in the path, and may be said again and again. The kind of the mail that had the token is switched off for its
    account, by mail, and nothing else; a mail confirms it and tells how to undo it. Whatever is in the body changes nothing.
    """
    return unsubscribing.unsubscribe(token)
