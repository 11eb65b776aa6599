"""What is no request at all: gunicorn reads the bytes, and refuses as we do."""

from __future__ import annotations

import http.client
import io

from flask import Request
from gunicorn.config import Config
from gunicorn.http.errors import ParseException
from gunicorn.http.parser import RequestParser
from werkzeug.datastructures import Headers
from werkzeug.test import TestResponse

from server import gunicorn, refusing
from tests.api.story.telling import Teller

UNREADABLE = {
    "bad-request": b"GET /v1/ga\0mes HTTP/1.1\r\n\r\n",
    "uri-too-long": b"GET /v1/games?cursor=" + b"a" * 9000 + b" HTTP/1.1\r\n\r\n",
    "headers-too-large": b"GET /v1 HTTP/1.1\r\n" + b"X-Padding: x\r\n" * 150 + b"\r\n",
    "expectation-failed": b"POST /v1/accounts HTTP/1.1\r\nExpect: 200-maybe\r\n\r\n",
}


def tell(teller: Teller) -> None:
    with teller.app.test_request_context():
        for code, raw in UNREADABLE.items():
            line = raw.partition(b" HTTP")[0].decode().replace("\0", "\\0")
            teller.note(code, line, _answer(raw), {})


def _answer(raw: bytes) -> TestResponse:
    settings = Config()
    settings.set("limit_request_line", gunicorn.limit_request_line)
    try:
        next(RequestParser(settings, iter([raw]), ("127.0.0.1", 1)))
    except ParseException as fault:
        return _read(refusing.answer(fault, settings))
    raise AssertionError(f"gunicorn reads {raw[:60]!r}")


def _read(answer: bytes) -> TestResponse:
    class Line:
        def makefile(self, _: str) -> io.BytesIO:
            return io.BytesIO(answer)

    read = http.client.HTTPResponse(Line())  # type: ignore[arg-type]  # all that it asks of a socket
    read.begin()
    status = f"{read.status} {read.reason}"
    return TestResponse([read.read()], status, Headers(read.getheaders()), Request({}))
