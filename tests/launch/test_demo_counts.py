"""The demo's verdict: it must turn red when something is lost, late, doubled or forged."""

import base64
import hashlib
import hmac
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.orm import Session

from launch.demo import tally
from launch.demo.receiver import Receiver, is_signed
from server import database
from server.models import Account, Attempt, Decision, Delivery, Game, Move, Seat, WebhookEndpoint

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
ANSWERED = {("g_1", 7): NOON + 2 * SECOND}


@pytest.fixture
def session(sqlite_url: str) -> Iterator[Session]:
    """One decision, answered at two seconds past noon; its mail and its webhook were attempted one second before."""
    database.connect(sqlite_url)
    with database.transaction() as session:
        session.add(
            Account(id="u_1", name="Ann", email="ann@example.org", language="en", kind="person", created_at=NOON)
        )
        session.flush()
        session.add(
            WebhookEndpoint(
                id="wh_1",
                account_id="u_1",
                url="http://127.0.0.1/",
                secret_sealed="-",
                types=[],
                active=True,
                created_at=NOON,
            )
        )
        session.add(
            Game(
                id="g_1",
                host_id="u_1",
                status="over",
                seats=2,
                options={},
                listed=True,
                join="open",
                spectators="public",
                start="automatic",
                seed=b"",
                commitment="",
                version=1,
                last_event=0,
                created_at=NOON,
            )
        )
        session.flush()
        session.add(Seat(game_id="g_1", letter="A", account_id="u_1", joined_at=NOON))
        session.add(
            Decision(game_id="g_1", number=7, seat="A", kind="feed", opened_at=NOON, answered_at=NOON + 2 * SECOND)
        )
        session.add(Move(game_id="g_1", number=7, seat="A", notation="pass", json={}, made_at=NOON + 2 * SECOND))
        session.flush()
        session.add_all([delivery("email"), delivery("webhook")])
        session.flush()
        session.add_all([attempt("email"), attempt("webhook")])
        session.flush()
        yield session
    database.disconnect()


def delivery(channel: str) -> Delivery:
    about = {"kind": "your_turn", "account_id": "u_1", "game_id": "g_1", "seat": "A", "decision": 7}
    return Delivery(
        id=f"dl_{channel}",
        channel=channel,
        dedupe_key=channel,
        state="sent",
        next_at=NOON,
        message_id=channel,
        created_at=NOON,
        **about,
    )


def attempt(channel: str) -> Attempt:
    return Attempt(delivery_id=f"dl_{channel}", n=1, fence=1, started_at=NOON + SECOND, outcome="sent")


def test_what_was_promised_and_arrived_is_clean(session: Session) -> None:
    result = tally.count(session, ANSWERED, ["email"], ["webhook"])
    assert result.is_clean() and result.line() == "demo: 1 moves, 1 e-mails, 1 webhooks, 0 lost, 0 stale"


def test_a_webhook_recorded_as_sent_that_never_arrived_is_lost(session: Session) -> None:
    assert (
        tally.count(session, ANSWERED, ["email"], []).line() == "demo: 1 moves, 1 e-mails, 0 webhooks, 1 lost, 0 stale"
    )


def test_a_mail_that_was_given_up_is_lost(session: Session) -> None:
    session.get_one(Delivery, "dl_email").state = "dead"
    assert len(tally.count(session, ANSWERED, [], ["webhook"]).lost) == 1


def test_what_is_recorded_as_obsolete_is_not_lost(session: Session) -> None:
    session.get_one(Delivery, "dl_email").state = "obsolete"
    assert tally.count(session, ANSWERED, [], ["webhook"]).is_clean()


def test_what_its_recipient_has_switched_off_is_not_lost_and_what_cannot_reach_him_is(session: Session) -> None:
    mail = session.get_one(Delivery, "dl_email")
    mail.state, mail.reason = "suppressed", "off"
    assert tally.count(session, ANSWERED, [], ["webhook"]).is_clean()
    mail.reason = "address-dead"
    assert len(tally.count(session, ANSWERED, [], ["webhook"]).lost) == 1


def test_a_decision_for_which_nothing_was_promised_is_lost(session: Session) -> None:
    session.add(Decision(game_id="g_1", number=8, seat="A", kind="feed", opened_at=NOON))
    session.flush()
    assert len(tally.count(session, ANSWERED, ["email"], ["webhook"]).lost) == 2  # a mail and a webhook


def test_a_notice_attempted_after_the_answer_is_stale(session: Session) -> None:
    session.query(Attempt).filter_by(delivery_id="dl_webhook").one().started_at = NOON + 3 * SECOND
    session.flush()
    result = tally.count(session, ANSWERED, ["email"], ["webhook"])
    assert len(result.stale) == 1 and not result.is_clean()


def test_a_second_copy_needs_an_ambiguous_attempt_to_explain_it(session: Session) -> None:
    assert not tally.count(session, ANSWERED, ["email", "email"], ["webhook"]).is_clean()
    session.add(Attempt(delivery_id="dl_email", n=2, fence=2, started_at=NOON + SECOND, outcome="ambiguous"))
    session.flush()
    assert tally.count(session, ANSWERED, ["email", "email"], ["webhook"]).is_clean()


def test_what_nobody_promised_and_a_move_nobody_made_are_wrong(session: Session) -> None:
    assert not tally.count(session, ANSWERED, ["email", "unknown"], ["webhook"]).is_clean()
    assert not tally.count(session, {}, ["email"], ["webhook"]).is_clean()


def signed(body: bytes, key: bytes) -> dict[str, str]:
    signature = hmac.digest(key, b"wh_msg.1767268800." + body, hashlib.sha256)
    return {
        "webhook-id": "wh_msg",
        "webhook-timestamp": "1767268800",
        "webhook-signature": "v1," + base64.b64encode(signature).decode(),
    }


def test_only_a_webhook_signed_with_the_secret_of_its_path_is_taken() -> None:
    receiver, body, key = Receiver(), b'{"type": "ping", "data": {}}', b"0" * 32
    receiver.expect("/ann", "whsec_" + base64.b64encode(key).decode())
    assert receiver.take("/ann", signed(body, key), body) == 204
    assert receiver.take("/ann", signed(body, b"1" * 32), body) == 401
    assert receiver.take("/ann", signed(body, key), body + b" ") == 401
    assert receiver.take("/bob", signed(body, key), body) == 401
    assert len(receiver.webhooks) == 1 and receiver.unsigned == 3


def test_a_secret_that_is_being_changed_signs_beside_the_new_one() -> None:
    body, old, new = b"{}", b"0" * 32, b"1" * 32
    headers = signed(body, old)
    headers["webhook-signature"] += " " + signed(body, new)["webhook-signature"]
    assert all(is_signed(headers, body, "whsec_" + base64.b64encode(key).decode()) for key in (old, new))
