"""Single schemas out of the document, complete by themselves, for clients that check with them."""

from __future__ import annotations

import json
import re
from typing import Any

DIALECT = "https://json-schema.org/draft/2020-12/schema"
HERE, THERE = "#/components/schemas/", "#/$defs/"


def excerpt(document: dict[str, Any], name: str) -> dict[str, Any]:
    """The JSON Schema of that name with everything that it refers to."""
    published = document["components"]["schemas"]
    ahead, parts = {name}, dict[str, Any]()
    while ahead:
        parts |= {one: published[one] for one in ahead}
        ahead = set(re.findall(HERE + r'([^"]+)', json.dumps(parts))) - parts.keys()
    found: dict[str, Any] = json.loads(json.dumps(dict(sorted(parts.items()))).replace(HERE, THERE))
    return {"$schema": DIALECT, "$ref": THERE + name, "$defs": found}
