"""What a record consists of, and reading one from a stranger: every key is known, every value is of its kind."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, NoReturn

FORMAT: Final = "galapost-record"
SCHEMA: Final = 1
LEFT_SCHEMA: Final = 2  # of a game that somebody left before its end
RULES: Final = "evolution-1"  # the rule set that this program plays; a record names the one it was played by

Shape = Any  # a type; a list of one shape; a dict of keys with their shapes; "hash"; "seed"

# What is compared with a replay as a whole needs no shape of its own: ``dict`` and ``list`` will do.
_RECORD: Final[dict[str, Shape]] = {
    "format": str,
    "schema": int,
    "about": dict,  # nothing of this can be recomputed: which game, who played, when
    "rules": str,
    "seats": int,
    "options": dict,
    "commitment": "hash",
    "seed": "seed",
    "entropy": [{"seat": str, "commitment": "hash", "revealed": (str, type(None))}],
    "deal": dict,
    "moves": list,
    "events": list,
    "result": dict,
    "final": {"table": list, "sha256": "hash"},
}
_LEFT: Final[dict[str, Shape]] = {
    **_RECORD,
    "resignations": [{"seat": str, "after": int}],
    "ended": {"by": str, "after": int},
}
_FORMS: Final = {SCHEMA: _RECORD, LEFT_SCHEMA: _LEFT}
_HEX: Final = {"hash": "[0-9a-f]{64}", "seed": "([0-9a-f]{2})+"}
_CALLED: Final = {str: "a text", int: "an integer", dict: "an object", list: "a list"}


class BadRecord(ValueError):
    """Not a record, or one that this program cannot replay. The text says what was expected and what came."""


def read_record(text: str) -> dict[str, Any]:
    """The record in a JSON text, its form checked and nothing else. Raises BadRecord."""
    try:
        given = json.loads(text, object_pairs_hook=_once_each, parse_constant=_no_constant)
        canonical(given)
    except RecursionError:
        raise BadRecord("this is no record: it is nested too deep") from None
    except ValueError as fault:
        raise BadRecord(f"this is no record in JSON: {ascii(str(fault))[1:-1][:200]}") from None
    _check_version(given)
    _check(given, _FORMS[given["schema"]], "the record")
    record: dict[str, Any] = given
    return record


def canonical(value: Any) -> str:
    """One text for one value: 1, 1.0 and true are three."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def shown(value: Any) -> str:
    """A value from a stranger, short and in ASCII, fit for any terminal."""
    text = json.dumps(value)
    return text if len(text) <= 90 else f"{text[:90]}..."


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) < len(pairs):
        raise ValueError("a key comes twice")
    return read


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _check_version(given: Any) -> None:
    """Before anything else: a record of another schema has another form."""
    if not isinstance(given, dict) or given.get("format") != FORMAT:
        raise BadRecord(f"expected an object whose 'format' is '{FORMAT}'")
    for name, known in (("schema", [*_FORMS]), ("rules", [RULES])):
        if canonical(given.get(name)) not in map(canonical, known):
            expected = " or ".join(map(shown, known))
            raise BadRecord(f"expected {name} {expected}, came {shown(given.get(name))}")


def _check(value: Any, shape: Shape, where: str) -> None:
    if isinstance(shape, dict):
        _check_keys(value, shape, where)
    elif isinstance(shape, list):
        _check(value, list, where)
        for number, item in enumerate(value, 1):
            _check(item, shape[0], f"{where} {number}")
    elif isinstance(shape, str):
        if not isinstance(value, str) or re.fullmatch(_HEX[shape], value) is None:
            raise BadRecord(f"{where}: expected {_HEX[shape]}, came {shown(value)}")
    elif type(value) not in (shape if isinstance(shape, tuple) else (shape,)):
        raise BadRecord(f"{where}: expected {_in_words(shape)}, came {shown(value)}")


def _check_keys(value: Any, shape: Mapping[str, Shape], where: str) -> None:
    _check(value, dict, where)
    for verdict, keys in (("lacks", shape.keys() - value.keys()), ("has an unknown key", value.keys() - shape.keys())):
        if keys:
            raise BadRecord(f"{where} {verdict} {shown(min(keys))}")
    for key, wanted in shape.items():
        _check(value[key], wanted, f"'{key}'")


def _in_words(shape: Shape) -> str:
    return "a text or null" if isinstance(shape, tuple) else _CALLED[shape]
