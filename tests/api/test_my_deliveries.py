"""What became of every notice to me, sent again, and tests of the channels."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from flask import Flask
from sqlalchemy import select

from server import clock
from server.config import Settings
from server.database import reading, transaction
from server.models import Account, Attempt, Delivery
from server.services import dispatching, fates, forgetting, notifying, outbox
from server.services.dispatching import Parcel
from server.services.settling import Outcome
from tests.playing import Person, on_one_database, problem, running_game, whose_turn

DELIVERIES, TEST = "/me/deliveries", "/me/notifications/test"
SENT = Outcome("sent", 250, "2.0.0 Ok: queued", 3)


def run(outcome: Outcome = SENT) -> list[Parcel]:
    taken: list[Parcel] = []
    dispatching.run(lambda parcel: taken.append(parcel) or outcome, Settings.from_env())
    return taken


def told(who: Person, **query: str) -> list[dict[str, Any]]:
    answer = who.get(DELIVERIES, query_string=query)
    assert answer.status_code == 200, answer.text
    return list(answer.json["items"])


def one(who: Person, kind: str, channel: str = "email") -> dict[str, Any]:
    (item,) = [item for item in told(who, channel=channel) if item["kind"] == kind]
    return item


def again(who: Person, id: str) -> Any:
    return who.post(f"{DELIVERIES}/{id}/again")


def wish(who: Person, **changes: Any) -> None:
    assert who.ask("PATCH", "/me/notifications", json=changes).status_code == 200


def test_what_was_sent_has_its_tries_and_what_the_server_said(ann: Person, bob: Person) -> None:
    running_game(ann, bob)
    run(Outcome("transient", 451, "4.7.1 greylisted", 3))
    waiting = one(bob, "game_started")
    assert (waiting["state"], waiting["text"]) == ("due", "It was tried, and is tried again.")
    assert waiting["next_at"] is not None and waiting["sent_at"] is None
    with time_machine.travel(clock.now() + timedelta(minutes=2), tick=False):
        run()
    item = one(bob, "game_started")
    assert (item["state"], item["reason"]) == ("sent", None) and item["sent_at"] == item["settled_at"] is not None
    assert [(tried["number"], tried["outcome"], tried["status"], tried["reply"]) for tried in item["attempts"]] == [
        (1, "transient", 451, "4.7.1 greylisted"),
        (2, "sent", 250, "2.0.0 Ok: queued"),
    ]


def test_why_there_was_no_mail_is_said_in_the_language_asked_for(ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    bob.ask("PUT", f"/games/{game}/notifications", json={"muted": True})
    ann.made(f"/games/{game}/messages", {"text": "hello"})
    item = one(bob, "message")
    assert (item["state"], item["reason"]) == ("suppressed", "muted")
    assert item["text"] == "It was not sent: you have muted this game."
    russian = bob.get(DELIVERIES, headers={"Accept-Language": "ru"}).json["items"]
    assert (
        next(item["text"] for item in russian if item["kind"] == "message")
        == "Не отправлено: вы отключили уведомления об этой партии."
    )


def test_every_reason_in_the_services_has_a_sentence() -> None:
    """They are words with hyphens there; those without are listed here."""
    source = "".join(path.read_text() for path in Path(notifying.__file__).parent.glob("*.py"))
    given = r'(?:return|else|reason =|reason=|"dead",|"obsolete",|or) "([a-z]+(?:-[a-z]+)+)"'
    simple = {"answered", "replaced", "off", "unsubscribed", "muted", "used", "expired", "settled", "refused"}
    reasons = set(re.findall(given, source)) | simple
    assert {"gave-up", "no-address", "address-dead", "endpoint-gone", "webhook-deleted"} <= reasons
    assert reasons - {*fates.NOT_SENT, *fates.WAITING} == set()


def test_why_it_waits_is_said_too(ann: Person, bob: Person) -> None:
    wish(bob, kinds={"message": {"email": "digest"}}, delay="PT5M")
    game = running_game(ann, bob)
    ann.made(f"/games/{game}/messages", {"text": "hello"})
    player, number = whose_turn(game, ann, bob)
    if player is ann:
        ann.made(f"/games/{game}/moves", {"decision": number, "move": ann.legal(game)[0]})
    assert one(bob, "message")["reason"] == "digest"
    waiting = one(bob, "your_turn")
    assert (waiting["reason"], waiting["text"]) == ("delay", "It waits for you to move by yourself, as you wished.")


def test_filters_and_pages(ann: Person, bob: Person) -> None:
    bob.made("/webhooks", {"url": "https://bot.example.org/hook"})
    games = [running_game(ann, bob) for _ in range(2)]
    run()
    everything = told(bob)
    assert [item["created_at"] for item in everything] == sorted(
        (item["created_at"] for item in everything), reverse=True
    )
    assert {item["channel"] for item in told(bob, channel="webhook")} == {"webhook"}
    assert {item["game"] for item in told(bob, game=games[0])} == {games[0]}
    assert told(bob, state="dead") == [] and told(bob, game="g_nothing") == []
    read, cursor = [], None
    while True:
        page = bob.get(DELIVERIES, query_string={"limit": "2"} | ({"cursor": cursor} if cursor else {}))
        read += page.json["items"]
        cursor = page.json["next_cursor"]
        if cursor is None:
            break
        assert 'rel="next"' in page.headers["Link"]
    assert read == everything


@on_one_database
@pytest.mark.parametrize(
    "query", ["channel=sms", "state=lost", "limit=0", "cursor=x", "kind=message", "state=due&state=sent"]
)
def test_what_can_not_be_filtered_by_is_named(ann: Person, query: str) -> None:
    assert ann.get(f"{DELIVERIES}?{query}").status_code == 422


def test_nobody_sees_or_sends_what_is_somebody_elses(ann: Person, bob: Person, eve: Person) -> None:
    running_game(ann, bob)
    assert told(eve) == []
    problem(again(eve, one(bob, "game_started")["id"]), 404, "unknown-delivery")
    problem(again(bob, "dl_nothing"), 404, "unknown-delivery")
    assert "example.org" not in str(told(bob)), "no addresses"


def test_what_died_is_sent_again_under_its_identity(ann: Person, bob: Person) -> None:
    running_game(ann, bob)
    run(Outcome("transient", 451, "busy"))
    with transaction() as session:
        for row in session.scalars(select(Delivery).where(Delivery.kind == "game_started", Delivery.seat == "B")):
            outbox.close(row, "dead", "gave-up", clock.now())
    with time_machine.travel(clock.now() + timedelta(minutes=5), tick=False):
        dead = one(bob, "game_started")
        assert dead["text"] == "It could not be delivered: every try failed, until the last one was made."
        answer = again(bob, dead["id"])
        assert (answer.status_code, answer.json["state"]) == (202, "due")
        assert again(bob, dead["id"]).json == answer.json, "to ask twice is to ask once"
        (mail,) = [parcel for parcel in run() if parcel.id == dead["message_id"]]
        assert f"Message-ID: {dead['message_id']}" in mail.body
    sent = one(bob, "game_started")
    assert (sent["state"], [tried["number"] for tried in sent["attempts"]]) == ("sent", [1, 2])


def test_what_was_muted_is_sent_if_he_asks_for_it_again_even_when_the_first_try_fails(ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    bob.ask("PUT", f"/games/{game}/notifications", json={"muted": True})
    run()
    ann.made(f"/games/{game}/messages", {"text": "hello"})
    item = one(bob, "message")
    assert again(bob, item["id"]).status_code == 202
    run(Outcome("transient", 451, "busy"))
    with time_machine.travel(clock.now() + timedelta(minutes=2), tick=False):
        assert item["message_id"] in [parcel.id for parcel in run()]


def test_it_is_sent_again_in_spite_of_quiet_hours_and_digests(ann: Person, bob: Person) -> None:
    wish(bob, kinds={"message": {"email": "digest"}})
    game = running_game(ann, bob)
    run()
    ann.made(f"/games/{game}/messages", {"text": "hello"})
    item = one(bob, "message")
    assert item["reason"] == "digest" and run() == []
    again(bob, item["id"])
    assert [parcel.id for parcel in run()] == [item["message_id"]]


def test_a_turn_that_was_answered_is_not_told_again_and_a_code_neither(ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    run()
    player, number = whose_turn(game, ann, bob)
    item = one(player, "your_turn")
    player.made(f"/games/{game}/moves", {"decision": number, "move": player.legal(game)[0]})
    with time_machine.travel(clock.now() + timedelta(minutes=2), tick=False):
        refused = again(player, item["id"])
        assert problem(refused, 409, "not-sendable")["reason"] == "answered"
        player.made("/me/email", {"email": "other@example.org"})
        run()
        problem(again(player, one(player, "email_change")["id"]), 409, "not-sendable")
    assert one(player, "your_turn")["state"] == "sent", "what was refused changed nothing"


def test_a_notice_is_sent_again_once_a_minute(ann: Person, bob: Person) -> None:
    running_game(ann, bob)
    run()
    item = one(bob, "game_started")
    answer = again(bob, item["id"])
    problem(answer, 429, "rate-limited")
    assert 0 < int(answer.headers["Retry-After"]) <= 61
    with time_machine.travel(clock.now() + timedelta(minutes=1, seconds=1), tick=False):
        assert again(bob, item["id"]).status_code == 202


def test_to_a_dead_address_nothing_is_sent_again(ann: Person, bob: Person) -> None:
    running_game(ann, bob)
    run()
    with transaction() as session:
        session.query(Account).filter_by(name="Bob").one().mail_dead_at = clock.now()
    with time_machine.travel(clock.now() + timedelta(minutes=2), tick=False):
        refused = problem(again(bob, one(bob, "game_started")["id"]), 409, "not-sendable")
        assert refused["reason"] == "address-dead"


def test_a_webhook_is_sent_again_with_the_scope_for_webhooks(ann: Person, bob: Person) -> None:
    bob.made("/webhooks", {"url": "https://bot.example.org/hook", "types": ["game.started"]})
    running_game(ann, bob)
    run()
    item = one(bob, "game_started", "webhook")
    with time_machine.travel(clock.now() + timedelta(minutes=2), tick=False):
        text = bob.made("/me/tokens", {"name": "reader", "scopes": ["account"]})["token"]
        problem(again(Person(bob.app, text), item["id"]), 403, "insufficient-scope")
        assert again(bob, item["id"]).status_code == 202
        assert item["message_id"] in [parcel.id for parcel in run()]


def test_a_test_mail_comes_in_quiet_hours_and_five_times_an_hour(ann: Person) -> None:
    wish(ann, quiet_hours={"from": "00:00", "until": "17:59"}, digest_at="18:00")
    (item,) = ann.made(TEST, {"channel": "email"})["items"]
    assert (item["kind"], item["state"]) == ("test", "due")
    with time_machine.travel(clock.now().replace(hour=12), tick=False):
        assert item["message_id"] in [parcel.id for parcel in run()]
    for _ in range(4):
        ann.made(TEST, {"channel": "email"})
    problem(ann.post(TEST, {"channel": "email"}), 429, "rate-limited")


def test_a_test_of_webhooks_pings_every_one_that_is_on(ann: Person) -> None:
    problem(ann.post(TEST, {"channel": "webhook"}), 409, "no-way-to-send")
    on, off = (ann.made("/webhooks", {"url": f"https://bot.example.org/{name}"})["id"] for name in ("on", "off"))
    ann.ask("PATCH", f"/webhooks/{off}", json={"active": False})
    items = ann.made(TEST, {"channel": "webhook"})["items"]
    assert [(item["kind"], item["webhook"]) for item in items] == [("ping", on)]


@on_one_database
def test_a_test_needs_a_channel_that_there_is(ann: Person) -> None:
    for body in ({}, {"channel": "sms"}, {"channel": None}, {"channel": "email", "x": 1}):
        assert ann.post(TEST, body).status_code == 422


def test_a_bot_has_no_address_to_be_tried(ann: Person, app: Flask) -> None:
    with transaction() as session:
        session.query(Account).filter_by(name="Ann").one().email = None
    problem(ann.post(TEST, {"channel": "email"}), 409, "no-way-to-send")


def test_after_ninety_days_what_is_settled_is_forgotten(ann: Person, bob: Person) -> None:
    running_game(ann, bob)
    run()
    with transaction() as session:
        waiting = session.scalars(select(Delivery).where(Delivery.kind == "game_started", Delivery.seat == "A")).one()
        waiting.state, waiting.settled_at = "due", None
    with time_machine.travel(clock.now() + forgetting.KEPT - timedelta(minutes=1), tick=False):
        assert forgetting.forget_settled() == 0
    with time_machine.travel(clock.now() + forgetting.KEPT + timedelta(minutes=1), tick=False):
        assert forgetting.forget_settled() > 0
    assert told(bob) == [] and len(told(ann)) == 1
    with reading() as session:
        left = set(session.scalars(select(Attempt.delivery_id)))
        assert left == {told(ann)[0]["id"]}
