"""The seed, and the key made of it, never leave before the game is over for all: every byte that left is searched."""

from __future__ import annotations

import base64
import io
import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis
from flask import Flask
from sqlalchemy import select

from engine.chance import stream_key
from engine.records import entropy_by_seat
from server import create_app, database, kicking, sealing
from server.config import Settings
from server.database import reading, transaction
from server.models import Delivery, Game
from server.services import archive, auditing, dispatching, notifying, outbox
from tests.engine.fairness import addition
from tests.playing import Person, signed_in, whose_turn

QUEUE = "galapost"
DOORS = ("", "/view", "/legal-moves", "/events?limit=500", "/fairness", "/record", "/record.txt")


class Outside:
    """Everything that has left the server, as bytes: answers with their headers, messages, mails, webhooks, logs."""

    def __init__(self) -> None:
        self.left: list[bytes] = []
        self.parcels: list[dispatching.Parcel] = []

    def watch(self, app: Flask) -> None:
        inner = app.wsgi_app

        def watched(environ: Any, start_response: Callable[..., Any]) -> Iterable[bytes]:
            def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
                self.left.append(repr((status, headers)).encode())
                return start_response(status, headers, *more)

            body = b"".join(inner(environ, start))
            self.left.append(body)
            return [body]

        app.wsgi_app = watched  # type: ignore[method-assign]

    def send(self, parcel: dispatching.Parcel) -> outbox.Outcome:
        """As a transport: what is given to it goes out."""
        self.parcels.append(parcel)
        self.left.append(repr(parcel).encode())
        self.left.append(parcel.body.encode())
        return outbox.Outcome("sent")

    def holds(self, secret: bytes) -> list[bytes]:
        return [chunk for chunk in self.left if any(trace in chunk for trace in traces(secret))]


def traces(secret: bytes) -> list[bytes]:
    """What would betray 32 bytes in any of the usual forms: a part of it will do, since a log may cut it short."""
    parts = [secret[:12], secret[10:22], secret[-12:]]
    found = [*parts, *(form(part) for part in parts for form in (_hex, _HEX, _escaped))]
    found += [base64.b64encode(part) for part in parts]  # 12 bytes are 16 characters without padding …
    found += [
        base64.urlsafe_b64encode(secret[start : start + 12]) for start in (0, 1, 2, 12, 13, 14)
    ]  # … at any offset
    found += [
        base64.b32encode(secret)[:40].lower(),
        base64.b32encode(secret)[:40],
        str(int.from_bytes(secret)).encode(),
    ]
    return found


def _hex(part: bytes) -> bytes:
    return part.hex().encode()


def _HEX(part: bytes) -> bytes:
    return part.hex().upper().encode()


def _escaped(part: bytes) -> bytes:
    return repr(part)[2:-1].encode()


@pytest.fixture
def outside() -> Outside:
    return Outside()


@pytest.fixture
def settings(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Settings:
    environment["GALAPOST_BROKER"] = environment["GALAPOST_BROKER"].removesuffix("/0") + "/11"
    for name, value in {**environment, "GALAPOST_WEBHOOKS_TO_LOOPBACK": "1"}.items():
        monkeypatch.setenv(name, value)
    sealing._key.cache_clear()
    outbox._domain.cache_clear()
    return Settings.from_env()


@pytest.fixture
def app(settings: Settings, outside: Outside, monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    """Kicks go to a real broker, and nobody takes them out of its queue: there they can be read."""
    with redis.Redis.from_url(settings.broker) as broker:
        broker.flushdb()
    monkeypatch.setattr(kicking, "kick", kicking.Kicker(settings.broker).kick)
    made = create_app(settings)
    outside.watch(made)
    yield made
    database.disconnect()
    sealing._key.cache_clear()


@pytest.fixture
def noted(outside: Outside, capfd: pytest.CaptureFixture[str]) -> Iterator[Callable[[], None]]:
    """Collects, when called, all that was logged: by structlog to the output, by libraries at DEBUG."""
    written = io.StringIO()
    handler, root = logging.StreamHandler(written), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)

    def note() -> None:
        outside.left.append(written.getvalue().encode())
        outside.left += [part.encode() for part in capfd.readouterr()]

    yield note
    root.removeHandler(handler)
    root.setLevel(level)


def secrets_of(game_id: str) -> tuple[bytes, bytes]:
    with reading() as session:
        game = session.get_one(Game, game_id)
        return game.seed, stream_key(game.seed, entropy_by_seat(archive.entropy_of(game)))


def messages(broker_url: str) -> list[bytes]:
    with redis.Redis.from_url(broker_url) as broker:
        for _ in range(100):  # the kicker has a thread of its own
            if broker.llen(QUEUE):
                break
            time.sleep(0.05)
        return [bytes(message) for message in broker.lrange(QUEUE, 0, -1)]


@contextmanager
def broken_state(game_id: str) -> Iterator[None]:
    """The stored state can't be read: errors quote what they were reading."""
    with transaction() as session:
        game = session.get_one(Game, game_id)
        whole, game.state = game.state, (game.state or "").replace('"deck"', '"dock"')
    yield
    with transaction() as session:
        session.get_one(Game, game_id).state = whole


def provoke_errors(app: Flask, game: str, people: list[Person], monkeypatch: pytest.MonkeyPatch) -> None:
    player, number = whose_turn(game, *people)
    moves = f"/games/{game}/moves"
    for who in (*people, Person(app), Person(app, "gp_wrong"), signed_in(app, f"Eve{number}")):
        for door in DOORS:
            who.get(f"/games/{game}{door}")
        who.post(f"/games/{game}/seats")
        who.post(f"/games/{game}/start")
        who.post(f"/games/{game}/seats/me/entropy", {"entropy": "wrong"})
        for body in ({"decision": number, "move": "yield C99"}, {"decision": number + 1, "move": "pass"}, {"seed": 1}):
            who.post(moves, body)
        who.ask("POST", moves, data=b"{", content_type="application/json")
        who.ask("POST", moves, data=b"x" * 300_000, content_type="application/json")
    legal = player.legal(game)[0]
    with monkeypatch.context() as patch:
        patch.setattr(notifying, "decision_opened", _break_a_rule_of_the_table)
        assert player.post(moves, {"decision": number, "move": legal}).status_code == 500
    with broken_state(game):
        assert player.get(f"/games/{game}/view").status_code == 500
        assert player.post(moves, {"decision": number, "move": legal}).status_code == 500
        assert auditing.run()["different"] == 1


def _break_a_rule_of_the_table(session: Any, game: Game, *_: Any) -> None:
    """The database refuses the row, and PostgreSQL quotes it."""
    game.status = "bewitched"
    session.flush()


def begin(ann: Person, bob: Person) -> str:
    texts = {"A": "anchovy", "B": "barnacle"}
    digests = {seat: {"entropy_commitment": addition(seat, text)["commitment"]} for seat, text in texts.items()}
    for who in (ann, bob):
        who.made("/webhooks", {"url": "http://127.0.0.1:1/hook"})
    game: str = ann.made("/games", {"seats": 2, "spectators": "public", **digests["A"]})["id"]
    bob.made(f"/games/{game}/seats", digests["B"])
    for who, seat in ((ann, "A"), (bob, "B")):
        who.get(f"/games/{game}/fairness")
        who.made(f"/games/{game}/seats/me/entropy", {"entropy": texts[seat]})
    return game


def play(game: str, people: list[Person], moves: int) -> Any:
    """Some moves; who is to move then."""
    waiting = people[0].seen(f"/games/{game}")["waiting_for"]
    while waiting is not None and moves:
        player = people["AB".index(waiting["seat"])]
        legal = player.legal(game)
        answer = {"decision": waiting["decision"], "move": legal[len(legal) // 2]}
        waiting, moves = player.made(f"/games/{game}/moves", answer)["next"], moves - 1
    return waiting


def test_the_seed_never_leaves_before_the_game_is_over(
    app: Flask, settings: Settings, outside: Outside, noted: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    people = [signed_in(app, "Ann"), signed_in(app, "Bob")]
    game = begin(*people)
    seed, key = secrets_of(game)
    while play(game, people, 30) is not None:
        if not any(parcel.channel == "webhook" for parcel in outside.parcels):
            provoke_errors(app, game, people, monkeypatch)
        with broken_state(game):
            dispatching.run(outside.send, settings, seconds=1)
        make_due()
        dispatching.run(outside.send, settings)
        assert auditing.run() == {"games": 1, "different": 0}
        for who in (*people, Person(app)):
            for door in DOORS:
                who.get(f"/games/{game}{door}")
    outside.left += messages(settings.broker)
    noted()

    kinds = {(parcel.channel, parcel.body[:12] == '{"type":"gam') for parcel in outside.parcels}
    assert kinds >= {("webhook", True), ("webhook", False), ("email", False)}
    for trace in (b"IntegrityError", b"BadDump", b"galapost.dispatch", b"game-not-over", b"a stored game cannot"):
        assert any(trace in chunk for chunk in outside.left), f"{trace!r}: something was not provoked, or not collected"
    assert (outside.holds(seed), outside.holds(key)) == ([], [])

    people[0].get(f"/games/{game}/fairness")  # now it is over, and the search finds what it has to find
    assert outside.holds(seed) and outside.holds(key)


def make_due() -> None:
    """What failed while the state was broken is tried again at once."""
    with transaction() as session:
        for delivery in session.scalars(select(Delivery).where(Delivery.state == "due")):
            delivery.next_at = delivery.created_at


@pytest.mark.parametrize("secret", [bytes(range(7, 39)), bytes(range(200, 232))])
def test_the_search_finds_what_it_looks_for_in_every_form(secret: bytes) -> None:
    outside = Outside()
    forms = [b"x" + secret, secret.hex().encode(), secret.hex().upper().encode(), repr(secret).encode()]
    forms += [base64.b64encode(b"y" * offset + secret) for offset in range(3)]
    forms += [base64.b32encode(secret), str(int.from_bytes(secret)).encode(), secret.hex()[:40].encode()]
    for form in forms:
        outside.left = [b"before " + form + b" after"]
        assert outside.holds(secret), form
    outside.left = [b"nothing of the kind", secret[:4].hex().encode()]
    assert not outside.holds(secret)


def test_postgresql_does_not_quote_the_row_that_it_refused(postgresql_url: str, tmp_path: Path) -> None:
    database.connect(Settings.from_env({"GALAPOST_DATABASE": postgresql_url, "GALAPOST_HOME": str(tmp_path)}).database)
    statement = "INSERT INTO account (id, name, language, kind, created_at) VALUES ('u', 'canary', 'xx', 'bot', now())"
    try:
        with pytest.raises(Exception, match="check constraint") as caught, transaction() as session:
            session.connection().exec_driver_sql(statement)
        orig = caught.value.orig  # type: ignore[attr-defined]
        assert "canary" not in f"{orig} {orig!r} {caught.value.args}"
    finally:
        database.disconnect()
