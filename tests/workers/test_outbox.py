"""The promises of the outbox, on both databases."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from sqlalchemy import update

from server import clock
from server.config import Settings
from server.database import transaction
from server.models import Delivery, Verification, WebhookEndpoint
from server.services import dispatching, outbox, settling
from server.services.dispatching import Parcel
from server.services.settling import Outcome
from tests.workers import rows

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SENT = Outcome("sent", 250, "ok", 3)
BUSY = Outcome("transient", 451, "come again", 3)


def run(settings: Settings, send: Callable[[Parcel], Outcome] = lambda parcel: SENT) -> bool:
    return dispatching.run(send, settings)


def one_turn(*, webhook: str | None = None) -> str:
    """A game in which B owes a decision, with the notice of it in the outbox; returns the id of the game."""
    with transaction() as session:
        anna, boris = rows.account(session, "anna", None), rows.account(session, "boris", None)
        rows.endpoint(session, boris, webhook or "https://example.org/hook")
        game = rows.game(session, anna, boris)
        rows.ask(session, game, "B")
        return game.id


def next_turn(game_id: str) -> None:
    with transaction() as session:
        rows.ask(session, session.get_one(rows.Game, game_id), "A")


class Halted(Exception):
    pass


def test_a_rolled_back_transaction_leaves_no_row(settings: Settings) -> None:
    with pytest.raises(Halted), transaction() as session:
        rows.code(session, "anna@example.org")
        session.flush()
        raise Halted
    assert rows.deliveries() == []


def test_a_second_post_under_the_same_key_is_the_same_promise(settings: Settings) -> None:
    for _ in range(2):
        with transaction() as session:
            outbox.post(
                session,
                kind="game_over",
                channel="email",
                dedupe_key="once",
                now=clock.now(),
                address="anna@example.org",
            )
    assert len(rows.deliveries()) == 1


def test_a_message_id_has_at_most_sixty_characters_whatever_our_domain(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for domain in ("example.org", "a-very-long-name-of-some-department.of-an-institute.example.org"):
        monkeypatch.setenv("GALAPOST_MAIL_FROM", f"Galapost <galapost@{domain}>")
        outbox._domain.cache_clear()
        rows.codes(1)
        assert all(len(delivery.message_id) <= 60 and "@" in delivery.message_id for delivery in rows.deliveries())


def test_a_message_id_has_our_domain_in_ascii(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GALAPOST_MAIL_FROM", "Почта <post@bücher.example>")
    outbox._domain.cache_clear()
    rows.codes(1)
    assert rows.only_delivery().message_id.endswith("@xn--bcher-kva.example>")


def test_what_is_due_is_sent_once_and_settled(settings: Settings) -> None:
    rows.codes(3)
    taken: list[Parcel] = []
    run(settings, lambda parcel: taken.append(parcel) or SENT)
    run(settings, lambda parcel: taken.append(parcel) or SENT)
    assert sorted(parcel.to for parcel in taken) == [f"player{number}@example.org" for number in range(3)]
    assert {delivery.state for delivery in rows.deliveries()} == {"sent"}
    assert {(attempt.n, attempt.outcome, attempt.status, attempt.reply) for attempt in rows.attempts()} == {
        (1, "sent", 250, "ok")
    }


def test_text_and_code_leave_the_database_when_the_mail_is_settled(settings: Settings) -> None:
    rows.codes(1)
    seen: list[Delivery] = []
    run(settings, lambda parcel: seen.append(rows.only_delivery()) or SENT)
    assert seen[0].rendered is not None and "ABCD2345" in seen[0].rendered, "the text is stored before the send"
    assert rows.only_delivery().rendered is None
    assert rows.only_delivery().payload is None


def test_the_attempt_is_written_before_the_send(settings: Settings) -> None:
    rows.codes(1)
    seen: list[Any] = []
    run(settings, lambda parcel: seen.extend(rows.attempts()) or SENT)
    assert [(attempt.n, attempt.outcome, attempt.finished_at) for attempt in seen] == [(1, None, None)]


def test_oldest_first(settings: Settings) -> None:
    for minute in (3, 1, 2):
        with time_machine.travel(NOON + timedelta(minutes=minute), tick=False), transaction() as session:
            rows.code(session, f"minute{minute}@example.org")
    claims = outbox.claim("a worker", 2, NOON + timedelta(minutes=5))
    addresses = {delivery.id: delivery.address for delivery in rows.deliveries()}
    assert {addresses[claimed.delivery_id] for claimed in claims} == {"minute1@example.org", "minute2@example.org"}


def test_twenty_workers_that_claim_at_once_get_each_row_once(settings: Settings) -> None:
    rows.codes(60)
    together = threading.Barrier(20)

    def work(number: int) -> list[str]:
        together.wait()
        mine: list[str] = []
        while claims := outbox.claim(f"worker {number}", 3, clock.now()):
            mine += [claimed.delivery_id for claimed in claims]
        return mine

    with ThreadPoolExecutor(20) as pool:
        claimed = [delivery for mine in pool.map(work, range(20)) for delivery in mine]
    assert len(claimed) == len(set(claimed))
    rest = outbox.claim("the last", 60, clock.now())  # whoever found everything locked went home
    assert len(claimed) + len(rest) == 60


def test_a_slow_endpoint_gets_few_at_a_time_and_holds_nobody_up(settings: Settings) -> None:
    with transaction() as session:
        anna, boris = rows.account(session, "anna", None), rows.account(session, "boris", None)
        rows.endpoint(session, anna, "https://slow.example.org/hook")
        for _ in range(20):
            rows.ask(session, rows.game(session, anna, boris), "A")
        rows.endpoint(session, boris, "https://quick.example.org/hook")
        rows.ask(session, rows.game(session, anna, boris), "B")
    claims = outbox.claim("a worker", 10, clock.now())
    assert len(claims) == outbox.IN_FLIGHT + 1, "a few to the slow one, and the one that came last of all"
    assert outbox.claim("another", 10, clock.now()) == []


def test_an_expired_lease_is_a_due_row_and_the_late_settler_touches_nothing(settings: Settings) -> None:
    rows.codes(1)
    with time_machine.travel(NOON + timedelta(days=1000), tick=False) as time:
        with transaction() as session:
            session.execute(update(Verification).values(expires_at=NOON + timedelta(days=2000)))
        late = rows.claim_one()
        assert dispatching.prepare(late, settings) is not None
        assert outbox.claim("another", 1, clock.now()) == []
        time.shift(outbox.LEASE)
        current = rows.claim_one()
        assert current.fence == late.fence + 1
        assert dispatching.prepare(current, settings) is not None
        before = rows.only_delivery().state, [(attempt.n, attempt.outcome) for attempt in rows.attempts()]
        assert settling.settle(late, Outcome("permanent", 550), clock.now()) is False
        assert (rows.only_delivery().state, [(attempt.n, attempt.outcome) for attempt in rows.attempts()]) == before
        assert settling.settle(current, SENT, clock.now()) is True
    assert rows.only_delivery().state == "sent"
    assert [(attempt.n, attempt.outcome) for attempt in rows.attempts()] == [(1, "ambiguous"), (2, "sent")]


def test_a_copy_after_an_ambiguous_attempt_has_the_same_id_and_the_same_body(settings: Settings) -> None:
    with time_machine.travel(NOON, tick=False) as time:
        rows.codes(1)
        taken: list[Parcel] = []
        run(
            settings, lambda parcel: taken.append(parcel) or Outcome("ambiguous", None, "no answer after the final dot")
        )
        time.shift(timedelta(minutes=2))
        run(settings, lambda parcel: taken.append(parcel) or SENT)
    assert taken[0] == taken[1]
    assert [attempt.outcome for attempt in rows.attempts()] == ["ambiguous", "sent"]


def test_a_worker_that_slept_through_half_its_lease_sends_nothing(settings: Settings) -> None:
    with time_machine.travel(NOON, tick=False) as time:
        rows.codes(1)
        claimed = rows.claim_one()
        time.shift(outbox.LEASE / 2 + timedelta(seconds=1))
        assert dispatching.prepare(claimed, settings) is None
    assert rows.attempts() == []


def test_a_turn_that_was_played_meanwhile_is_not_announced(settings: Settings) -> None:
    game_id = one_turn()
    next_turn(game_id)
    taken: list[Parcel] = []
    run(settings, lambda parcel: taken.append(parcel) or SENT)
    delivery = rows.only_delivery()
    assert (taken, delivery.state, delivery.reason) == ([], "obsolete", "answered")
    assert rows.attempts() == []


def test_a_turn_played_between_claim_and_send_is_not_announced(settings: Settings) -> None:
    game_id = one_turn()
    claimed = rows.claim_one()
    next_turn(game_id)
    assert dispatching.prepare(claimed, settings) is None
    assert rows.only_delivery().reason == "answered"


def test_the_newest_turn_replaces_one_that_never_had_an_attempt(settings: Settings) -> None:
    game_id = one_turn()
    claimed = rows.claim_one()
    with transaction() as session:
        rows.ask(session, session.get_one(rows.Game, game_id), "B")
    assert [(delivery.state, delivery.reason) for delivery in rows.deliveries()] == [
        ("obsolete", "replaced"),
        ("due", None),
    ]
    assert dispatching.prepare(claimed, settings) is None, "the claim on the older one is void"


def test_a_turn_that_had_an_attempt_is_not_replaced_but_answered(settings: Settings) -> None:
    game_id = one_turn()
    run(settings, lambda parcel: BUSY)
    with transaction() as session:
        rows.ask(session, session.get_one(rows.Game, game_id), "B")
    assert [delivery.state for delivery in rows.deliveries()] == ["due", "due"]


def test_turns_of_other_games_and_other_endpoints_are_left_alone(settings: Settings) -> None:
    with transaction() as session:
        anna, boris = rows.account(session, "anna"), rows.account(session, "boris")
        rows.endpoint(session, anna, "https://one.example.org/")
        rows.endpoint(session, anna, "https://two.example.org/")
        for _ in range(2):
            rows.ask(session, rows.game(session, anna, boris), "A")
    assert [delivery.state for delivery in rows.deliveries()] == ["due"] * 6


@pytest.mark.parametrize(
    ("channel", "minutes"),
    [
        ("email", [1, 5, 15, 60, 240, 720, *[720] * 9]),
        ("webhook", [5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440]),
    ],
)
def test_what_fails_is_tried_again_by_the_schedule_and_then_dead(
    settings: Settings, channel: str, minutes: list[float]
) -> None:
    with time_machine.travel(NOON, tick=False) as time:
        if channel == "webhook":
            one_turn()
        else:
            with transaction() as session:
                rows.code(session, "anna@example.org", life=timedelta(days=30))
        for expected in minutes:
            run(settings, lambda parcel: BUSY)
            waits = (rows.only_delivery().next_at - clock.now()) / timedelta(minutes=1)
            assert expected <= waits <= expected * (1 + settling.JITTER)
            time.move_to(rows.only_delivery().next_at - timedelta(seconds=1))
            run(settings, lambda parcel: pytest.fail("too early"))
            time.move_to(rows.only_delivery().next_at)
        run(settings, lambda parcel: BUSY)
        assert clock.now() - NOON >= timedelta(days=3 if channel == "webhook" else 5)
    delivery = rows.only_delivery()
    assert (delivery.state, delivery.reason, delivery.attempts) == ("dead", "gave-up", len(minutes) + 1)
    assert [attempt.outcome for attempt in rows.attempts()] == ["transient"] * (len(minutes) + 1)


def test_a_permanent_refusal_is_dead_at_once_and_visible(settings: Settings) -> None:
    rows.codes(1)
    run(settings, lambda parcel: Outcome("permanent", 550, "no such user"))
    delivery = rows.only_delivery()
    assert (delivery.state, delivery.reason, delivery.rendered) == ("dead", "refused", None)
    assert rows.attempts()[0].reply == "no such user"


@pytest.mark.parametrize(("asked", "waits"), [(120, 120), (0, 5)])
def test_a_receiver_may_say_how_long_to_wait_but_not_hurry_the_schedule(
    settings: Settings, asked: float, waits: float
) -> None:
    with time_machine.travel(NOON, tick=False):
        one_turn()
        run(settings, lambda parcel: Outcome("transient", 429, retry_after=asked))
        put_off = (rows.only_delivery().next_at - NOON).total_seconds()
        assert waits <= put_off <= max(asked, waits * (1 + settling.JITTER))


def test_an_endpoint_that_is_gone_is_switched_off_and_gets_nothing_more(settings: Settings) -> None:
    one_turn()
    run(settings, lambda parcel: Outcome("permanent", 410, gone=True))
    with transaction() as session:
        endpoint = session.query(WebhookEndpoint).one()
        assert not endpoint.active and endpoint.disabled_at is not None
        anna = session.get_one(rows.Account, endpoint.account_id)
        rows.ask(session, rows.game(session, anna, rows.account(session, "clara", None)), "A")
    assert [(delivery.state, delivery.reason) for delivery in rows.deliveries()] == [("dead", "endpoint-gone")]


def test_what_was_due_to_an_endpoint_switched_off_meanwhile_is_obsolete(settings: Settings) -> None:
    one_turn()
    with transaction() as session:
        session.execute(update(WebhookEndpoint).values(active=False))
    run(settings, lambda parcel: pytest.fail("sent to an endpoint that was switched off"))
    assert rows.only_delivery().reason == "endpoint-disabled"


def test_a_code_is_not_mailed_when_it_is_used_too_old_or_not_the_newest(settings: Settings) -> None:
    with transaction() as session:
        rows.code(session, "used@example.org").used_at = clock.now()
        rows.code(session, "late@example.org", life=timedelta(0))
        rows.code(session, "twice@example.org")
    with transaction() as session:
        rows.code(session, "twice@example.org")
    run(settings)
    assert {(delivery.address, delivery.state, delivery.reason) for delivery in rows.deliveries()} == {
        ("used@example.org", "obsolete", "used"),
        ("late@example.org", "obsolete", "expired"),
        ("twice@example.org", "obsolete", "replaced"),
        ("twice@example.org", "sent", None),
    }


def test_a_message_that_cannot_be_made_counts_as_a_failed_attempt(settings: Settings) -> None:
    rows.codes(1)
    with transaction() as session:
        session.execute(update(Delivery).values(payload={"verification": rows.only_delivery().payload["verification"]}))
    run(settings, lambda parcel: pytest.fail("there is nothing to send"))
    (attempt,) = rows.attempts()
    assert attempt.outcome == "transient" and attempt.reply == "the message could not be made: KeyError"
    assert rows.only_delivery().state == "due"


def test_a_row_that_takes_its_workers_down_again_and_again_is_given_up(settings: Settings) -> None:
    one_turn()
    with transaction() as session:
        session.execute(update(Delivery).values(attempts=len(outbox.RETRIES["webhook"]) + 1))
    run(settings, lambda parcel: pytest.fail("tried once too often"))
    assert (rows.only_delivery().state, rows.only_delivery().reason) == ("dead", "gave-up")


def test_a_run_takes_so_many_and_says_that_more_is_waiting(settings: Settings) -> None:
    rows.codes(5)
    assert dispatching.run(lambda parcel: SENT, settings, at_most=3) is True
    assert sorted(delivery.state for delivery in rows.deliveries()) == ["due", "due", "sent", "sent", "sent"]
    assert dispatching.run(lambda parcel: SENT, settings) is False


def test_what_becomes_due_during_a_slow_send_does_not_wait_for_it(settings: Settings) -> None:
    one_turn()
    done = threading.Event()

    def send(parcel: Parcel) -> Outcome:
        if parcel.channel == "webhook":
            rows.codes(1)
            assert done.wait(10), "the mail waited for the slow endpoint"
        done.set()
        return SENT

    run(settings, send)
    assert {delivery.state for delivery in rows.deliveries()} == {"sent"}
