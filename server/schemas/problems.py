from __future__ import annotations

from marshmallow import fields

from server.schemas.base import Open, told


class Fault(Open):
    """A value or key at fault."""

    location = fields.String(data_key="in", metadata=told("Where it is.", examples=["body", "query", "header"]))
    pointer = fields.String(metadata=told("JSON pointer (RFC 6901) to the value or key.", examples=["/seats"]))
    column = fields.Integer(metadata=told("Of a line of text: where in it, from 1."))
    detail = fields.String(metadata=told("What was expected."))


class Problem(Open):
    """RFC 9457. `code` is stable; the texts are for people and may change."""

    type = fields.Url(required=True, metadata=told("Identifies the kind of problem, and leads to its description."))
    title = fields.String(required=True, metadata=told("The kind of problem in words."))
    status = fields.Integer(required=True, metadata=told("The HTTP status, once more."))
    code = fields.String(
        required=True, metadata=told("From the closed list of GET /v1/problems.", examples=["illegal-move"])
    )
    detail = fields.String(required=True, metadata=told("What was expected, and what came."))
    errors = fields.List(fields.Nested(Fault), metadata=told("Of a body, query or header at fault: each value or key."))
    reason = fields.String(
        metadata=told("Of `illegal-move`: which rule, from a closed list.", examples=["must-take-food"])
    )
    candidates = fields.List(fields.String(), metadata=told("Of `bad-notation`: what may have been meant."))
    needed = fields.List(fields.String(), metadata=told("Of `insufficient-scope`: one of these is enough."))
    answered = fields.String(metadata=told("Of `decision-closed`: the answer that you gave."))
    open = fields.Integer(metadata=told("Of `decision-not-open`: the number of the decision that is."))
    limit = fields.Integer(metadata=told("Of `body-too-large`: in bytes."))
    tries_left = fields.Integer(metadata=told("Of `wrong-code`."))


class ProblemKind(Open):
    """A problem code, and what it means."""

    code = fields.String(required=True, metadata=told("Stable: act on it."))
    status = fields.Integer(required=True, metadata=told("The HTTP status that it comes with."))
    title = fields.String(required=True, metadata=told("In words, in the language asked for."))
    about = fields.String(required=True, metadata=told("For whoever writes a client."))


class ProblemList(Open):
    """All problem codes there are."""

    items = fields.List(fields.Nested(ProblemKind), required=True)
