"""Who is told what: the rows that an occasion puts into the outbox."""

import json
from datetime import UTC, datetime

import pytest
import time_machine

from server import clock
from server.config import Settings
from server.database import transaction
from server.models import Message
from server.services import notifying
from tests.workers import rows

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_a_turn_is_told_to_the_seat_that_owes_it_and_to_nobody_else(settings: Settings) -> None:
    with transaction() as session:
        anna, boris = rows.account(session, "anna"), rows.account(session, "boris")
        rows.endpoint(session, anna, "https://anna.example.org/")
        hook = rows.endpoint(session, boris, "https://boris.example.org/")
        rows.ask(session, rows.game(session, anna, boris), "B")
    told = {(row.channel, row.account_id, row.endpoint_id, row.seat, row.decision) for row in rows.deliveries()}
    assert told == {("email", boris.id, None, "B", 1), ("webhook", boris.id, hook.id, "B", 1)}


@pytest.mark.parametrize("occasion", [notifying.game_started, notifying.game_over])
def test_beginning_and_end_are_told_to_everybody(settings: Settings, occasion: object) -> None:
    with transaction() as session:
        players = [rows.account(session, name) for name in ("anna", "boris", "clara")]
        occasion(session, rows.game(session, *players), clock.now())  # type: ignore[operator]
    assert sorted(str(row.seat) for row in rows.deliveries()) == ["A", "B", "C"]


def test_who_has_no_address_gets_no_mail(settings: Settings) -> None:
    with transaction() as session:
        anna, robot = rows.account(session, "anna"), rows.account(session, "robot", None)
        notifying.game_over(session, rows.game(session, anna, robot), clock.now())
    assert rows.only_delivery().account_id == anna.id


def test_an_endpoint_gets_the_types_it_takes_while_it_is_active(settings: Settings) -> None:
    with transaction() as session:
        anna, boris = rows.account(session, "anna", None), rows.account(session, "boris", None)
        rows.endpoint(session, anna, "https://over.example.org/", "game.over")
        taking = rows.endpoint(session, anna, "https://turns.example.org/", "turn.opened", "game.started")
        rows.endpoint(session, anna, "https://off.example.org/", "turn.opened").active = False
        rows.ask(session, rows.game(session, anna, boris), "A")
    assert rows.only_delivery().endpoint_id == taking.id


def test_a_webhook_says_where_to_look_and_no_card(settings: Settings) -> None:
    with time_machine.travel(NOON, tick=False), transaction() as session:
        anna, boris = rows.account(session, "anna", None), rows.account(session, "boris", None)
        rows.endpoint(session, boris, "https://boris.example.org/")
        game = rows.game(session, anna, boris)
        rows.ask(session, game, "B", "defend")
    payload = rows.only_delivery().payload
    assert payload is not None
    body = json.loads(payload["body"])
    links = body["data"].pop("links")
    assert body == {
        "type": "turn.opened",
        "timestamp": "2026-03-01T12:00:00Z",
        "data": {"game": game.id, "seat": "B", "decision": 1, "kind": "defend", "deadline": None},
    }
    assert links["moves"] == f"{settings.url}/v1/games/{game.id}/moves"
    assert {"game", "view", "legal_moves"} <= links.keys()


def test_talk_is_told_to_the_webhooks_of_the_others_and_not_what_was_said(settings: Settings) -> None:
    with transaction() as session:
        anna, boris = rows.account(session, "anna"), rows.account(session, "boris")
        for player in (anna, boris):
            rows.endpoint(session, player, "https://bot.example.org/", "message")
        game = rows.game(session, anna, boris)
        message = Message(game_id=game.id, number=3, account_id=anna.id, text="well played", created_at=clock.now())
        session.add(message)
        notifying.message(session, game, message, clock.now())
    (delivery,) = (row for row in rows.deliveries() if row.channel == "webhook")
    assert delivery.account_id == boris.id and delivery.payload is not None
    assert json.loads(delivery.payload["body"])["data"]["message"] == 3 and "well" not in delivery.payload["body"]


def test_a_resignation_is_told_to_the_webhooks_of_those_who_play_on(settings: Settings) -> None:
    with transaction() as session:
        players = [rows.account(session, name) for name in ("anna", "boris", "clara", "dora")]
        for player in players:
            rows.endpoint(session, player, "https://bot.example.org/", "player.resigned")
        game = rows.game(session, *players)
        session.refresh(game)
        for seat in game.players[:2]:
            seat.resigned_at = clock.now()
        notifying.player_resigned(session, game, game.players[1], clock.now())
    told = {(row.seat, json.loads((row.payload or {})["body"])["data"]["player"]) for row in rows.deliveries()}
    assert told == {("C", "B"), ("D", "B")}
