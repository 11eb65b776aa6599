from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from flask import Flask
from sqlalchemy import func, select

from server import clock, sealing
from server.database import reading, transaction
from server.models import Delivery, Token, WebhookEndpoint
from server.schemas.notices import NOTICES
from server.services import dispatching, payloads, webhooks
from server.services.dispatching import Parcel
from server.services.settling import Outcome
from tests.playing import Person, on_one_database, problem, running_game
from workers.carrying import carry
from workers.transports.addresses import Policy
from workers.transports.webhook import Webhook

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
URL = "https://bot.example.org/galapost"


def test_the_secret_is_shown_once_and_sealed_at_rest(ann: Person) -> None:
    made = ann.made("/webhooks", {"url": URL, "types": ["turn.opened"]})
    assert made["secret"].startswith("whsec_") and made["types"] == ["turn.opened"]
    (listed,) = ann.seen("/webhooks")["items"]
    assert listed == {key: value for key, value in made.items() if key != "secret"}
    with reading() as session:
        stored = session.scalars(select(WebhookEndpoint)).one()
    assert made["secret"] not in stored.secret_sealed and sealing.unseal(stored.secret_sealed) == made["secret"]


def test_all_types_are_sent_unless_some_are_named(ann: Person) -> None:
    made = ann.made("/webhooks", {"url": URL})
    assert set(made["types"]) == set(NOTICES) - {"ping"} >= {"turn.opened", "game.started", "game.over"}


@on_one_database
@pytest.mark.parametrize(
    "url",
    [
        "http://bot.example.org/",
        "http://127.0.0.1/",
        "ftp://bot.example.org/",
        "//bot.example.org/",
        "bot.example.org",
        "https://",
        "https://user@bot.example.org/",
        "https://user:secret@bot.example.org/",
        "https://@bot.example.org/",
        "https://bot.example.org:port/",
        "https://[::1/",
        "https://bot.example.org\\@evil.example/",
        "https://bot .example.org/",
        "https://бот.example/",
        "https://bot.example.org:80/",
        "https://bot.example.org:22/",
        "https://bot.example.org:0/",
        "http://localhost/",
        'https://bot.example.org/"',
    ],
)
def test_an_address_that_is_none_for_us_is_refused(url: str, ann: Person) -> None:
    problem(ann.post("/webhooks", {"url": url}), 422, "bad-webhook-url")
    assert ann.seen("/webhooks")["items"] == []


@on_one_database
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"url": 7},
        {"url": URL, "types": []},
        {"url": URL, "types": ["all"]},
        {"url": URL, "types": "game.over"},
        {"url": URL, "types": ["ping"]},
        {"url": URL, "format": "teams"},
        {"url": URL, "answers": "yes"},
        {"url": URL, "answers": True, "format": "slack"},
    ],
)
def test_a_webhook_that_is_none_is_refused(body: dict[str, object], ann: Person) -> None:
    problem(ann.post("/webhooks", body), 422, "invalid-body")


def test_what_is_deleted_is_gone_and_sends_nothing_more(ann: Person, bob: Person) -> None:
    webhook = ann.made("/webhooks", {"url": URL})["id"]
    running_game(ann, bob)
    with reading() as session:
        assert session.scalars(select(Delivery).where(Delivery.channel == "webhook", Delivery.state == "due")).all()
    deleted = ann.ask("DELETE", f"/webhooks/{webhook}")
    assert (deleted.status_code, deleted.data) == (204, b"")
    with reading() as session:
        assert set(session.scalars(select(Delivery.state).where(Delivery.channel == "webhook"))) == {"obsolete"}
    problem(ann.ask("DELETE", f"/webhooks/{webhook}"), 404, "unknown-webhook")
    assert ann.seen("/webhooks")["items"] == []


def test_a_webhook_of_somebody_else_is_unknown(ann: Person, eve: Person) -> None:
    webhook = ann.made("/webhooks", {"url": URL})["id"]
    problem(eve.ask("DELETE", f"/webhooks/{webhook}"), 404, "unknown-webhook")
    assert eve.seen("/webhooks")["items"] == [] and len(ann.seen("/webhooks")["items"]) == 1


def test_an_account_has_so_many_webhooks_and_no_more(ann: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhooks, "MOST", 3)
    for _ in range(3):
        ann.made("/webhooks", {"url": URL})
    problem(ann.post("/webhooks", {"url": URL}), 409, "too-many-webhooks")


def test_a_ping_is_promised_at_registration(ann: Person) -> None:
    made = ann.made("/webhooks", {"url": URL})
    with reading() as session:
        delivery = session.scalars(select(Delivery).where(Delivery.endpoint_id == made["id"])).one()
    assert delivery.state == "due" and delivery.payload is not None
    assert delivery.next_at - delivery.created_at == webhooks.SECRET_FIRST, "it came before its secret"
    body = json.loads(delivery.payload["body"])
    assert body["type"] == "ping" and body["data"]["webhook"] == made["id"]


def test_a_repeated_registration_pings_once(ann: Person) -> None:
    headers = {"Idempotency-Key": "one"}
    first, second = (ann.post("/webhooks", {"url": URL}, headers=headers) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 201)
    assert second.json == {**first.json, "secret": None}
    with reading() as session:
        assert session.scalar(select(func.count()).select_from(Delivery).where(Delivery.kind == "ping")) == 1


def with_scopes(person: Person, *scopes: str) -> Person:
    """The same account, with a token that allows only this."""
    with transaction() as session:
        token = session.scalars(select(Token).where(Token.prefix == (person.token or "")[:11])).one()
        token.scopes = list(scopes)
    return person


def test_answers_takes_a_token_that_may_play(ann: Person) -> None:
    webhook = ann.made("/webhooks", {"url": URL, "answers": True})["id"]
    plain = ann.made("/webhooks", {"url": URL})["id"]
    with_scopes(ann, "webhooks")
    problem(ann.post("/webhooks", {"url": URL, "answers": True}), 403, "insufficient-scope")
    problem(ann.ask("PATCH", f"/webhooks/{plain}", json={"answers": True}), 403, "insufficient-scope")
    problem(ann.ask("PATCH", f"/webhooks/{webhook}", json={"url": URL + "/mine"}), 403, "insufficient-scope")
    assert ann.ask("PATCH", f"/webhooks/{plain}", json={"url": URL + "/new"}).status_code == 200
    assert ann.ask("PATCH", f"/webhooks/{webhook}", json={"answers": False}).status_code == 200
    assert ann.ask("PATCH", f"/webhooks/{webhook}", json={"url": URL + "/mine"}).status_code == 200


def test_what_is_changed_is_changed_and_the_rest_stays(ann: Person) -> None:
    webhook = ann.made("/webhooks", {"url": URL, "types": ["turn.opened"]})["id"]
    before = ann.seen(f"/webhooks/{webhook}")
    changed = ann.ask("PATCH", f"/webhooks/{webhook}", json={"types": ["game.over", "game.over"], "format": "slack"})
    assert changed.json == {**before, "types": ["game.over"], "format": "slack"}
    assert ann.seen(f"/webhooks/{webhook}") == changed.json
    problem(ann.ask("PATCH", f"/webhooks/{webhook}", json={"answers": True}), 422, "invalid-body")
    problem(ann.ask("PATCH", f"/webhooks/{webhook}", json={"url": "http://x.example/"}), 422, "bad-webhook-url")
    problem(ann.ask("PATCH", f"/webhooks/{webhook}", json={"secret": "x"}), 422, "unknown-body-key")
    assert ann.seen(f"/webhooks/{webhook}") == changed.json


def test_only_what_was_seen_is_changed(ann: Person) -> None:
    path = f"/webhooks/{ann.made('/webhooks', {'url': URL})['id']}"
    etag = ann.get(path).headers["ETag"]
    assert ann.get(path, headers={"If-None-Match": etag}).status_code == 304
    changed = ann.ask("PATCH", path, json={"active": False}, headers={"If-Match": etag})
    assert changed.status_code == 200 and changed.headers["ETag"] != etag
    for verb in ("PATCH", "DELETE"):
        body = {"json": {"active": True}} if verb == "PATCH" else {}
        problem(ann.ask(verb, path, headers={"If-Match": etag}, **body), 412, "precondition-failed")
    assert ann.ask("DELETE", path, headers={"If-Match": changed.headers["ETag"]}).status_code == 204


def test_switched_off_and_on_again_it_starts_afresh(ann: Person) -> None:
    webhook = ann.made("/webhooks", {"url": URL})["id"]
    off = ann.ask("PATCH", f"/webhooks/{webhook}", json={"active": False}).json
    assert (off["active"], off["disabled_reason"]) == (False, "owner") and off["disabled_at"]
    for path, body in (("test", None), ("redeliver", {"since": "2020-01-01T00:00:00Z"})):
        problem(ann.post(f"/webhooks/{webhook}/{path}", body), 409, "webhook-disabled")
    with transaction() as session:
        session.get_one(WebhookEndpoint, webhook).failing_since = clock.now()
    on = ann.ask("PATCH", f"/webhooks/{webhook}", json={"active": True}).json
    assert (on["active"], on["failing_since"], on["disabled_at"], on["disabled_reason"]) == (True, None, None, None)


def test_a_new_secret_is_shown_once_and_the_old_one_signs_for_a_day(ann: Person, app: Flask) -> None:
    with time_machine.travel(NOON, tick=False) as time:
        made = ann.made("/webhooks", {"url": URL})
        rotated = ann.post(f"/webhooks/{made['id']}/secret", headers={"Idempotency-Key": "one"})
        again = ann.post(f"/webhooks/{made['id']}/secret", headers={"Idempotency-Key": "one"})
        assert rotated.status_code == again.status_code == 201
        assert rotated.headers["Cache-Control"] == "no-store"
        assert rotated.json["secret"] != made["secret"] and again.json["secret"] is None
        assert signing(app) == [(rotated.json["secret"], made["secret"])]
        time.shift(timedelta(hours=23))
        third = ann.made(f"/webhooks/{made['id']}/secret")["secret"]
        ann.made(f"/webhooks/{made['id']}/test")
        assert signing(app) == [(third, made["secret"], rotated.json["secret"])]
        time.shift(timedelta(hours=2))
        ann.made(f"/webhooks/{made['id']}/test")
        assert signing(app) == [(third, rotated.json["secret"])]
    with reading() as session:
        stored = session.get_one(WebhookEndpoint, made["id"])
        assert not any(text in str((stored.secret_sealed, stored.retired)) for text in (third, made["secret"]))


def due_now() -> None:
    with transaction() as session:
        for delivery in session.scalars(select(Delivery).where(Delivery.state == "due")):
            delivery.next_at = delivery.created_at


def signing(app: Flask) -> list[tuple[str, ...]]:
    """The secrets that sign what is sent now."""
    taken: list[tuple[str, ...]] = []

    def send(parcel: Parcel) -> Outcome:
        if parcel.channel == "webhook":
            taken.append(parcel.secrets)
        return Outcome("sent", 204)

    due_now()
    dispatching.run(send, app.config["GALAPOST"])
    return taken


def test_so_many_secrets_are_valid_at_once_and_no_more(ann: Person) -> None:
    webhook = ann.made("/webhooks", {"url": URL})["id"]
    for _ in range(webhooks.SECRETS_AT_ONCE - 1):
        ann.made(f"/webhooks/{webhook}/secret")
    refused = ann.post(f"/webhooks/{webhook}/secret")
    problem(refused, 429, "rate-limited")
    assert 0 < int(refused.headers["Retry-After"]) <= 24 * 3600


def test_whatever_is_done_with_a_webhook_others_have_none(ann: Person, eve: Person) -> None:
    webhook, other = ann.made("/webhooks", {"url": URL})["id"], eve.made("/webhooks", {"url": URL})["id"]
    (ping,) = ann.seen(f"/webhooks/{webhook}/deliveries")["items"]
    since = {"since": "2020-01-01T00:00:00Z"}
    for name in (webhook, "wh_" + "a" * 26, "wh_x", ping["id"]):
        for verb, path, body in (
            ("GET", "", None),
            ("PATCH", "", {"active": False}),
            ("DELETE", "", None),
            ("POST", "/secret", {}),
            ("POST", "/test", {}),
            ("GET", "/deliveries", None),
            ("POST", f"/deliveries/{ping['id']}/redeliver", {}),
            ("POST", "/redeliver", since),
        ):
            problem(eve.ask(verb, f"/webhooks/{name}{path}", json=body), 404, "unknown-webhook")
    problem(eve.post(f"/webhooks/{other}/deliveries/{ping['id']}/redeliver"), 404, "unknown-delivery")
    assert ann.seen(f"/webhooks/{webhook}")["active"]


def test_no_log_holds_an_address_or_a_secret(ann: Person, app: Flask, capsys: pytest.CaptureFixture[str]) -> None:
    made = ann.made("/webhooks", {"url": "https://chat.example.org/hooks/pathsecret?key=querysecret"})
    ann.made(f"/webhooks/{made['id']}/test")
    webhook = Webhook(Policy(resolver=lambda *_, **__: []), connecting=0.1)
    due_now()
    dispatching.run(lambda parcel: carry(parcel, webhook), app.config["GALAPOST"])
    due_now()
    dispatching.run(lambda parcel: Outcome("permanent", 410, gone=True), app.config["GALAPOST"])
    logged = "".join(capsys.readouterr())
    assert made["id"] in logged and not any(
        secret in logged for secret in ("pathsecret", "querysecret", made["secret"])
    )


def test_every_type_that_is_sent_is_published_and_the_other_way_round() -> None:
    assert set(payloads.TYPES.values()) == set(NOTICES)
