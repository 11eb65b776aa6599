"""Real workers, woken by the real broker, sending to real receivers. What counts is counted at the receiver."""

import asyncio
import random
import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import redis
from sqlalchemy import update

import engine
from server import clock
from server.config import Settings
from server.database import reading, transaction
from server.kicking import Kicker
from server.models import Delivery, Game
from server.services import lobby, play, seating
from server.services.accounts import Caller
from tests.workers import rows
from tests.workers.processes import BEAT, WITHOUT_CELERY, WORKER, eventually, kill, process
from tests.workers.receivers import Hook, Mailbox, hook_server, mail_server
from workers.transports.webhook import sign


@pytest.fixture
def environment(environment: dict[str, str]) -> Iterator[dict[str, str]]:
    """With a database of the broker for these tests alone, and webhooks allowed to reach this machine."""
    broker = environment["GALAPOST_BROKER"].removesuffix("/0") + "/8"
    with redis.Redis.from_url(broker) as client:
        client.flushdb()
        yield {**environment, "GALAPOST_BROKER": broker, "GALAPOST_WEBHOOKS_TO_LOOPBACK": "1"}
        client.flushdb()


def all_in(*states: str) -> bool:
    return all(delivery.state in states for delivery in rows.deliveries())


def expire_leases() -> None:
    """As if the time of the lease had gone by."""
    with transaction() as session:
        session.execute(
            update(Delivery).where(Delivery.state == "leased").values(lease_until=clock.now() - timedelta(seconds=1))
        )


def test_a_kick_sends_mail_and_webhook_once_each(environment: dict[str, str], settings: Settings) -> None:
    with (
        mail_server(Mailbox()) as mailbox,
        hook_server(Hook()) as hook,
        process({**environment, "GALAPOST_SMTP": mailbox.url}, *WORKER),
    ):
        with transaction() as session:
            anna, boris = rows.account(session, "anna"), rows.account(session, "boris", None)
            rows.endpoint(session, boris, hook.url)
            rows.ask(session, rows.game(session, anna, boris), "B")
            rows.code(session, "anna@example.org", "KOTKOT22")
        Kicker(settings.broker).kick()
        eventually(lambda: all_in("sent"))
    (mail,), (call,) = mailbox.mails, hook.calls
    assert mail["To"] == "anna@example.org" and "KOTKOT22" in mail.get_content()
    assert call.headers["webhook-signature"] == sign(
        rows.SECRET, call.headers["webhook-id"], int(call.headers["webhook-timestamp"]), call.body
    )


def test_beat_alone_wakes_the_workers_and_a_maildir_takes_the_mail(
    environment: dict[str, str], settings: Settings
) -> None:
    with process(environment, *WORKER), process(environment, *BEAT):
        rows.codes(3)
        eventually(lambda: all_in("sent"))
    assert len(list((settings.home / "mail" / "new").iterdir())) == 3


def test_more_than_one_run_may_take_is_sent_by_one_kick(environment: dict[str, str], settings: Settings) -> None:
    rows.codes(210)
    with process(environment, *WORKER):
        Kicker(settings.broker).kick()
        eventually(lambda: all_in("sent"), patience=60)
    assert len(list((settings.home / "mail" / "new").iterdir())) == 210
    assert len(rows.attempts()) == 210


def test_without_celery_and_broker_it_is_sent_too(environment: dict[str, str], settings: Settings) -> None:
    with process({**environment, "GALAPOST_BROKER": "redis://127.0.0.1:1/0"}, *WITHOUT_CELERY):
        rows.codes(1)
        eventually(lambda: all_in("sent"))
    assert len(list((settings.home / "mail" / "new").iterdir())) == 1


def play_to_the_end(game_id: str, callers: dict[str, Caller]) -> None:
    dice = random.Random(1)
    while True:
        with reading() as session:
            game = session.get_one(Game, game_id)
            if game.status == "over":
                return
            number, seat, moves = game.decision, game.asked_seat, engine.legal_moves(engine.load(game.state or ""))
        assert number is not None and seat is not None
        play.answer(callers[seat], game_id, number, str(dice.choice(moves)))


def test_in_a_whole_game_no_notice_is_lost_and_none_comes_twice(
    environment: dict[str, str], settings: Settings
) -> None:
    with hook_server(Hook()) as hook, process(environment, *WORKER), process(environment, *BEAT):
        with transaction() as session:
            anna, boris = rows.account(session, "anna"), rows.account(session, "boris", None)
            rows.endpoint(session, boris, hook.url, "turn.opened", "game.started", "game.over")
        callers = {"A": Caller(anna.id, frozenset({"games:play"})), "B": Caller(boris.id, frozenset({"games:play"}))}
        switches = {"listed": True, "join": "open", "spectators": "public", "start": "automatic"}
        game_id = lobby.create(callers["A"], 2, {}, **switches).body["id"]
        seating.join(callers["B"], game_id)
        play_to_the_end(game_id, callers)
        eventually(lambda: all_in("sent", "obsolete", "suppressed"))
    sent = [delivery for delivery in rows.deliveries() if delivery.state == "sent"]
    assert sorted(call.headers["webhook-id"] for call in hook.calls) == sorted(
        delivery.message_id for delivery in sent if delivery.channel == "webhook"
    )
    assert len(list((settings.home / "mail" / "new").iterdir())) == len([row for row in sent if row.channel == "email"])
    assert {row.kind for row in sent} >= {"game_started", "game_over"}
    assert {row.reason for row in rows.deliveries() if row.state == "obsolete"} <= {"answered", "replaced"}


class AcceptsAndIsSilent(Mailbox):
    """Takes the mail, and keeps its first answer back until the worker is dead."""

    def __init__(self) -> None:
        super().__init__()
        self.accepted = threading.Event()

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        self.envelopes.append(envelope)
        if len(self.envelopes) == 1:
            self.accepted.set()
            await asyncio.sleep(60)
        return "250 OK queued"


def test_a_worker_killed_between_acceptance_and_record_sends_at_most_a_copy(
    environment: dict[str, str], settings: Settings
) -> None:
    with mail_server(AcceptsAndIsSilent()) as mailbox:
        environment = {**environment, "GALAPOST_SMTP": mailbox.url}
        rows.codes(1)
        with process(environment, *WORKER) as worker:
            Kicker(settings.broker).kick()
            assert mailbox.accepted.wait(20)
            kill(worker)
        assert (rows.only_delivery().state, [attempt.outcome for attempt in rows.attempts()]) == ("leased", [None])
        expire_leases()
        with process(environment, *WORKER):
            Kicker(settings.broker).kick()
            eventually(lambda: all_in("sent"))
    first, copy = mailbox.envelopes
    assert first.content == copy.content, "the same Message-ID and the same body"
    assert [attempt.outcome for attempt in rows.attempts()] == ["ambiguous", "sent"]
