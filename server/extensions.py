"""How Flask and flask-smorest are set up."""

from __future__ import annotations

from typing import Any

import orjson
from flask.json.provider import JSONProvider

from server import __version__
from server.services.status import LARGEST_BODY

CONFIG: dict[str, Any] = {
    "MAX_CONTENT_LENGTH": LARGEST_BODY,
    "API_TITLE": "Galapost",
    "API_VERSION": __version__,
    "OPENAPI_VERSION": "3.1.0",
}


class Json(JSONProvider):
    """orjson: several times as fast as the standard library, and strict."""

    def dumps(self, obj: Any, **_: Any) -> str:
        return orjson.dumps(obj).decode()

    def loads(self, s: str | bytes, **_: Any) -> Any:
        return orjson.loads(s)
