from __future__ import annotations

import pytest
from sqlalchemy import select

from server import sealing
from server.database import reading
from server.models import Delivery, WebhookEndpoint
from server.services import webhooks
from tests.playing import Person, on_one_database, problem, running_game

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
    assert set(ann.made("/webhooks", {"url": URL})["types"]) == {"turn.opened", "game.started", "game.over"}


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
