from __future__ import annotations

from marshmallow import fields

from server.schemas.base import Open, told
from server.schemas.rules import RuleSetName


class Entry(Open):
    """The way in."""

    name = fields.String(required=True, metadata=told("Of this software."))
    version = fields.String(
        required=True, metadata=told("Of this software; the contract is versioned by its path, `/v1`.")
    )
    links = fields.Dict(keys=fields.String(), values=fields.Url(), required=True, metadata=told("The ways in."))
    templates = fields.Dict(
        keys=fields.String(),
        values=fields.String(),
        required=True,
        metadata=told("The ways to what has a name or an id: URI templates (RFC 6570)."),
    )
    limits = fields.Dict(
        keys=fields.String(),
        values=fields.Integer(),
        required=True,
        metadata=told("Numbers that a client may run into."),
    )
    rule_sets = fields.List(
        fields.Nested(RuleSetName), required=True, metadata=told("What is played by, the newest last.")
    )
    options = fields.Dict(
        keys=fields.String(),
        values=fields.List(fields.String()),
        required=True,
        metadata=told("House rules and their values; the first is the default."),
    )
    languages = fields.List(fields.String(), required=True, metadata=told("What `Accept-Language` may ask for."))


class Health(Open):
    """Whether the process is alive."""

    status = fields.String(required=True, metadata=told("In a word.", examples=["alive"]))


class Readiness(Open):
    """Whether the server can do its work."""

    status = fields.String(required=True, metadata=told("In a word.", examples=["ready"]))
    degraded = fields.List(
        fields.String(),
        required=True,
        metadata=told("What does not work as it should, though moves are safe.", examples=[["broker"]]),
    )
