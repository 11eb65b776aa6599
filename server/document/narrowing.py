"""Whether whatever fits one schema fits another, as far as our documents use JSON Schema.

Of a request the old schema must fit into the new one: what was accepted, still is. Of an answer the new one must fit into the old
one: what comes is what was promised. Keys that a client does not know are no harm to him, so there an answer may grow.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]

ALL_TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"]
LEAST = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
MOST = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
SAME = ("format", "pattern", "multipleOf", "uniqueItems", "propertyNames")


def followed(document: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """The part itself, or what it refers to."""
    while "$ref" in part:
        found: Any = document
        for step in part["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        part = found
    return part


class Comparison:
    """Of two documents. A schema that many operations share is told of once."""

    def __init__(self, old: dict[str, Any], new: dict[str, Any]) -> None:
        self.old = old
        self.new = new
        self._compared: set[tuple[bool, str, str]] = set()

    def requests(self, old: Schema, new: Schema, where: str) -> Iterator[str]:
        yield from self._compare(old, new, where, answers=False)

    def answers(self, old: Schema, new: Schema, where: str) -> Iterator[str]:
        yield from self._compare(old, new, where, answers=True)

    def _compare(self, old: Schema, new: Schema, where: str, answers: bool) -> Iterator[str]:
        if "$ref" in old and "$ref" in new:
            pair = (answers, old["$ref"], new["$ref"])
            if pair in self._compared:
                return
            self._compared.add(pair)
            where = f"{new['$ref'].rpartition('/')[2]} in {'answers' if answers else 'requests'}"
        were, are = _variants(self.old, old), _variants(self.new, new)
        for one in are if answers else were:
            yield from self._fits_one_of(one, were if answers else are, where, answers)

    def _fits_one_of(self, one: Schema, others: list[Schema], where: str, answers: bool) -> Iterator[str]:
        """Complains as the variant of the same type does; where none has it, of the type."""
        complaints = [list(self._fits(one, other, where, answers)) for other in others if _same_type(one, other)]
        if not complaints:
            yield f"{where}: {_type(one)} is {'new' if answers else 'refused'}, not {' or '.join(map(_type, others))}"
        elif all(complaints):
            yield from complaints[0]

    def _fits(self, one: Schema, other: Schema, where: str, answers: bool) -> Iterator[str]:
        old, new = (other, one) if answers else (one, other)
        for key in _stricter(one, other):
            yield f"{where}: {key} was {_shown(old, key)}, is {_shown(new, key)}"
        if not answers and "default" in old and old["default"] != new.get("default"):
            yield f"{where}: default was {_shown(old, 'default')}, is {_shown(new, 'default')}"
        yield from self._items(old, new, where, answers)
        yield from self._properties(old, new, where, answers)
        yield from self._further(old, new, where, answers)
        yield from self._required(old, new, where, answers)

    def _items(self, old: Schema, new: Schema, where: str, answers: bool) -> Iterator[str]:
        if "items" in old or "items" in new:
            yield from self._compare(old.get("items", {}), new.get("items", {}), f"{where}, each", answers)

    def _properties(self, old: Schema, new: Schema, where: str, answers: bool) -> Iterator[str]:
        now = new.get("properties", {})
        for name, schema in old.get("properties", {}).items():
            if name not in now:
                yield f"{where}, {name}: it is gone"
                continue
            yield from self._compare(schema, now[name], f"{where}, {name}", answers)

    def _required(self, old: Schema, new: Schema, where: str, answers: bool) -> Iterator[str]:
        was, now = set(old.get("required", ())), set(new.get("required", ()))
        if answers:
            still_there = was & new.get("properties", {}).keys()
            yield from (f"{where}, {name}: it may be missing now" for name in sorted(still_there - now))
        else:
            yield from (f"{where}, {name}: it is required now" for name in sorted(now - was))

    def _further(self, old: Schema, new: Schema, where: str, answers: bool) -> Iterator[str]:
        """Keys that are not named. An answer may always have more of them."""
        was, now = old.get("additionalProperties", True), new.get("additionalProperties", True)
        if was is False or (was is now is True) or (answers and was is True):
            return
        if now is False:
            if not answers:
                yield f"{where}: further keys are refused now"
            return
        yield from self._compare(
            {} if was is True else was, {} if now is True else now, f"{where}, each value", answers
        )


def _variants(document: dict[str, Any], schema: Schema | bool) -> list[Schema]:
    """As many schemas of one type each, without references and combinations at their top."""
    schema = _merged(document, {} if isinstance(schema, bool) else schema)
    for combination in ("anyOf", "oneOf"):
        if combination in schema:
            rest = {key: value for key, value in schema.items() if key != combination}
            of_each = [_variants(document, {"allOf": [rest, part]}) for part in schema[combination]]
            return [variant for variants in of_each for variant in variants]
    types = schema.get("type")
    return [schema | {"type": kind} for kind in types] if isinstance(types, list) else [schema]


def _merged(document: dict[str, Any], schema: Schema) -> Schema:
    schema = followed(document, schema)
    if "allOf" not in schema:
        return schema
    whole = {key: value for key, value in schema.items() if key != "allOf"}
    for part in schema["allOf"]:
        one = _merged(document, part)
        together: Schema = {"properties": {**whole.get("properties", {}), **one.get("properties", {})}}
        together["required"] = [*whole.get("required", []), *one.get("required", [])]
        whole = {**whole, **one, **{key: value for key, value in together.items() if value}}
    return whole


def _same_type(one: Schema, other: Schema) -> bool:
    whole_number = one.get("type") == "integer" and other.get("type") == "number"
    return "type" not in other or one.get("type") == other["type"] or whole_number


def _type(schema: Schema) -> str:
    return str(schema.get("type", "anything"))


def _stricter(one: Schema, other: Schema) -> Iterator[str]:
    """The keywords by which `other` refuses some of what fits `one`."""
    if (words := _words(other)) is not None and not (set(_words(one) or ["anything"]) <= set(words)):
        yield "enum"
    for key in LEAST:
        if key in other and one.get(key, float("-inf")) < other[key]:
            yield key
    for key in MOST:
        if key in other and one.get(key, float("inf")) > other[key]:
            yield key
    yield from (key for key in SAME if other.get(key) and one.get(key) != other[key])


def _words(schema: Schema) -> list[str] | None:
    words = [schema["const"]] if "const" in schema else schema.get("enum")
    return None if words is None else [repr(word) for word in words]


def _shown(schema: Schema, key: str) -> str:
    if key == "enum":
        return ", ".join(_words(schema) or ["anything"])
    return str(schema.get(key, "absent"))
