"""From the header `Idempotency-Key` to what a service asks `repeating` with."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace

from flask import g, request

from server.errors import InvalidHeader
from server.said import said
from server.services.accounts import Caller
from server.services.repeating import Asked

HEADER = "Idempotency-Key"
REPLAYED = {"Idempotency-Replayed": "true"}
LONGEST = 255
SHAPE = re.compile(f"[ -~]{{1,{LONGEST}}}")


def repeatable(caller: Caller, operation: str) -> Caller:
    """The caller with what makes this request the same as an earlier one, if he sent a key."""
    key = request.headers.get(HEADER)
    if key is None:
        return caller
    if SHAPE.fullmatch(key) is None:
        detail = said("1 to {most} printable ASCII characters are expected", most=LONGEST)
        raise InvalidHeader(detail, errors=[{"in": "header", "pointer": f"/{HEADER}", "detail": detail}])
    # The path as a digest: it may hold the token of an invitation, which is kept nowhere as it is.
    asked = Asked(f"{operation} {_digest(request.path)}", key, _digest(json.dumps(g.body_as_sent, sort_keys=True)))
    return replace(caller, repetition=asked)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
