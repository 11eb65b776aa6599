"""The log of what was sent to a webhook; sending it again."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask
from sqlalchemy import select

from server import clock
from server.database import reading, transaction
from server.models import Delivery, WebhookEndpoint
from server.services import dispatching, outbox, redelivering
from server.services.dispatching import Parcel
from server.services.settling import Outcome
from tests.api.test_webhooks import due_now
from tests.playing import Person, on_one_database, problem, running_game, whose_turn

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
URL = "https://bot.example.org/galapost"


def test_a_test_is_a_ping_five_times_a_minute_at_most(ann: Person) -> None:
    webhook = ann.made("/webhooks", {"url": URL})["id"]
    for _ in range(4):  # and one was sent at registration
        assert ann.made(f"/webhooks/{webhook}/test")["type"] == "ping"
    refused = ann.post(f"/webhooks/{webhook}/test")
    problem(refused, 429, "rate-limited")
    assert 0 < int(refused.headers["Retry-After"]) <= 60


def test_the_log_tells_every_attempt(ann: Person, app: Flask) -> None:
    webhook = ann.made("/webhooks", {"url": URL})["id"]
    answers = [
        Outcome("transient", 503, "come again", 12, retry_after=0),
        Outcome("transient", None, "unreachable", None),
        Outcome("ambiguous", None, "no answer", 15000),
        Outcome("sent", 200, "thank you", 7),
    ]
    for answer in answers:
        due_now()
        dispatching.run(lambda parcel, answer=answer: answer, app.config["GALAPOST"])
    (ping,) = ann.seen(f"/webhooks/{webhook}/deliveries")["items"]
    assert (ping["type"], ping["state"], ping["next_at"]) == ("ping", "sent", None) and ping["settled_at"]
    told = [
        {name: attempt[name] for name in ("number", "outcome", "status", "reply", "ms")} for attempt in ping["attempts"]
    ]
    assert told == [
        {"number": 1, "outcome": "transient", "status": 503, "reply": "come again", "ms": 12},
        {"number": 2, "outcome": "transient", "status": None, "reply": "unreachable", "ms": None},
        {"number": 3, "outcome": "ambiguous", "status": None, "reply": "no answer", "ms": 15000},
        {"number": 4, "outcome": "sent", "status": 200, "reply": "thank you", "ms": 7},
    ]


def test_the_log_is_given_page_by_page_and_by_state(ann: Person, app: Flask) -> None:
    webhook = ann.made("/webhooks", {"url": URL})["id"]
    for _ in range(4):
        ann.made(f"/webhooks/{webhook}/test")
    path, seen = f"/webhooks/{webhook}/deliveries?limit=2", []
    while path:
        answer = ann.get(path)
        seen += [item["id"] for item in answer.json["items"]]
        path = answer.headers.get("Link", "").partition(">")[0].partition("/v1")[2]
    assert len(seen) == len(set(seen)) == 5
    assert [item["id"] for item in ann.seen(f"/webhooks/{webhook}/deliveries")["items"]] == seen
    assert ann.seen(f"/webhooks/{webhook}/deliveries?state=sent")["items"] == []
    assert len(ann.seen(f"/webhooks/{webhook}/deliveries?state=due")["items"]) == 5
    problem(ann.get(f"/webhooks/{webhook}/deliveries?state=leased"), 422, "invalid-query")


@pytest.mark.parametrize("became", ["sent", "dead"])
def test_a_delivery_is_sent_again_under_the_same_identity(became: str, ann: Person, app: Flask) -> None:
    webhook = ann.made("/webhooks", {"url": URL})["id"]
    taken: list[Parcel] = []

    def send(parcel: Parcel) -> Outcome:
        taken.append(parcel)
        return Outcome("permanent" if became == "dead" and len(taken) == 1 else "sent", 200)

    due_now()
    dispatching.run(send, app.config["GALAPOST"])
    (ping,) = ann.seen(f"/webhooks/{webhook}/deliveries")["items"]
    assert ping["state"] == became
    again = ann.made(f"/webhooks/{webhook}/deliveries/{ping['id']}/redeliver")
    assert (again["id"], again["state"], again["webhook_id"]) == (ping["id"], "due", ping["webhook_id"])
    dispatching.run(send, app.config["GALAPOST"])
    assert taken[0] == taken[1] and len(taken) == 2
    (ping,) = ann.seen(f"/webhooks/{webhook}/deliveries")["items"]
    assert ping["state"] == "sent" and [attempt["number"] for attempt in ping["attempts"]] == [1, 2]


def test_sent_again_it_has_the_whole_schedule_before_it(ann: Person, app: Flask) -> None:
    webhook = ann.made("/webhooks", {"url": URL})["id"]
    with transaction() as session:
        ping = session.scalars(select(Delivery).where(Delivery.endpoint_id == webhook)).one()
        ping.state, ping.reason, ping.attempts = "dead", "gave-up", 10
    ann.made(f"/webhooks/{webhook}/deliveries/{ping.id}/redeliver")
    dispatching.run(lambda parcel: Outcome("transient", 500), app.config["GALAPOST"])
    (told,) = ann.seen(f"/webhooks/{webhook}/deliveries")["items"]
    assert (told["state"], [attempt["number"] for attempt in told["attempts"]]) == ("due", [11])
    with reading() as session:
        row = session.scalars(select(Delivery).where(Delivery.endpoint_id == webhook)).one()
        assert timedelta(seconds=4) < row.next_at - clock.now() < timedelta(seconds=6)


def test_an_answered_turn_is_sent_again_when_it_is_asked_for_but_not_by_a_replay(
    ann: Person, bob: Person, app: Flask
) -> None:
    webhook = {person.name: person.made("/webhooks", {"url": URL})["id"] for person in (ann, bob)}
    game = running_game(ann, bob)
    everything(app)
    first, decision = whose_turn(game, ann, bob)
    first.made(f"/games/{game}/moves", {"decision": decision, "move": first.legal(game)[-1]})
    everything(app)
    path = f"/webhooks/{webhook[first.name]}"
    turn = next(item for item in first.seen(f"{path}/deliveries")["items"] if item["decision"] == decision)
    replayed = first.made(f"{path}/redeliver", {"since": "2020-01-01T00:00:00+02:00"})
    owes = whose_turn(game, ann, bob)[0] is first
    assert replayed == {"redelivered": 2 if owes else 1, "next_since": None}, "game.started, and a turn if one is owed"
    assert decision not in [parcel_decision(parcel) for parcel in everything(app)]
    first.made(f"{path}/deliveries/{turn['id']}/redeliver")
    assert [parcel_decision(parcel) for parcel in everything(app)] == [decision]


REPLAY = {"since": "2020-01-01T00:00:00Z"}


def a_row(webhook: str, kind: str, **values: object) -> str:
    """Something that was sent there, and that a replay would send again were it still news."""
    with transaction() as session:
        owner = session.get_one(WebhookEndpoint, webhook).account_id
        row = outbox.post(
            session, kind=kind, channel="webhook", dedupe_key=f"{kind} again", now=clock.now(), account_id=owner,
            endpoint_id=webhook, payload={"body": '{"data": {}}', **values.pop("payload", {})}, **values,
        )  # fmt: skip
        assert row is not None
        outbox.close(row, "sent", None, clock.now())
        return row.id


def state_of(id: str) -> tuple[str, str | None]:
    with reading() as session:
        row = session.get_one(Delivery, id)
        return row.state, row.reason


@pytest.mark.parametrize("kind", ["your_turn", "reminder"])
def test_a_replay_leaves_what_was_answered_since_as_it_is(kind: str, ann: Person, bob: Person, app: Flask) -> None:
    game = running_game(ann, bob)
    player, decision = whose_turn(game, ann, bob)
    webhook = player.made("/webhooks", {"url": URL})["id"]
    everything(app)
    row = a_row(webhook, kind, game_id=game, seat=player.seen(f"/games/{game}/view")["you"], decision=decision)
    assert player.made(f"/webhooks/{webhook}/redeliver", REPLAY)["redelivered"] == 1, "it is open yet"
    everything(app)
    player.made(f"/games/{game}/moves", {"decision": decision, "move": player.legal(game)[-1]})
    with transaction() as session:
        session.query(Delivery).filter(Delivery.endpoint_id == webhook, Delivery.id != row).update({"kind": "ping"})
    assert player.made(f"/webhooks/{webhook}/redeliver", REPLAY)["redelivered"] == 0
    everything(app)
    assert state_of(row) == ("sent", None)


def test_what_was_sent_stays_sent_when_it_is_asked_for_again_in_vain(ann: Person, bob: Person, app: Flask) -> None:
    game = running_game(ann, bob)
    player, decision = whose_turn(game, ann, bob)
    webhook = player.made("/webhooks", {"url": URL})["id"]
    everything(app)
    row = a_row(webhook, "your_turn", game_id=game, seat=player.seen(f"/games/{game}/view")["you"], decision=decision)
    redelivered = f"/webhooks/{webhook}/deliveries/{row}/redeliver"
    player.made(redelivered)
    everything(app)
    player.made(f"/games/{game}/moves", {"decision": decision, "move": player.legal(game)[-1]})
    player.made(redelivered)
    dispatching.run(lambda parcel: Outcome("transient", 500), app.config["GALAPOST"])
    assert state_of(row) == ("due", None)
    everything(app)
    assert state_of(row) == ("sent", None), "its next try was not made, since it was answered"


def test_a_replay_leaves_out_what_he_wants_no_more(ann: Person, bob: Person, app: Flask) -> None:
    webhook = ann.made("/webhooks", {"url": URL})["id"]
    one, two = running_game(ann, bob), running_game(ann, bob)
    everything(app)
    with transaction() as session:
        session.query(Delivery).filter_by(endpoint_id=webhook).update({"kind": "ping"})
    in_one, in_two, over = (
        a_row(webhook, "message", game_id=one),
        a_row(webhook, "game_over", game_id=two),
        a_row(webhook, "game_started", game_id=two),
    )
    ann.ask("PUT", f"/games/{one}/notifications", json={"muted": True})
    ann.ask("PATCH", "/me/notifications", json={"kinds": {"game_over": {"webhook": "off"}}})
    assert ann.made(f"/webhooks/{webhook}/redeliver", REPLAY) == {"redelivered": 1, "next_since": None}
    everything(app)
    assert {state_of(id) for id in (in_one, in_two, over)} == {("sent", None)}
    with reading() as session:
        assert {id for id in (in_one, in_two, over) if session.get_one(Delivery, id).attempts} == {over}


def test_a_replay_leaves_out_invitations_that_were_answered(ann: Person, bob: Person, app: Flask) -> None:
    webhook = bob.made("/webhooks", {"url": URL})["id"]
    game = ann.made("/games", {"seats": 3})["id"]
    ann.made(f"/games/{game}/invitations", {"account": "Bob"})
    everything(app)
    assert bob.made(f"/webhooks/{webhook}/redeliver", REPLAY)["redelivered"] == 1, "it is open yet"
    everything(app)
    bob.made(f"/games/{game}/seats")
    assert bob.made(f"/webhooks/{webhook}/redeliver", REPLAY)["redelivered"] == 0


def everything(app: Flask) -> list[Parcel]:
    """What goes out over webhooks now; all of it is taken."""
    taken: list[Parcel] = []

    def send(parcel: Parcel) -> Outcome:
        if parcel.channel == "webhook":
            taken.append(parcel)
        return Outcome("sent", 204)

    due_now()
    while dispatching.run(send, app.config["GALAPOST"]):
        pass
    return taken


def parcel_decision(parcel: Parcel) -> int | None:
    decision: int | None = json.loads(parcel.body)["data"].get("decision")
    return decision


def test_a_replay_takes_a_window_and_so_many_in_one_go(
    ann: Person, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redelivering, "AT_ONCE", 2)
    webhook = ann.made("/webhooks", {"url": URL})["id"]
    everything(app)
    with transaction() as session:
        owner = session.get_one(WebhookEndpoint, webhook).account_id
        for minute in range(5):
            row = outbox.post(
                session, kind="game_over", channel="webhook", dedupe_key=str(minute), now=NOON + timedelta(minutes=minute),
                account_id=owner, endpoint_id=webhook, payload={"body": f'{{"data":{{"decision":{minute}}}}}'},
            )  # fmt: skip
            assert row is not None
            row.state, row.reason = "obsolete", "endpoint-disabled"
    window = {"since": "2026-03-01T12:01:00Z", "until": "2026-03-01T12:04:00Z"}
    told = ann.made(f"/webhooks/{webhook}/redeliver", window)
    assert told == {"redelivered": 2, "next_since": "2026-03-01T12:03:00.000Z"}
    assert sorted(map(parcel_decision, everything(app))) == [1, 2]
    told = ann.made(f"/webhooks/{webhook}/redeliver", {**window, "since": told["next_since"]})
    assert told == {"redelivered": 1, "next_since": None}
    assert list(map(parcel_decision, everything(app))) == [3]


@on_one_database
@pytest.mark.parametrize(
    "window",
    [
        {},
        {"since": "yesterday"},
        {"since": "2026-03-01"},
        {"since": "2026-03-01T12:00:00"},
        {"since": "2026-13-01T12:00:00Z"},
        {"since": "0001-01-01T00:00:00+23:00"},
        {"since": 1700000000},
        {"since": None},
        {"since": ["2026-03-01T12:00:00Z"]},
        {"since": "2026-03-01T12:00:00Z", "until": "2026-03-01T12:00:00Z"},
    ],
)
def test_a_window_that_is_none_is_refused(window: dict[str, object], ann: Person) -> None:
    webhook = ann.made("/webhooks", {"url": URL})["id"]
    problem(ann.post(f"/webhooks/{webhook}/redeliver", window), 422, "invalid-body")
