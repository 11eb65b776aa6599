"""What can be wrong with a request, found out of the document: each case with what it is, and where a refusal has to point.

A value is wrong when its schema says so; a value that the schema lets pass, but that is odd, may be refused or taken."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jsonschema_rs

from server.document.narrowing import followed

Document = dict[str, Any]
JSON = "application/json"
LARGEST_BODY = 256 * 1024

# Of every type, and what libraries like to take for another one.
WRONG: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 7, 1.5, 1e300, 2**31, 2**63, -(2**63) - 1, 10**40),
    *("", " ", "1", "true", "null", "no such word", "x" * 3000, "Ω" * 300),
    *([], [None], [[]], ["x"] * 100, {}, {"": None}, {"x": {"y": {}}}),
)
WRONG_IN_SHORT = (None, True, 7, "no such word", [], {})
NESTED = json.loads("[" * 400 + "]" * 400)
# Text that is text, and trouble all the same: for databases, for terminals, for whoever compares.
SURPRISES = (
    *("\0", "a\nb", "\x1b[31mred", "\x7f", "\u2028", "\ufeffx", "\ufffe", "\u202egnp.exe", "\u200b", "\u3164"),
    *("e\u0301", "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍", "ﬁ", "ＡＮＮ", "ſı", "İ", "ß" * 40, "👩‍👩‍👧‍👦", "\U000e0041", "\U0010ffff"),
    *("’; DROP TABLE game; --", "${7*7}{{7*7}}%s%n", "../..", "<b>", "-", "NaN", "١٢٣", "  ", "A" * 40),
)  # fmt: skip


@dataclass(frozen=True)
class Spoiled:
    """A request body that is wrong: how it is sent, and what has to come."""

    what: str
    sent: dict[str, Any]  # for the test client
    status: int
    codes: tuple[str, ...]
    pointer: str | None = None  # of one fault at least, or of what lies below


def as_json(body: Any) -> dict[str, Any]:
    """For the test client, whose own way of writing JSON knows no numbers as large as these."""
    return {"data": json.dumps(body), "content_type": JSON}


# Bodies as a whole


def wholes(good: dict[str, Any], required: bool) -> Iterator[Spoiled]:
    """Not JSON, not an object, not of the right media type, not of a reasonable size."""
    text = json.dumps(good)
    for what, data in _no_json(text):
        yield Spoiled(what, {"data": data, "content_type": JSON}, 400, ("malformed-json",))
    for kind in ("text/plain", "text/json", "application/x-www-form-urlencoded", "multipart/form-data", "*/*", "x", ""):
        yield _of_another_type(f"sent as {kind!r}", {"data": text, "content_type": kind})
    yield _of_another_type("in UTF-16", {"data": text.encode("utf-16"), "content_type": f"{JSON}; charset=utf-16"})
    yield _of_another_type("zipped", {"data": text, "content_type": JSON, "headers": {"Content-Encoding": "gzip"}})
    if required:
        yield _of_another_type("nothing at all", {})
        yield Spoiled("nothing, as JSON", {"data": "", "content_type": JSON}, 400, ("malformed-json",))
    yield Spoiled("null", {"data": "null", "content_type": JSON}, 422, ("null-body",))
    for value in ([], [good], "x", 7, 1.5, True, NESTED):
        yield Spoiled(f"{str(value)[:20]} and no object", as_json(value), 422, ("invalid-body",), "")
    padded = {"data": text + " " * LARGEST_BODY, "content_type": JSON}
    yield Spoiled("too large", padded, 413, ("body-too-large",))


def _of_another_type(what: str, sent: dict[str, Any]) -> Spoiled:
    return Spoiled(what, sent, 415, ("unsupported-media-type",))


def _no_json(text: str) -> Iterator[tuple[str, bytes]]:
    inner = text[1:-1]
    yield "cut off", text[:-1].encode()
    yield "with something behind it", text.encode() + b"x"
    yield "two of them", text.encode() * 2
    yield "with a byte order mark", b"\xef\xbb\xbf" + text.encode()
    yield "nested too deep", b"[" * 60_000
    yield "with quotes of the wrong kind", text.replace('"', "'").encode() if '"' in text else b"{'a': 1}"
    for what, pair in {
        "with half a surrogate pair": '"x": "\\ud800"',
        "with no number": '"x": NaN',
        "with no end of a number": '"x": -Infinity',
        "with a number of 5,000 digits": f'"x": {"9" * 5000}',
        "with a key twice": '"x": 1, "x": 1',
        "with a key twice, written differently": '"x": 1, "\\u0078": 1',
        "with a control character in a text": '"x": "\t"',
        "with a comma too many": '"x": 1,',
        "with a comment": '"x": 1 /* one */',
    }.items():
        yield what, ("{" + ", ".join(filter(None, (inner, pair))) + "}").encode()
    yield "with a byte that is no UTF-8", b'{"x": "\xff"}'


# Values in a body


def unknown_keys(good: dict[str, Any]) -> Iterator[Spoiled]:
    for key, pointer in {
        "colour": "/colour",
        "a/b~c": "/a~1b~0c",
        "": "/",
        "__proto__": "/__proto__",
        "é\0": "/é\0",
    }.items():
        yield Spoiled(f"a key {key!r}", as_json({**good, key: 1}), 422, ("unknown-body-key",), pointer)


def values(document: Document, schema: Document, good: Any) -> Iterator[Spoiled]:
    """Wherever something stands, or could stand: what must not stand there."""
    seen: list[Any] = []
    for steps, below, required in places(document, schema, good):
        alike = {key: value for key, value in below.items() if key not in ("description", "examples")}
        often = seen.count(alike) > 1  # where many places are alike the rest is tried in short
        seen.append(alike)
        for value in (*(WRONG if not often else WRONG_IN_SHORT), NESTED, *_beyond(below)):
            if not fits(document, below, value):
                yield _refused(f"{pointer(steps)} as {_short(value)}", put(good, steps, value), steps)
        if required:
            yield _refused(f"without {pointer(steps)}", without(good, steps), steps)
        if followed(document, below).get("additionalProperties") is False:
            yield _refused(f"an unknown key in {pointer(steps)}", put(good, (*steps, "colour"), 1), (*steps, "colour"))


def _refused(what: str, body: Any, steps: tuple[Any, ...]) -> Spoiled:
    return Spoiled(what, as_json(body), 422, ("invalid-body", "unknown-body-key", "bad-option"), pointer(steps))


def surprises(document: Document, schema: Document, good: Any) -> Iterator[tuple[str, Any]]:
    """Bodies with odd text, wherever the schema lets text pass."""
    for steps, below, _ in places(document, schema, good):
        for text in SURPRISES:
            if fits(document, below, text):
                yield f"{pointer(steps)} as {text!r}", put(good, steps, text)


def places(
    document: Document, schema: Document, good: Any, steps: tuple[Any, ...] = ()
) -> Iterator[tuple[tuple[Any, ...], Document, bool]]:
    """Every place in a body below its top: the way there, its schema, and whether something has to stand there."""
    schema = followed(document, schema)
    for name, below in schema.get("properties", {}).items():
        yield (*steps, name), below, name in schema.get("required", ())
        yield from places(document, below, good, (*steps, name))
    if isinstance(schema.get("additionalProperties"), dict):
        yield (*steps, "x"), schema["additionalProperties"], False
    if isinstance(schema.get("items"), dict):
        yield (*steps, 0), schema["items"], False
        yield from places(document, schema["items"], good, (*steps, 0))


def _beyond(schema: Document) -> Iterator[Any]:
    """Just over the edges that the schema names."""
    if "minimum" in schema:
        yield schema["minimum"] - 1
    if "maximum" in schema:
        yield schema["maximum"] + 1
    if "maxLength" in schema:
        yield "x" * (schema["maxLength"] + 1)
    if "minLength" in schema:
        yield "x" * (schema["minLength"] - 1)
    if "maxItems" in schema:
        yield [None] * (schema["maxItems"] + 1)
    for word in schema.get("enum", ()):
        yield from (str(word).upper(), f" {word}", f"{word}\n")


def fits(document: Document, schema: Document, value: Any) -> bool:
    whole = {**schema, "components": {"schemas": document["components"]["schemas"]}}
    key = json.dumps(schema)
    if key not in _validators:
        _validators[key] = jsonschema_rs.Draft202012Validator(whole, validate_formats=True)
    return bool(_validators[key].is_valid(value))


_validators: dict[str, Any] = {}


def put(body: Any, steps: tuple[Any, ...], value: Any) -> Any:
    """A copy of the body with the value there; what is missing on the way is made."""
    if not steps:
        return value
    step, *rest = steps
    if isinstance(step, int):
        made = list(body) if isinstance(body, list) and body else [None]
        made[step] = put(made[step], tuple(rest), value)
        return made
    made_object = copy.deepcopy(body) if isinstance(body, dict) else {}
    made_object[step] = put(made_object.get(step), tuple(rest), value)
    return made_object


def without(body: Any, steps: tuple[Any, ...]) -> Any:
    *way, last = steps
    parent = body
    for step in way:
        parent = parent.get(step, {}) if isinstance(parent, dict) else {}
    return put(body, tuple(way), {key: value for key, value in parent.items() if key != last})


def pointer(steps: tuple[Any, ...]) -> str:
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) < 30 else f"{text[:28]}…"


# Queries, paths and headers

NO_INTEGERS = ("", "ten", "1.5", "+5", "1_0", "٥", " 5", "5 ", "0x10", "1e3", "9" * 30, "--1", "%00", "true", "null")
NO_BOOLEANS = ("", "yes", "1", "0", "True", "TRUE", "on", "null", "truefalse")


def queries(parameter: Document) -> Iterator[str]:
    """Values that must not stand there, as they are before they are quoted."""
    schema = parameter["schema"]
    if schema["type"] == "integer":
        yield from NO_INTEGERS
        yield from (str(value) for value in _beyond(schema))
    elif schema["type"] == "boolean":
        yield from NO_BOOLEANS
    elif "enum" in schema:
        yield from ("", "no such word", *(str(value) for value in _beyond(schema)))
    else:
        yield from (str(value) for value in _beyond(schema))


PATHS = (
    *("nonsense", "%00", "x" * 3000, "%2e%2e", "%2F", "%20", "-1", "0", "%F0%9F%90%A2", "%D0%B0", "%ff", "g_", "u_" + "a" * 26),
    *("g_" + "a" * 26, "G_" + "A" * 26, "wh_" + "a" * 26, "null", "%27%20OR%201%3D1%20--", "%E2%80%AEx", "{x}"),
)  # fmt: skip

# Header → values that the server has to live with.
LANGUAGES = ("", "*", "x" * 5000, "en;q=banana", "ru;q=9", ";;;,,,q=", "de, fr;q=0.5", "\xff\xfe", "en-" * 200)
TAGS = ("", "x", '"', '"x', 'W/"x"', '"x", "y"', ",,,", "W/", "*, *", '"' + "x" * 5000 + '"', "\xff", '"*"')
TOKENS = ("", "Bearer", "Bearer ", "Basic YTpi", "Bearer \xff", "Bearer x y", "Bearer " + "x" * 5000, "gp_x", "Token x")
KEYS = ("", "x" * 256, "\x01", "a\tb", "\xe9", "\x7f")
