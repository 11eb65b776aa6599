"""Bad requests, made from the document: every operation refuses every one of them by name, and nothing has changed.

What each is worth by itself is in `test_bad_input.py`; here are all operations, and all places in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from sqlalchemy import select
from werkzeug.test import TestResponse

from server.database import reading
from server.document.narrowing import followed
from server.models import Base
from tests.api import spoiling
from tests.api.spoiling import Spoiled
from tests.api.test_authorization import COLUMNS, ROWS, TABLE, body, filled, operations
from tests.api.world import World, world

Operation = tuple[str, str, dict[str, Any]]
PROBLEM = "application/problem+json"


@pytest.fixture(scope="module")
def earth(spec: dict[str, Any], sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    file = tmp_path_factory.mktemp("world") / "galapost.db"
    file.write_bytes(sqlite_template.read_bytes())
    with world(file) as made:
        yield made


@pytest.fixture(scope="module")
def kept(earth: World) -> dict[str, list[Any]]:
    return everything()


@pytest.fixture(autouse=True)
def unchanged(earth: World, kept: dict[str, list[Any]]) -> Iterator[None]:
    """Nothing that was refused has left a trace."""
    yield
    now = everything()
    if now != kept:
        earth.put_back()
    assert now == kept


def everything() -> dict[str, list[Any]]:
    """All rows there are, less when a token was last used."""
    with reading() as session:
        return {
            table.name: sorted(
                map(repr, session.execute(select(*(c for c in table.columns if c.name != "last_used_at"))))
            )
            for table in Base.metadata.sorted_tables
        }


def good_body(made: World, name: str) -> dict[str, Any]:
    given: dict[str, Any] = body(made, name).get("json", {})
    return given


def schema_of_body(operation: Operation) -> tuple[dict[str, Any], bool] | None:
    """And whether there has to be one; None where no JSON is taken."""
    asked = operation[2].get("requestBody", {})
    content = asked.get("content", {}).get("application/json")
    return content and (content["schema"], asked.get("required", False))


def ask(made: World, name: str, operation: Operation, query: str = "", **sent: Any) -> TestResponse:
    """As somebody who may do it, so that it is the request that is refused and not he."""
    role, private = whoever_may(name)
    return made.people[role].ask(operation[0], filled(made, name, operation[1], ROWS[name][0], private) + query, **sent)


def whoever_may(name: str) -> tuple[str, bool]:
    """And whether in a private game."""
    if name in TABLE["else"]:
        return TABLE["else"][name], True
    answers = dict(zip(COLUMNS, ROWS[name][1:], strict=True))
    return next(
        COLUMNS[column] for column in ("host", "owner", "player", "spectator") if answers[column].startswith("2")
    )


def faults(answer: TestResponse, status: int, codes: tuple[str, ...], pointer: str | None = None) -> str:
    """Empty when the answer is one of these refusals, and points at the place."""
    if answer.status_code != status or answer.content_type != PROBLEM or answer.json["code"] not in codes:
        return f"{answer.status_code} {answer.text[:200]}"
    pointers = [fault["pointer"] for fault in answer.json.get("errors", [])]
    if pointer is None or any(one == pointer or one.startswith(f"{pointer}/") for one in pointers):
        return ""
    return f"points at {pointers}, not at {pointer}"


def refused(made: World, name: str, operation: Operation, cases: Iterator[Spoiled]) -> tuple[int, list[str]]:
    """How many were tried, and which of them were not refused as they should be."""
    wrong, count = [], 0
    for count, case in enumerate(cases, 1):  # noqa: B007 – counted, and used below
        answer = ask(made, name, operation, **case.sent)
        if fault := faults(answer, case.status, case.codes, case.pointer):
            wrong.append(f"{case.what}: {fault}")
    return count, wrong


@pytest.mark.parametrize("name", sorted(ROWS))
def test_a_bad_body_is_refused(name: str, earth: World, spec: dict[str, Any]) -> None:
    operation = operations(spec)[name]
    expected = schema_of_body(operation)
    if expected is None:
        return
    schema, required = expected
    good = good_body(earth, name)
    assert spoiling.fits(spec, schema, good), "a good body stands in authorization.toml"
    cases = [*spoiling.wholes(good, required), *spoiling.unknown_keys(good), *spoiling.values(spec, schema, good)]
    count, wrong = refused(earth, name, operation, iter(cases))
    assert not wrong, "\n".join(wrong)
    assert count >= 30


@pytest.mark.parametrize("name", sorted(ROWS))
def test_odd_text_is_taken_or_refused_and_never_our_fault(name: str, earth: World, spec: dict[str, Any]) -> None:
    operation = operations(spec)[name]
    expected = schema_of_body(operation)
    odds = list(spoiling.surprises(spec, expected[0], good_body(earth, name))) if expected else []
    wrong = []
    for what, odd in odds:
        answer = ask(earth, name, operation, **spoiling.as_json(odd))
        pointed_at = answer.json is None or answer.json.get("code") != "invalid-body" or answer.json["errors"]
        if answer.status_code >= 500 or not pointed_at:
            wrong.append(f"{what}: {answer.text[:200]}")
    if odds:
        earth.put_back()  # some of it was taken
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_a_bad_query_is_refused(name: str, earth: World, spec: dict[str, Any]) -> None:
    operation = operations(spec)[name]
    known = [followed(spec, parameter) for parameter in operation[2]["parameters"]]
    cases = [("?colour=red", "unknown-query-key", "/colour"), ("?a%2Fb=&=", "unknown-query-key", "/a~1b")]
    for parameter in known:
        if parameter["in"] == "query":
            place = f"/{parameter['name']}"
            for value in spoiling.queries(parameter):
                cases.append((f"?{parameter['name']}={quote(value)}", "invalid-query", place))
            cases.append((f"?{parameter['name']}=1&{parameter['name']}=1", "invalid-query", place))
    good = body(earth, name)
    wrong = []
    for query, code, place in cases:
        if fault := faults(ask(earth, name, operation, query, **good), 422, (code,), place):
            wrong.append(f"{query}: {fault}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_what_is_in_a_path_and_names_nothing_is_404(name: str, earth: World, spec: dict[str, Any]) -> None:
    verb, template, about = operations(spec)[name]
    good, wrong = body(earth, name), []
    for parameter in ("game_id", *earth.things):
        if f"{{{parameter}}}" not in template:
            continue
        for value in spoiling.PATHS:
            garbled = template.replace(f"{{{parameter}}}", value.replace("{", "%7B").replace("}", "%7D"))
            answer = ask(earth, name, (verb, garbled, about), **good)
            if (answer.status_code, answer.content_type) != (404, PROBLEM):
                wrong.append(f"{parameter} as {value[:40]}: {answer.status_code} {answer.text[:200]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_a_bad_header_is_refused_or_overlooked(name: str, earth: World, spec: dict[str, Any]) -> None:
    """The query is wrong beside, so that nothing is done where a header is overlooked."""
    operation = operations(spec)[name]
    takes = {followed(spec, parameter)["name"] for parameter in operation[2]["parameters"]}
    good = body(earth, name)
    reads_tokens = bool(operation[2]["security"])

    def told(header: str, value: str, query: str = "?colour=red") -> TestResponse:
        return ask(earth, name, operation, query, headers={header: value}, **good)

    wrong = [
        f"{header} {value[:20]!r}: {answer.status_code}"
        for header, values, status in (
            ("Accept-Language", spoiling.LANGUAGES, 422),
            ("Accept", spoiling.LANGUAGES, 422),
            ("Authorization", spoiling.TOKENS, 401 if reads_tokens else 422),
        )
        for value in values
        if (answer := told(header, value)).status_code != status
    ]
    if "Idempotency-Key" in takes:
        for key in spoiling.KEYS:
            if fault := faults(told("Idempotency-Key", key, ""), 422, ("invalid-header",), "/Idempotency-Key"):
                wrong.append(f"Idempotency-Key {key[:20]!r}: {fault}")
    if operation[0] in ("PUT", "PATCH", "DELETE"):
        wrong += [
            f"If-Match {tag[:20]!r}: {came}"
            for tag in spoiling.TAGS
            if (came := told("If-Match", tag, "").status_code) != 412 and not 400 <= came < 500
        ]
    if "If-None-Match" in takes:
        wrong += [
            f"If-None-Match {tag[:20]!r}: {came}"
            for tag in spoiling.TAGS
            if (came := told("If-None-Match", tag, "").status_code) not in (200, 304)
        ]
    assert not wrong, "\n".join(wrong)
