"""How often one may ask. The broker is a real one; it is away, silent or back as a test wants it."""

from __future__ import annotations

import itertools
import os
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from launch import broker
from server import create_app, database
from server.config import Settings
from tests.playing import Person, on_one_database, problem, signed_in

pytestmark = on_one_database
networks = (f"198.51.{number}.7" for number in itertools.count(1))  # tests share a broker: one each


def limited(broker: str, rates: str = "reading=5,writing=3") -> Flask:
    """Another app on the database of the test's own."""
    environ = {"GALAPOST_BROKER": broker, "GALAPOST_RATE_LIMITS": rates}
    return create_app(Settings.from_env({**os.environ, **environ}))


@pytest.fixture
def counting(app: Flask, broker_url: str) -> Iterator[Flask]:
    yield limited(broker_url)
    database.disconnect()


def left(answer: TestResponse) -> tuple[str, int, int]:
    """Of the header `RateLimit`: which policy, how many more, the seconds until all are there again."""
    found = re.fullmatch(r'"([a-z-]+)";r=(\d+);t=(\d+)', answer.headers["RateLimit"])
    assert found is not None
    return found[1], int(found[2]), int(found[3])


def test_every_answer_says_what_is_left(counting: Flask) -> None:
    ann = signed_in(counting, "Ann")
    answers = [ann.get("/me"), ann.get("/games?x=1"), ann.post("/games", {"seats": 2}), ann.get("/games/g_none")]
    assert [left(answer)[:2] for answer in answers] == [("reading", 4), ("reading", 3), ("writing", 2), ("reading", 2)]
    assert all(1 <= left(answer)[2] <= 60 for answer in answers)
    assert answers[0].headers["RateLimit-Policy"] == '"reading";q=5;w=60'
    assert answers[2].headers["RateLimit-Policy"] == '"writing";q=3;w=60'


def test_what_is_too_much_is_refused_until_the_minute_is_over(counting: Flask) -> None:
    ann = signed_in(counting, "Ann")
    assert {ann.get("/me").status_code for _ in range(5)} == {200}
    answer = ann.get("/me")
    problem(answer, 429, "rate-limited")
    policy, more, seconds = left(answer)
    assert (policy, more) == ("reading", 0) and answer.headers["Retry-After"] == str(seconds)
    assert ann.post("/games", {"seats": 2}).status_code == 201


def test_accounts_are_counted_apart_and_all_tokens_of_one_together(counting: Flask) -> None:
    ann, bob = signed_in(counting, "Ann"), signed_in(counting, "Bob")
    assert {ann.get("/me").status_code for _ in range(5)} == {200}
    assert bob.get("/me").status_code == 200
    problem(ann.get("/me"), 429, "rate-limited")


def test_who_has_no_token_is_counted_with_his_network(counting: Flask) -> None:
    here, there = ({"REMOTE_ADDR": next(networks)} for _ in range(2))
    neighbour = {"REMOTE_ADDR": here["REMOTE_ADDR"].removesuffix("7") + "99"}
    nobody, forger = Person(counting), Person(counting, "gp_never")
    assert nobody.get("/games", environ_overrides=here).status_code == 200
    problem(forger.get("/me", environ_overrides=here), 401, "token-unknown")
    problem(nobody.get("/nothing", environ_overrides=here), 404, "not-found")
    assert nobody.get("/openapi.json", environ_overrides=here).status_code == 200
    assert nobody.get("/games", environ_overrides=neighbour).status_code == 200
    for who, path in ((nobody, "/games"), (nobody, "/nothing"), (forger, "/me"), (nobody, "/openapi.json")):
        problem(who.get(path, environ_overrides=here), 429, "rate-limited")
    assert nobody.get("/games", environ_overrides=there).status_code == 200


def test_signing_in_has_a_limit_of_its_own(app: Flask, broker_url: str) -> None:
    nobody, here = Person(limited(broker_url, "signing-in=2")), {"REMOTE_ADDR": next(networks)}
    for name in "ab":
        assert nobody.post("/accounts", {"email": f"{name}@example.org"}, environ_overrides=here).status_code == 202
    proof = {"verification": "v_none", "code": "AAAAAAAA"}
    answer = nobody.post("/accounts/verification", proof, environ_overrides=here)
    problem(answer, 429, "rate-limited")
    assert left(answer)[0] == "signing-in"
    assert nobody.get("/games", environ_overrides=here).status_code == 200


def test_whoever_watches_over_us_is_not_counted(counting: Flask) -> None:
    nobody, here = Person(counting), {"REMOTE_ADDR": next(networks)}
    for path in ("/health", "/ready"):
        answers = [nobody.get(path, environ_overrides=here) for _ in range(7)]
        assert {answer.status_code for answer in answers} == {200} and "RateLimit" not in answers[0].headers


def test_the_entry_document_tells_the_limits(counting: Flask) -> None:
    limits = Person(counting).get("", environ_overrides={"REMOTE_ADDR": next(networks)}).json["limits"]
    assert (limits["reading_a_minute"], limits["writing_a_minute"], limits["signing_in_a_minute"]) == (5, 3, 30)


def test_switched_off_there_is_neither_limit_nor_header(app: Flask) -> None:
    answers = [Person(app).get("") for _ in range(50)]
    assert {answer.status_code for answer in answers} == {200}
    assert "RateLimit" not in answers[0].headers and "reading_a_minute" not in answers[0].json["limits"]


def test_processes_count_together_on_the_broker(app: Flask, broker_url: str) -> None:
    first, second = limited(broker_url), limited(broker_url)
    ann = signed_in(first, "Ann")
    there = Person(second, ann.token)
    assert [left(who.get("/me"))[1] for who in (ann, there, ann)] == [4, 3, 2]


def test_without_the_broker_each_process_counts_by_itself(app: Flask) -> None:
    ann = signed_in(limited("redis://127.0.0.1:1"), "Ann")
    assert [left(ann.get("/me"))[1] for _ in range(5)] == [4, 3, 2, 1, 0]
    problem(ann.get("/me"), 429, "rate-limited")


def test_a_broker_that_goes_away_and_comes_back_is_no_fault_of_ours(app: Flask, tmp_path: Path) -> None:
    with broker.running(tmp_path) as url:
        counting = limited(url)
        ann = signed_in(counting, "Ann")
        assert left(ann.get("/me"))[1] == 4
    assert [ann.get("/me").status_code for _ in range(5)] == [200] * 5
    problem(ann.get("/me"), 429, "rate-limited")


def test_a_broker_that_takes_the_line_and_says_nothing_costs_next_to_nothing(app: Flask) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=128) as silent:
        ann = signed_in(limited(f"redis://127.0.0.1:{silent.getsockname()[1]}", "reading=1000"), "Ann")
        ann.get("/me")
        took = []
        for _ in range(50):
            began = time.perf_counter()
            assert ann.get("/me").status_code == 200
            took.append(time.perf_counter() - began)
        assert sorted(took)[len(took) // 2] < 0.05 and sum(took) < 5
