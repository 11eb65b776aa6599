"""Bots that answer a webhook with their move: over a real HTTP server, by the workers' own code."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from server.database import reading, transaction
from server.models import Attempt, Delivery, Move
from server.services import answering, dispatching, outbox, play
from server.services.dispatching import Parcel
from server.services.settling import Outcome
from tests.playing import Person, on_one_database, running_game, signed_in
from tests.workers.receivers import Hook, hook_server
from workers.carrying import carry
from workers.transports.addresses import Policy
from workers.transports.webhook import Webhook

WEBHOOK = Webhook(Policy(loopback=True))


class Bot(Hook):
    """`think` makes of what it is told what it answers."""

    think: Callable[[dict[str, Any]], Any]
    lock = threading.Lock()

    def answer(self, body: str) -> str:
        told = json.loads(body)
        with self.lock:
            said = self.think(told) if told["type"] == "turn.opened" else None
        return said if isinstance(said, str) else "" if said is None else json.dumps(said)


@pytest.fixture
def bot() -> Iterator[Bot]:
    with hook_server(Bot(status=200)) as made:
        yield made


@pytest.fixture
def players(app: Flask, bot: Bot, monkeypatch: pytest.MonkeyPatch) -> list[Person]:
    """Ann by hand, and Rob, who answers."""
    monkeypatch.setattr("server.api.webhooks._to_loopback", lambda: True)
    ann, rob = signed_in(app, "Ann"), signed_in(app, "Rob")
    rob.made("/webhooks", {"url": bot.url, "types": ["turn.opened"], "answers": True})
    return [ann, rob]


def work(app: Flask) -> None:
    """The workers, until nothing is due."""
    while dispatching.run(by_webhook, app.config["GALAPOST"]):
        pass


def work_and_die(app: Flask) -> None:
    """Whatever is sent dies where the test wants it to."""
    dispatching.run(by_webhook, app.config["GALAPOST"])


def by_webhook(parcel: Parcel) -> Outcome:
    return carry(parcel, WEBHOOK) if parcel.channel == "webhook" else Outcome("sent")


def game_in_which_rob_begins(players: list[Person]) -> tuple[str, int]:
    """Its id, and the decision that is his."""
    ann, rob = players
    for _ in range(50):
        game = running_game(ann, rob)
        waiting = ann.seen(f"/games/{game}")["waiting_for"]
        if waiting["seat"] == "A":
            ann.made(f"/games/{game}/moves", {"decision": waiting["decision"], "move": ann.legal(game)[-1]})
            waiting = ann.seen(f"/games/{game}")["waiting_for"]
        if waiting["seat"] == "B":
            return game, waiting["decision"]
    raise AssertionError("Rob was never asked")


def attempts(game: str) -> list[Attempt]:
    """Those of the turns of that game, over webhooks."""
    wanted = (
        select(Attempt)
        .join(Delivery)
        .where(Delivery.game_id == game, Delivery.kind == "your_turn", Delivery.channel == "webhook")
    )
    with reading() as session:
        found = list(session.scalars(wanted.order_by(Attempt.id)))
        session.expunge_all()
        return found


def moves_at(game: str, decision: int) -> list[str]:
    with reading() as session:
        return list(session.scalars(select(Move.notation).where(Move.game_id == game, Move.number == decision)))


@on_one_database
def test_a_whole_game_is_played_in_answers_each_decision_once(app: Flask, bot: Bot, monkeypatch: Any) -> None:
    monkeypatch.setattr("server.api.webhooks._to_loopback", lambda: True)
    people = {name: signed_in(app, name) for name in ("Ada", "Ben")}
    asked: list[tuple[str, int]] = []
    game = ""

    def think(told: dict[str, Any]) -> dict[str, str]:
        asked.append((told["data"]["seat"], told["data"]["decision"]))
        legal = people["Ada" if told["data"]["seat"] == "A" else "Ben"].legal(told["data"]["game"])
        return {"move": legal[len(legal) // 2]}

    bot.think = think
    for person in people.values():
        person.made("/webhooks", {"url": bot.url, "answers": True})
    game = running_game(*people.values())
    work(app)
    assert people["Ada"].seen(f"/games/{game}")["status"] == "over"
    with reading() as session:
        decided = session.execute(
            select(Move.seat, Move.number).where(Move.game_id == game, Move.by == "hand").order_by(Move.number)
        ).all()
    assert [tuple(row) for row in decided] == sorted(asked, key=lambda turn: turn[1])
    assert {attempt.answer for attempt in attempts(game)} == {"played"}


def test_an_answer_is_played_for_the_decision_of_its_delivery(app: Flask, bot: Bot, players: list[Person]) -> None:
    bot.think = lambda told: {"move": players[1].legal(told["data"]["game"])[0]}
    game, decision = game_in_which_rob_begins(players)
    first = players[1].legal(game)[0]
    work(app)
    assert moves_at(game, decision) == [first]
    assert (attempts(game)[0].answer, attempts(game)[0].outcome) == ("played", "sent")


def test_several_moves_are_played_as_far_as_they_go(app: Flask, bot: Bot, players: list[Person]) -> None:
    game, decision = game_in_which_rob_begins(players)
    good = players[1].legal(game)[0]
    bot.think = lambda told: {"moves": [good, "attack Z9 Z8"]} if told["data"]["decision"] == decision else None
    work(app)
    attempt = attempts(game)[0]
    assert moves_at(game, decision) == [good]
    assert (attempt.answer, attempt.outcome) == ("played", "sent")
    assert attempt.problem in ("not-your-decision", "illegal-move", "bad-notation", "chance")


@on_one_database
@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"move": "attack Z9 Z8"}, "bad-notation"),
        ({"move": "hello"}, "bad-notation"),
        ({"move": {"type": "hello"}}, "bad-notation"),
        ({"move": {}}, "bad-notation"),
        ({"move": "\ud800\0"}, "bad-notation"),
        ({"moves": [{"type": ["x"], "animal": {"y": None}}]}, "bad-notation"),
        ({"move": "x" * 4000}, "bad-notation"),
    ],
)
def test_a_refusal_is_in_the_log_with_its_code(
    said: Any, problem: str, app: Flask, bot: Bot, players: list[Person]
) -> None:
    bot.think = lambda told: said
    game, decision = game_in_which_rob_begins(players)
    work(app)
    (attempt,) = attempts(game)
    assert (attempt.answer, attempt.outcome, moves_at(game, decision)) == ("refused", "sent", [])
    assert attempt.problem in (problem, "illegal-move") and attempt.detail
    (webhook,) = players[1].seen("/webhooks")["items"]
    logged = players[1].seen(f"/webhooks/{webhook['id']}/deliveries")["items"]
    assert attempt.problem in [one["problem"] for delivery in logged for one in delivery["attempts"]]


@on_one_database
@pytest.mark.parametrize(
    "said",
    [
        "{",
        "move",
        '"pass"',
        "null",
        "[]",
        '["pass"]',
        "7",
        "NaN",
        '{"move": NaN}',
        '{"move": 7}',
        '{"move": null}',
        '{"move": ["pass"]}',
        '{"moves": "pass"}',
        '{"moves": []}',
        '{"moves": [7]}',
        '{"moves": {"0": "pass"}}',
        '{"move": "pass", "moves": ["pass"]}',
        '{"move": "pass", "decision": 1}',
        "[" * 4000,
        '{"a":' * 700,
        '{"move": "' + "x" * 5000 + '"}',
        "x" * 10_000_000,
        "1" * 4090,
        "\ufeff{}",
    ],
    ids=range(24),
)
def test_what_is_no_answer_is_logged_and_nothing_breaks(said: str, app: Flask, bot: Bot, players: list[Person]) -> None:
    bot.think = lambda told: said
    game, decision = game_in_which_rob_begins(players)
    work(app)
    (attempt,) = attempts(game)
    assert (attempt.answer, attempt.problem, attempt.outcome) == ("unreadable", None, "sent")
    assert attempt.detail and moves_at(game, decision) == []


@on_one_database
@pytest.mark.parametrize("said", ["", " \n", "{}", '{"ok": true}'])
def test_who_says_nothing_has_answered_nothing(said: str, app: Flask, bot: Bot, players: list[Person]) -> None:
    bot.think = lambda told: said
    game, decision = game_in_which_rob_begins(players)
    work(app)
    (attempt,) = attempts(game)
    assert (attempt.answer, attempt.outcome, moves_at(game, decision)) == (None, "sent", [])


def test_202_means_later_whatever_the_body_says(app: Flask, bot: Bot, players: list[Person]) -> None:
    game, decision = game_in_which_rob_begins(players)
    bot.status, legal = 202, players[1].legal(game)[0]
    bot.think = lambda told: {"move": legal}
    work(app)
    assert (attempts(game)[0].answer, moves_at(game, decision)) == ("later", [])
    players[1].made(f"/games/{game}/moves", {"decision": decision, "move": legal})


@on_one_database
@pytest.mark.parametrize("status", [302, 400, 500])
def test_the_body_of_a_failure_is_no_answer(status: int, app: Flask, bot: Bot, players: list[Person]) -> None:
    game, decision = game_in_which_rob_begins(players)
    bot.status, legal = status, players[1].legal(game)[0]
    bot.think = lambda told: {"move": legal}
    work(app)
    assert ({attempt.answer for attempt in attempts(game)}, moves_at(game, decision)) == ({None}, [])


def test_an_endpoint_that_may_not_answer_is_not_listened_to(app: Flask, bot: Bot, players: list[Person]) -> None:
    (webhook,) = players[1].seen("/webhooks")["items"]
    players[1].ask("PATCH", f"/webhooks/{webhook['id']}", json={"answers": False})
    game, decision = game_in_which_rob_begins(players)
    legal = players[1].legal(game)[0]
    bot.think = lambda told: {"move": legal}
    work(app)
    assert (attempts(game)[0].answer, moves_at(game, decision)) == (None, [])


def test_a_decision_that_was_answered_meanwhile_is_left_alone(app: Flask, bot: Bot, players: list[Person]) -> None:
    game, decision = game_in_which_rob_begins(players)
    mine, his = players[1].legal(game)[0], players[1].legal(game)[-1]
    assert mine != his

    def think(told: dict[str, Any]) -> Any:
        if told["data"]["decision"] != decision:
            return None
        players[1].made(f"/games/{game}/moves", {"decision": decision, "move": his})
        return {"move": mine}

    bot.think = think
    work(app)
    assert (attempts(game)[0].answer, moves_at(game, decision)) == ("closed", [his])


def test_killed_between_the_answer_and_the_settlement_the_move_is_played_once(
    app: Flask, bot: Bot, players: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    game, decision = game_in_which_rob_begins(players)
    legal = players[1].legal(game)[0]
    bot.think = lambda told: {"move": legal} if told["data"]["decision"] == decision else None

    class Killed(BaseException):
        pass

    def die(*_: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("server.services.settling.settle", die)
        work_and_die(app)
    assert moves_at(game, decision) == [legal]
    expire_leases()
    work(app)
    assert moves_at(game, decision) == [legal]
    with reading() as session:
        turn = session.scalars(
            select(Delivery).where(
                Delivery.game_id == game, Delivery.decision == decision, Delivery.channel == "webhook"
            )
        ).one()
        assert (turn.state, turn.reason, turn.attempts) == ("obsolete", "answered", 1)


def test_killed_before_the_answer_was_played_the_bot_is_asked_again_under_the_same_identity(
    app: Flask, bot: Bot, players: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    game, decision = game_in_which_rob_begins(players)
    legal = players[1].legal(game)[0]
    bot.think = lambda told: {"move": legal} if told["data"]["decision"] == decision else None

    class Killed(BaseException):
        pass

    def die(*_: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(answering, "take", die)
        work_and_die(app)
    assert moves_at(game, decision) == []
    expire_leases()
    work(app)
    assert moves_at(game, decision) == [legal]
    turns = [call for call in bot.calls if f'"decision":{decision},' in call.body and game in call.body]
    assert len(turns) == 2 and len({call.headers["webhook-id"] for call in turns}) == 1
    assert [attempt.outcome for attempt in attempts(game)][:2] == ["ambiguous", "sent"]


def expire_leases() -> None:
    with transaction() as session:
        for delivery in session.scalars(select(Delivery).where(Delivery.state == "leased")):
            assert delivery.lease_until is not None
            delivery.lease_until -= 2 * outbox.LEASE


def test_a_fault_of_ours_while_playing_is_tried_again(
    app: Flask, bot: Bot, players: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    game, decision = game_in_which_rob_begins(players)
    legal = players[1].legal(game)[0]
    bot.think = lambda told: {"move": legal} if told["data"]["decision"] == decision else None

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("the database is away")

    with monkeypatch.context() as patch:
        patch.setattr(play, "answer", fail)
        work(app)
    (attempt,) = attempts(game)
    assert (attempt.answer, attempt.outcome, moves_at(game, decision)) == ("failed", "ambiguous", [])
    with transaction() as session:
        for delivery in session.scalars(select(Delivery).where(Delivery.state == "due")):
            delivery.next_at = delivery.created_at
    work(app)
    assert moves_at(game, decision) == [legal]
    (webhook,) = players[1].seen("/webhooks")["items"]
    assert webhook["failing_since"] is None


def test_an_answer_that_broke_off_is_asked_for_again(app: Flask, bot: Bot, players: list[Person]) -> None:
    game, _ = game_in_which_rob_begins(players)
    bot.think = lambda told: "{}"
    bot.headers = {"Content-Length": "500"}
    work(app)
    (attempt,) = attempts(game)
    assert (attempt.answer, attempt.outcome, attempt.status) == ("unreadable", "ambiguous", 200)


def test_only_a_turn_is_answered(app: Flask, bot: Bot, players: list[Person]) -> None:
    """A ping is answered with a move, too, by this one."""
    with reading() as session:
        assert session.scalars(select(Delivery.kind).where(Delivery.channel == "webhook")).all() == ["ping"]
    bot.answer = lambda body: '{"move": "pass"}'  # type: ignore[method-assign]
    players[1].made(f"/webhooks/{players[1].seen('/webhooks')['items'][0]['id']}/test")
    work(app)
    with reading() as session:
        assert {attempt.answer for attempt in session.scalars(select(Attempt))} == {None}
