"""When a webhook is given up, and who is told; which ones have a lane of their own."""

from __future__ import annotations

import threading
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from email import message_from_string, policy

import pytest
import time_machine

from server import clock
from server.config import Settings
from server.database import reading, transaction
from server.ids import new_id
from server.models import Account, Bot, Delivery, WebhookEndpoint
from server.services import dispatching, health, letters, notifying, outbox
from server.services.dispatching import Dispatcher, Parcel
from server.services.settling import Outcome
from tests.workers import rows
from tests.workers.receivers import Hook, hook_server, peer
from workers.carrying import carry
from workers.transports.addresses import Policy
from workers.transports.webhook import Webhook

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
TAKEN, BROKEN = Outcome("sent", 200, ms=20), Outcome("transient", 500, ms=20)


def endpoint() -> WebhookEndpoint:
    with reading() as session:
        return session.query(WebhookEndpoint).one()


def registered(email: str | None = "", language: str = "en") -> None:
    with transaction() as session:
        anna = rows.account(session, "anna", email, language)
        rows.endpoint(session, anna, "https://hooks.example.org/in?key=s3cret")


def attempt(settings: Settings, outcome: Outcome) -> None:
    """Something new to tell, tried once."""
    with transaction() as session:
        hook = session.query(WebhookEndpoint).one()
        session.query(Delivery).filter_by(state="due", channel="webhook").update({"state": "dead"})
        outbox.post(
            session, kind="game_over", channel="webhook", dedupe_key=new_id("x"), now=clock.now(),
            account_id=hook.account_id, endpoint_id=hook.id, payload={"body": "{}"},
        )  # fmt: skip
    dispatching.run(lambda parcel: outcome if parcel.channel == "webhook" else Outcome("sent"), settings)


def mails() -> list[Delivery]:
    return [delivery for delivery in rows.deliveries() if delivery.kind == "webhook_disabled"]


def test_five_days_of_failure_and_it_is_off_and_its_owner_told_once(settings: Settings) -> None:
    registered()
    with time_machine.travel(NOON, tick=False) as time:
        for hours in range(0, 5 * 24, 20):
            time.move_to(NOON + timedelta(hours=hours))
            attempt(settings, BROKEN)
            assert endpoint().active and endpoint().failing_since == NOON
        time.move_to(NOON + 5 * DAY)
        attempt(settings, BROKEN)
        off = endpoint()
        assert (off.active, off.disabled_reason, off.disabled_at) == (False, "failing", clock.now())
        time.shift(DAY)
        attempt(settings, BROKEN)
    assert len(mails()) == 1 and mails()[0].state == "sent"


def test_a_success_in_between_begins_anew(settings: Settings) -> None:
    registered()
    with time_machine.travel(NOON, tick=False) as time:
        for day, outcome in enumerate([BROKEN, BROKEN, BROKEN, TAKEN, BROKEN, BROKEN, BROKEN, BROKEN]):
            time.move_to(NOON + day * DAY)
            attempt(settings, outcome)
        assert endpoint().active and endpoint().failing_since == NOON + 4 * DAY
    assert mails() == []


@pytest.mark.parametrize("pause", [2, 3, 6, 30])
def test_silence_is_no_success(pause: int, settings: Settings) -> None:
    """A game with a notice every six days: what failed is tried for three of them, and then nothing is for the other three."""
    registered()
    with time_machine.travel(NOON, tick=False) as time:
        attempt(settings, BROKEN)
        while clock.now() - NOON < 5 * DAY:
            assert endpoint().active and endpoint().failing_since == NOON
            time.shift(pause * DAY)
            attempt(settings, BROKEN)
        assert (endpoint().active, endpoint().disabled_reason) == (False, "failing")
    assert len(mails()) == 1


def test_a_fault_of_ours_says_nothing_of_it(settings: Settings) -> None:
    registered()
    attempt(settings, Outcome("ambiguous", reply="fault of the transport: KeyError", ours=True))
    assert endpoint().failing_since is None


def test_410_switches_it_off_and_its_owner_is_told(settings: Settings) -> None:
    registered()
    attempt(settings, Outcome("permanent", 410, gone=True))
    assert (endpoint().active, endpoint().disabled_reason) == (False, "gone")
    assert len(mails()) == 1


def test_of_a_bot_its_owner_is_told(settings: Settings) -> None:
    registered(email=None)
    with transaction() as session:
        boris = rows.account(session, "boris")
        robot = session.query(WebhookEndpoint).one().account_id
        session.get_one(Account, robot).kind = "bot"
        session.add(Bot(account_id=robot, owner_id=boris.id, accepts={}))
    attempt(settings, Outcome("permanent", 410, gone=True))
    assert [mail.account_id for mail in mails()] == [boris.id]


def test_who_has_no_address_is_told_nothing(settings: Settings) -> None:
    registered(email=None)
    attempt(settings, Outcome("permanent", 410, gone=True))
    assert not endpoint().active and mails() == []


@pytest.mark.parametrize(("language", "word"), [("en", "switched off"), ("ru", "отключ")])
@pytest.mark.parametrize("reason", ["gone", "failing"])
def test_the_mail_names_the_host_and_no_secret(language: str, word: str, reason: str, settings: Settings) -> None:
    registered(language=language)
    with transaction() as session:
        hook = session.query(WebhookEndpoint).one()
        health.disable(hook, reason, clock.now())
        notifying.webhook_disabled(session, hook, clock.now())
    with reading() as session:
        mail = letters.write(session, session.query(Delivery).one(), settings, clock.now()).mail
    text = message_from_string(mail, policy=policy.default).get_content()
    assert word in text and "hooks.example.org" in text and f"/v1/webhooks/{endpoint().id}/redeliver" in text
    assert "s3cret" not in text and ("410" in text) is (reason == "gone")


def test_a_webhook_that_is_on_again_needs_no_mail_any_more(settings: Settings) -> None:
    registered()
    with transaction() as session:
        hook = session.query(WebhookEndpoint).one()
        health.disable(hook, "gone", clock.now())
        notifying.webhook_disabled(session, hook, clock.now())
        health.enable(hook)
    dispatching.run(lambda parcel: pytest.fail("it was sent"), settings)
    assert (mails()[0].state, mails()[0].reason) == ("obsolete", "enabled-again")


@pytest.mark.parametrize(
    ("outcome", "prompt"),
    [(TAKEN, True), (BROKEN, False), (Outcome("sent", 200, ms=9000), False), (Outcome("transient"), False)],
)
def test_who_answers_quickly_is_prompt(outcome: Outcome, prompt: bool, settings: Settings) -> None:
    registered()
    attempt(settings, outcome)
    assert endpoint().prompt is prompt


def hooks(*urls: str) -> None:
    """An account with a webhook each, and something to be told."""
    with transaction() as session:
        for number, url in enumerate(urls):
            owner = rows.account(session, f"player{number}", None)
            hook = rows.endpoint(session, owner, url)
            hook.prompt = True
            outbox.post(
                session, kind="game_over", channel="webhook", dedupe_key=f"{url}{number}", now=clock.now(),
                account_id=owner.id, endpoint_id=hook.id, payload={"body": f'{{"number":{number}}}'},
            )  # fmt: skip


def test_one_that_hangs_beside_fifty_good_ones_holds_nobody_up(settings: Settings) -> None:
    released = threading.Event()
    webhook = Webhook(Policy(loopback=True), seconds=30)
    with peer(lambda connection: released.wait(30)) as port, hook_server(Hook()) as good:
        hooks(f"http://127.0.0.1:{port}/", *[good.url] * 50)
        dispatcher = Dispatcher(lambda parcel: carry(parcel, webhook), settings)
        dispatcher.run(seconds=4)
        while len(good.calls) < 50 and dispatcher.run(seconds=4):
            pass
        calls = Counter(call.body for call in good.calls)
        released.set()
        dispatcher.finish()
    assert calls == {f'{{"number":{number}}}': 1 for number in range(1, 51)}, "they waited for the one that hangs"
    assert Counter(attempt.outcome for attempt in rows.attempts()) == {"sent": 50, "ambiguous": 1}


def test_twenty_that_failed_before_and_hang_now_hold_nobody_up(settings: Settings) -> None:
    """They have a lane of their own, however many they are."""
    released = threading.Event()
    with transaction() as session:
        for number in range(sum(dispatching.ABREAST.values()) + 10):
            owner = rows.account(session, f"owner{number}", None)
            hook = rows.endpoint(session, owner, f"https://slow{number}.example.org/")
            outbox.post(
                session, kind="game_over", channel="webhook", dedupe_key=f"slow{number}", now=clock.now(),
                account_id=owner.id, endpoint_id=hook.id, payload={"body": "{}"},
            )  # fmt: skip
    hooks(*[f"https://good{number}.example.org/" for number in range(30)])
    taken: list[str] = []

    def send(parcel: Parcel) -> Outcome:
        if "slow" in parcel.to:
            assert released.wait(20)
        else:
            taken.append(parcel.to)
        return TAKEN

    dispatcher = Dispatcher(send, settings)
    dispatcher.run(seconds=3)
    assert len(taken) == 30
    released.set()
    dispatcher.finish()


def test_a_mail_server_that_hangs_holds_no_webhook_up(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatching.letters, "write", lambda *_: letters.Written("a mail", ()))
    rows.codes(sum(dispatching.ABREAST.values()) + 10)  # all of them older than what is to be told by webhook
    hooks(*[f"https://good{number}.example.org/" for number in range(30)])
    released = threading.Event()
    taken: list[str] = []

    def send(parcel: Parcel) -> Outcome:
        if parcel.channel == "email":
            assert released.wait(20)
        else:
            taken.append(parcel.to)
        return TAKEN

    dispatcher = Dispatcher(send, settings)
    dispatcher.run(seconds=3)
    assert len(taken) == 30
    released.set()
    dispatcher.finish()


def test_what_a_run_leaves_under_way_goes_on_beside_the_next_run(settings: Settings) -> None:
    released = threading.Event()
    hooks("https://slow.example.org/")

    def send(parcel: Parcel) -> Outcome:
        if "slow" in parcel.to:
            assert released.wait(20)
        return TAKEN

    dispatcher = Dispatcher(send, settings)
    began = time.monotonic()
    dispatcher.run(seconds=0.5)
    assert time.monotonic() - began < 3, "the run waited for it"
    rows.codes(3)
    dispatcher.run(seconds=2)
    assert Counter(row.state for row in rows.deliveries()) == {"sent": 3, "leased": 1}
    released.set()
    dispatcher.finish()
    assert {row.state for row in rows.deliveries()} == {"sent"}
