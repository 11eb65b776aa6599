"""ETags: what they are made of, and what a client says with them (RFC 9110, 13)."""

from __future__ import annotations

import hashlib

from flask import request

from server import language
from server.errors import PreconditionFailed
from server.said import said
from server.services.looking import Version


def etag(version: Version, spoken: str | None = None) -> str:
    """Strong, and made of nothing but what the answer depends on: never of a state that the viewer sees only in part.

    That is its version, which begins with the kind of answer and so tells media types apart, and the language it is in.
    Where the time zone of the account makes a difference that is part of the version, too.
    """
    made_of = (*version, spoken or language.current())
    return f'"{hashlib.sha256(repr(made_of).encode()).hexdigest()[:32]}"'


def known(version: Version) -> bool:
    """Whether the client has this version already; compared weakly, as RFC 9110 wants it for If-None-Match.

    `*` is none that he has: it asks whether there is anything, which is known only when the answer is made."""
    tags = request.if_none_match
    return not tags.star_tag and tags.contains_weak(etag(version).strip('"'))


def expects(version: Version) -> None:
    """Refuses a change of what the client has not seen; a service calls it under the lock. A weak tag never matches.

    In whatever language it was seen: it is the same thing that is changed.
    """
    _check([etag(version, spoken).strip('"') for spoken in language.LANGUAGES])


def expects_nothing() -> None:
    """For what has no ETag: whoever names one means another thing."""
    _check([])


def _check(tags: list[str]) -> None:
    wanted = request.if_match
    if "If-Match" in request.headers and not wanted.star_tag and not any(map(wanted.contains, tags)):
        raise PreconditionFailed(said("it is no longer what you have: get it again before you change it"))
