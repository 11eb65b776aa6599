"""Mail that somebody else has taken in for us."""

from __future__ import annotations

from typing import Any

from server import auth, limits
from server.api.smorest import Resource
from server.errors import RateLimited, TokenMissing, TokenUnknown
from server.schemas import inbound as schemas
from server.services.inbound import receiving

blueprint = Resource("mail", __name__, url_prefix="/v1/inbound", description="Letters that come in.")


@blueprint.operation(
    "POST",
    "/mail",
    query=schemas.Addressed,
    raw=("message/rfc822", receiving.LARGEST),
    answer=schemas.TakenIn,
    status=202,
    guard=auth.mail_server,
    counts_as=limits.UNCOUNTED,
    can_fail=(TokenMissing, TokenUnknown, RateLimited),
)
def hand_in_mail(query: dict[str, Any], body: bytes) -> Any:
    """Hand in a letter

    For mail providers that post what they receive: the whole message as it came, up to 1 MiB, once for each recipient. Who
    may is whoever has the secret that this server was set up with (`GALAPOST_INBOUND_SECRET`). The answer comes when the
    letter is stored; the same letter once more is the same letter, and one for nobody is kept apart. While the database is
    away it is 503: send it again later.
    """
    return receiving.handed_in(query.get("recipient"), body)
