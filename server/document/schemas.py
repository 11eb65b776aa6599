"""The schemas of the document: forms that apispec does not know by itself, and what each is about."""

from __future__ import annotations

import inspect

from marshmallow import fields

from server.api.smorest import Api
from server.document import glossary
from server.schemas.play import MOVE_OBJECT


def prepare(api: Api) -> None:
    api.register_field(fields.Url, "string", "uri")  # apispec says `url`, which is no format of JSON Schema
    api.spec.components.schema("MoveObject", MOVE_OBJECT)  # a map, which marshmallow has no class for


def describe(api: Api) -> None:
    """A schema's docstring is its description; a field says itself what it is, or the glossary does."""
    published = api.spec.components.schemas
    for key, name in api.ma_plugin.converter.refs.items():
        kind = key[0]
        if kind.__doc__:
            published[name]["description"] = inspect.cleandoc(kind.__doc__)
        glossary.describe_properties(published[name])
