"""What a story is told with: fixed chance, a fixed clock, and a teller that notes every operation it plays."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from threading import get_ident
from typing import Any, TypeVar
from unittest.mock import patch
from urllib.parse import urlencode

from flask import Flask
from sqlalchemy import select
from werkzeug.test import TestResponse

from server import clock
from server.database import reading
from server.document import document
from server.models import Delivery
from tests.playing import Person, signed_in
from workers.transports.webhook import sign

T = TypeVar("T")
BEGINNING = datetime(2027, 3, 1, 18, 30, tzinfo=UTC)
PROMISED = ("ETag", "Idempotency-Replayed", "Link", "Location", "RateLimit", "Retry-After", "WWW-Authenticate")
TELLING = ("Allow", "Retry-After", "WWW-Authenticate")  # headers of a problem that belong to its example


@contextmanager
def fixed(story: str = "") -> Iterator[None]:
    """Chance out of a counter, for each story its own, and a clock that goes a second whenever it is looked at.

    For the thread that tells it: what runs beside it (listening to a broker, say) draws and looks whenever it pleases."""
    draws, seconds, teller = itertools.count(), itertools.count(), get_ident()
    real_bytes, real_now = secrets.token_bytes, clock.now

    def token_bytes(size: int) -> bytes:
        told = f"{story}{next(draws)}".encode() if get_ident() == teller else real_bytes(64)
        return hashlib.sha512(told).digest()[:size]

    def choice(of: Sequence[T]) -> T:
        return of[token_bytes(1)[0] % len(of)]

    def now() -> datetime:
        return BEGINNING + timedelta(seconds=next(seconds)) if get_ident() == teller else real_now()

    with patch("secrets.token_bytes", token_bytes), patch("secrets.choice", choice), patch("server.clock.now", now):
        yield


@contextmanager
def later(by: timedelta) -> Iterator[None]:
    """As if so much time had passed."""
    before = clock.now
    with patch("server.clock.now", lambda: before() + by):
        yield


class Teller:
    """Plays an operation as the document has it, and notes what was asked and what was answered."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.nobody = Person(app)
        paths = document(app)["paths"]
        self.operations = {
            operation["operationId"]: (verb.upper(), path)
            for path, verbs in paths.items()
            for verb, operation in verbs.items()
            if isinstance(operation, dict)
        }
        self.promised = {
            operation["operationId"]: operation["responses"]
            for verbs in paths.values()
            for operation in verbs.values()
            if isinstance(operation, dict)
        }
        self.examples: dict[str, dict[str, Any]] = {}  # by operationId
        self.problems: dict[str, dict[str, Any]] = {}  # by code
        self.notices: dict[str, dict[str, Any]] = {}  # by type

    def people(self, *names: str) -> list[Person]:
        """Somebody with an account for each name; the address of Ann is ann@example.org."""
        return [signed_in(self.app, name, f"{name.lower()}@example.org") for name in names]

    def play(
        self,
        operation: str,
        who: Person,
        *,
        body: Any = None,
        form: dict[str, str] | None = None,
        raw: tuple[str, str] | None = None,
        query: dict[str, str] | None = None,
        headers: dict[str, str] | None = None,
        at_most: int | None = None,
        **path: str,
    ) -> Any:
        """`raw`: media type and text of a body that is no JSON. `at_most` items of every list are kept in the example; of a text, so many lines."""
        verb, address = self._request(operation, query, path)
        sent = {"json": body} if body is not None else {"data": form} if form is not None else {}
        if raw is not None:
            sent = {"content_type": raw[0], "data": raw[1].replace("\n", "\r\n")}
        answer = who.ask(verb, address, headers=headers or {}, **sent)
        assert answer.status_code < 400, f"{operation}: {answer.text}"
        self._compare(operation, answer)
        told = _told(answer)
        example = {
            "path": path,
            "query": query,
            "headers": headers,
            "body": body,
            "form": form,
            "raw": raw and raw[1],
            "status": answer.status_code,
            "answer": told if at_most is None else _shortened(told, at_most),
        }
        self.examples[operation] = {
            key: value for key, value in example.items() if value or key in ("status", "answer")
        }
        return told

    def note_what_is_sent(self, secret: str) -> None:
        """Whatever waits to be sent to a webhook with this secret, as it would be sent now."""
        waiting = select(Delivery).where(Delivery.channel == "webhook").order_by(Delivery.created_at, Delivery.kind)
        with reading() as session:
            for delivery in session.scalars(waiting):
                body = (delivery.payload or {})["body"]
                timestamp = int(clock.now().timestamp())
                headers = {
                    "webhook-id": delivery.message_id,
                    "webhook-timestamp": str(timestamp),
                    "webhook-signature": sign(secret, delivery.message_id, timestamp, body),
                }
                self.notices[json.loads(body)["type"]] = {"headers": headers, "body": json.loads(body)}

    def refused(
        self,
        code: str,
        operation: str,
        who: Person,
        *,
        query: dict[str, str] | None = None,
        body: Any = None,
        data: Any = None,
        headers: dict[str, str] | None = None,
        content_type: str | None = None,
        **path: str,
    ) -> None:
        """Plays an operation that comes to a problem, and notes that."""
        verb, address = self._request(operation, query, path)
        sent = {"json": body, "data": data, "headers": headers, "content_type": content_type}
        answer = self.bounced(
            code, who, verb, address, **{name: value for name, value in sent.items() if value is not None}
        )
        self._compare(operation, answer)
        (content,) = self.promised[operation][str(answer.status_code)]["content"].values()
        assert code in content["examples"], f"{operation} does not say that it can answer {code}"

    def bounced(self, code: str, who: Person, verb: str, address: str, **sent: Any) -> TestResponse:
        """As `refused`, where it is no operation that is asked for."""
        answer = who.ask(verb, address, **sent)
        self.note(code, f"{verb} {address}", answer, sent)
        return answer

    def note(self, code: str, request: str, answer: TestResponse, sent: dict[str, Any]) -> None:
        assert answer.mimetype == "application/problem+json" and answer.json is not None, f"{request}: {answer.text}"
        assert answer.json["code"] == code, f"{request}: {answer.text}"
        self.problems[code] = {
            "request": request if len(request) < 200 else request[:199] + "…",
            **{called: sent[name] for called, name in (("headers", "headers"), ("body", "json")) if name in sent},
            "status": answer.status_code,
            **{name: answer.headers[name] for name in TELLING if name in answer.headers},
            "answer": answer.json,
        }

    def _compare(self, operation: str, answer: TestResponse) -> None:
        """With what the document promises of this status: its headers, too."""
        promised = self.promised[operation].get(str(answer.status_code))
        assert promised is not None, f"{operation} does not say that it can answer {answer.status_code}"
        come = {name for name in PROMISED if name in answer.headers}
        assert come <= set(promised.get("headers", {})), f"{operation} does not say that {come} may come"

    def _request(self, operation: str, query: dict[str, str] | None, path: dict[str, str]) -> tuple[str, str]:
        verb, template = self.operations[operation]
        address = re.sub(r"{(\w+)}", lambda name: path[name[1]], template)
        return verb, address + (f"?{urlencode(query)}" if query else "")


def _told(answer: TestResponse) -> Any:
    """None where there is nothing, or nothing that is text."""
    if not answer.data or answer.mimetype == "image/png":
        return None
    return answer.json if answer.is_json else answer.text


def _shortened(told: Any, at_most: int) -> Any:
    if isinstance(told, str):
        return "".join(told.splitlines(keepends=True)[:at_most])
    if isinstance(told, dict):
        return {key: value if isinstance(value, str) else _shortened(value, at_most) for key, value in told.items()}
    return [_shortened(item, at_most) for item in told[:at_most]] if isinstance(told, list) else told
