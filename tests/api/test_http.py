"""Bytes on the wire, and the real gunicorn: whatever comes, the answer is of the form that all our answers have."""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from launch.ports import LOOPBACK, free_port
from server.front import masked
from tests.workers.processes import eventually, process

SECRET = "the-secret-for-mail-of-these-tests"


@dataclass
class Wire:
    port: int
    home: Path

    def says(self, first_line: bytes, *headers: bytes, body: bytes = b"", hangs_up: bool = False) -> Answer:
        """To a request as it is written here; `hangs_up`: nothing comes after it."""
        lines = [first_line, b"Host: anywhere", b"Connection: close", *headers, b"", b""]
        with closing(socket.create_connection((LOOPBACK, self.port), timeout=20)) as line:
            line.sendall(b"\r\n".join(lines) + body)
            if hangs_up:
                line.shutdown(socket.SHUT_WR)
            answer = http.client.HTTPResponse(line, method=first_line.split(b" ")[0].decode("latin-1"))
            answer.begin()
            return Answer(answer.status, dict(answer.getheaders()), answer.read())


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    def problem(self) -> tuple[int, str]:
        """Its status and code; it has to be a problem."""
        assert self.headers["Content-Type"] == "application/problem+json", self
        told = json.loads(self.body)
        assert (
            told["status"] == self.status and told["title"] and told["detail"] and told["type"].endswith(told["code"])
        )
        assert self.headers["Access-Control-Allow-Origin"] == "*"
        return self.status, told["code"]


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[Wire]:
    home, port = tmp_path_factory.mktemp("wire"), free_port()
    environment = {
        "GALAPOST_HOME": str(home),
        "GALAPOST_PORT": str(port),
        "GALAPOST_DATABASE": f"sqlite:///{shutil.copy(sqlite_template, home / 'galapost.db')}",
        "GALAPOST_BROKER": f"redis://{LOOPBACK}:1",  # nobody
        "GALAPOST_INBOUND_SECRET": SECRET,
    }
    logs = ("--log-level", "debug", "--access-logfile", str(home / "access.log"), "--error-logfile", str(home / "log"))
    with process(environment, "gunicorn", "--config", "server/gunicorn.py", *logs, "wsgi:app"):
        eventually(lambda: _listens(port))
        yield Wire(port, home)


def _listens(port: int) -> bool:
    with socket.socket() as line:
        return line.connect_ex((LOOPBACK, port)) == 0


JSON = b"Content-Type: application/json"
LETTER = [
    b"POST /v1/inbound/mail?recipient=postmaster@localhost HTTP/1.1",
    b"Content-Type: message/rfc822",
    b"Authorization: Bearer %s" % SECRET.encode(),
]
CHUNKED = b"Transfer-Encoding: chunked"
SIGN_IN = b'{"email":"ann@example.org"}'
HALF_A_MEGABYTE = b" " * 500_000

REFUSED = {  # what is sent → status and code
    "a long address": ([b"GET /v1/games?cursor=" + b"a" * 9000 + b" HTTP/1.1"], 414, "uri-too-long"),
    "a long name": ([b"GET /v1/games/" + b"a" * 3500 + b" HTTP/1.1"], 404, "unknown-game"),
    "many headers": ([b"GET /v1 HTTP/1.1", *(b"X-%d: x" % n for n in range(150))], 431, "headers-too-large"),
    "a long header": ([b"GET /v1 HTTP/1.1", b"X: " + b"x" * 9000], 431, "headers-too-large"),
    "a bad percent sign": ([b"GET /v1/games/%zz HTTP/1.1"], 404, "unknown-game"),
    "half a surrogate pair": ([b"GET /v1/games/%ED%A0%80 HTTP/1.1"], 404, "unknown-game"),
    "a NUL, escaped": ([b"GET /v1/games/%00 HTTP/1.1"], 404, "unknown-game"),
    "a NUL among the pages": ([b"GET /v1/docs/%00 HTTP/1.1"], 404, "not-found"),
    "a NUL as it is": ([b"GET /v1/ga\0mes HTTP/1.1"], 400, "bad-request"),
    "no ASCII": ([b"GET /v1/ga\xffmes HTTP/1.1"], 400, "bad-request"),
    "a way out": ([b"GET /v1/docs/..%2f..%2fconfig.py HTTP/1.1"], 404, "not-found"),
    "a query that is no UTF-8": ([b"GET /v1/games?cursor=%ff HTTP/1.1"], 422, "invalid-query"),
    "an unknown method": ([b"BREW /v1/games HTTP/1.1"], 405, "method-not-allowed"),
    "TRACE": ([b"TRACE /v1/games HTTP/1.1"], 405, "method-not-allowed"),
    "a method that is none": ([b"G@T /v1/games HTTP/1.1"], 400, "bad-request"),
    "a method in disguise": ([b"POST /v1/health HTTP/1.1", b"X-HTTP-Method-Override: GET"], 405, "method-not-allowed"),
    "a later HTTP": ([b"GET /v1/health HTTP/3.0"], 400, "bad-request"),
    "two hosts": ([b"GET /v1/health HTTP/1.1", b"Host: elsewhere"], 400, "bad-request"),
    "no HTTP": ([b"\x16\x03\x01\x02"], 400, "bad-request"),
    "a length that is none": ([b"POST /v1/accounts HTTP/1.1", JSON, b"Content-Length: x"], 400, "bad-request"),
    "a length below nothing": ([b"POST /v1/accounts HTTP/1.1", JSON, b"Content-Length: -1"], 400, "bad-request"),
    "length and chunks": ([b"POST /v1/accounts HTTP/1.1", JSON, CHUNKED, b"Content-Length: 2"], 400, "bad-request"),
    "chunks that are none": (
        [b"POST /v1/accounts HTTP/1.1", JSON, CHUNKED],
        b"zz\r\n{}\r\n0\r\n\r\n",
        400,
        "bad-request",
    ),
    "a large body": (
        [b"POST /v1/accounts HTTP/1.1", JSON, b"Content-Length: 500000"],
        HALF_A_MEGABYTE,
        413,
        "body-too-large",
    ),
    "a body said to be huge": (
        [b"POST /v1/accounts HTTP/1.1", JSON, b"Content-Length: 9" + b"9" * 12],
        413,
        "body-too-large",
    ),
    "a large body in chunks": (
        [b"POST /v1/accounts HTTP/1.1", JSON, CHUNKED],
        b"7a120\r\n" + HALF_A_MEGABYTE + b"\r\n0\r\n\r\n",
        413,
        "body-too-large",
    ),
    "another media type": (
        [b"POST /v1/accounts HTTP/1.1", b"Content-Type: text/plain", b"Content-Length: 2"],
        b"{}",
        415,
        "unsupported-media-type",
    ),
    "a packed body": (
        [b"POST /v1/accounts HTTP/1.1", JSON, b"Content-Encoding: gzip", b"Content-Length: 2"],
        b"{}",
        415,
        "unsupported-media-type",
    ),
    "another expectation": ([b"POST /v1/accounts HTTP/1.1", b"Expect: 200-maybe"], 417, "expectation-failed"),
    "a token that is no ASCII": ([b"GET /v1/me HTTP/1.1", b"Authorization: Bearer \xff\xfe"], 401, "token-unknown"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_whatever_is_refused_is_refused_as_a_problem(what: str, wire: Wire) -> None:
    lines, *body, status, code = REFUSED[what]
    assert wire.says(*lines, body=b"".join(body)).problem() == (status, code)
    assert wire.says(b"GET /v1/health HTTP/1.1").status == 200


def test_a_refusal_says_what_would_do(wire: Wire) -> None:
    assert wire.says(b"BREW /v1/games HTTP/1.1").headers["Allow"] == "GET, HEAD, OPTIONS, POST"
    assert wire.says(b"GET /v1/me HTTP/1.1").headers["WWW-Authenticate"] == 'Bearer realm="galapost"'


def test_a_body_may_come_in_chunks_or_after_a_question(wire: Wire) -> None:
    in_chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(SIGN_IN), SIGN_IN)
    assert wire.says(b"POST /v1/accounts HTTP/1.1", JSON, CHUNKED, body=in_chunks).status == 202
    length = b"Content-Length: %d" % len(SIGN_IN)
    assert wire.says(b"POST /v1/accounts HTTP/1.1", JSON, length, b"Expect: 100-continue", body=SIGN_IN).status == 202


CUT = {  # what is begun and never ended
    "JSON": ([b"POST /v1/accounts HTTP/1.1", JSON, b"Content-Length: 40"], SIGN_IN),
    "JSON in chunks": ([b"POST /v1/accounts HTTP/1.1", JSON, CHUNKED], b"%x\r\n%s\r\n" % (len(SIGN_IN), SIGN_IN)),
    "nothing at all": ([b"POST /v1/accounts HTTP/1.1", JSON, b"Content-Length: 40"], b""),
    "a letter": ([*LETTER, b"Content-Length: 40"], b"Subject: 1\r\n\r\n1"),
    "a letter in chunks": ([*LETTER, CHUNKED], b"f\r\nSubject: 1\r\n\r\n1\r\n"),
}


@pytest.mark.parametrize("what", CUT)
def test_a_body_that_is_cut_on_its_way_is_no_body(what: str, wire: Wire) -> None:
    lines, begun = CUT[what]
    assert wire.says(*lines, body=begun, hangs_up=True).problem() == (400, "bad-request")


def test_a_letter_that_was_cut_may_come_again_whole(wire: Wire) -> None:
    whole = b"Subject: a move\r\nMessage-ID: <10@example.org>\r\n\r\n10"
    length = b"Content-Length: %d" % len(whole)
    assert wire.says(*LETTER, length, body=whole[:-1], hangs_up=True).status == 400
    assert wire.says(*LETTER, length, body=whole).status == 202
    with closing(sqlite3.connect(wire.home / "galapost.db")) as database:
        kept = [raw for (raw,) in database.execute("SELECT raw FROM letter") if raw.startswith(b"Subject: a move")]
    assert kept == [whole]


@pytest.mark.parametrize(("beyond", "status"), [(0, 202), (1, 413)])
@pytest.mark.parametrize("in_chunks", [False, True])
@pytest.mark.parametrize(
    ("lines", "begin", "most"),
    [
        ([b"POST /v1/accounts HTTP/1.1", JSON], SIGN_IN, 256 * 1024),
        (LETTER, b"Subject: a long letter\r\n\r\n", 1024 * 1024),
    ],
    ids=["JSON", "a letter"],
)
def test_a_body_is_too_large_when_it_is_larger_than_the_largest(
    lines: list[bytes], begin: bytes, most: int, in_chunks: bool, beyond: int, status: int, wire: Wire
) -> None:
    body = begin.ljust(most + beyond)
    if in_chunks:
        lines, body = [*lines, CHUNKED], b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    else:
        lines = [*lines, b"Content-Length: %d" % len(body)]
    assert wire.says(*lines, body=body).status == status


@pytest.mark.parametrize("path", [b"/v1", b"/v1/games", b"/v1/games/g_none", b"/v1/nothing", b"/v1/openapi.json"])
def test_head_is_get_without_its_body(path: bytes, wire: Wire) -> None:
    get, head = (wire.says(verb + b" " + path + b" HTTP/1.1") for verb in (b"GET", b"HEAD"))
    assert head.status == get.status and head.body == b""
    vary = {"Date", "RateLimit"}
    assert {name: text for name, text in head.headers.items() if name not in vary} == {
        name: text for name, text in get.headers.items() if name not in vary
    }


def test_options_tells_what_there_is_to_do(wire: Wire) -> None:
    answer = wire.says(b"OPTIONS /v1/games HTTP/1.1")
    assert (answer.status, answer.body) == (200, b"") and "Content-Type" not in answer.headers
    assert set(answer.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS", "POST"}
    assert wire.says(b"OPTIONS /v1/nothing HTTP/1.1").problem() == (404, "not-found")


def test_no_header_of_a_proxy_moves_the_path(wire: Wire) -> None:
    for name in (b"SCRIPT_NAME", b"Script-Name", b"PATH_INFO"):
        assert json.loads(wire.says(b"GET /v1/health HTTP/1.1", name + b": /v1").body) == {"status": "alive"}


SECRETS = (b"inv_0123456789abcdef", b"uns_0123456789abcdef", b"gp_0123456789abcdef")


def test_no_log_of_gunicorn_holds_a_token_that_came_in_a_path_or_a_query(wire: Wire) -> None:
    invitation, unsubscribe, token = SECRETS
    for path in (
        b"/v1/invitations/" + invitation,
        b"/v1/invitations/" + invitation + b"/acceptance",
        b"/v1/unsubscribe/" + unsubscribe,
        b"/v1/games?token=" + token,
        b"/v1/games/\xff?token=" + token,
    ):
        wire.says(b"GET " + path + b" HTTP/1.1")
    eventually(lambda: (wire.home / "access.log").read_bytes().count(b"/v1/unsubscribe/") > 0)
    written = b"".join((wire.home / name).read_bytes() for name in ("access.log", "log"))
    for secret in SECRETS:
        assert secret not in written


@pytest.mark.parametrize(
    ("line", "logged"),
    [
        ("GET /v1/invitations/inv_abc HTTP/1.1", "GET /v1/invitations/… HTTP/1.1"),
        ("/v1/invitations/inv_abc/acceptance", "/v1/invitations/…/acceptance"),
        ("/v1/unsubscribe/u.n-s?again=1", "/v1/unsubscribe/…"),
        ("https://play.example.org/v1/invitations/inv_abc#x", "https://play.example.org/v1/invitations/…#x"),
        ("GET /v1/games?cursor=abc&limit=5 HTTP/1.1", "GET /v1/games HTTP/1.1"),
        ("/v1/games/g_abc/invitations", "/v1/games/g_abc/invitations"),
    ],
)
def test_a_line_of_the_access_log_is_masked(line: str, logged: str) -> None:
    assert masked(line) == logged
