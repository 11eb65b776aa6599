"""No more mails of a kind, by the link in one of them; and what becomes of an address that takes no mail."""

from __future__ import annotations

import json
import re
from email import message_from_string, policy
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from server import clock
from server.config import Settings
from server.database import reading, transaction
from server.models import Account, Delivery
from server.services import letters, outbox, preferences
from tests.playing import Person, code_sent_to, problem, running_game, signed_in

ONE_CLICK = {"data": "List-Unsubscribe=One-Click", "content_type": "application/x-www-form-urlencoded"}


def link_in(delivery: Delivery) -> str:
    """The path of one-click unsubscribing, out of the headers of that mail, which is written and stored as for sending."""
    with transaction() as session:
        made = letters.write(session, session.get_one(Delivery, delivery.id), Settings.from_env(), clock.now())
        session.add_all(made.tokens)
    mail = message_from_string(made.mail, policy=policy.default)
    found = re.search(r"<http://[^/]+(/v1/unsubscribe/[a-z2-7]{26})>", mail["List-Unsubscribe"])
    assert found is not None and mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    return found[1]


def mails(kind: str, who: Person) -> list[Delivery]:
    with reading() as session:
        account = select(Account.id).where(Account.name == who.name).scalar_subquery()
        wanted = select(Delivery).where(
            Delivery.kind == kind, Delivery.account_id == account, Delivery.channel == "email"
        )
        found = list(session.scalars(wanted.order_by(Delivery.created_at)))
        session.expunge_all()
    return found


@pytest.fixture
def link(ann: Person, bob: Person) -> str:
    """In the mail that told Ann that a game has started."""
    running_game(ann, bob)
    return link_in(mails("game_started", ann)[-1])


def test_looking_changes_nothing(nobody: Person, link: str) -> None:
    for _ in range(2):
        shown = nobody.seen(link)
        assert (shown["kind"], shown["channel"], shown["subscribed"]) == ("game_started", "email", True)
        assert "game_started" in shown["text"]
    assert nobody.ask("HEAD", link).status_code == 200
    assert nobody.seen(link)["subscribed"]


@pytest.mark.parametrize(
    "sent", [ONE_CLICK, {}, {"json": {}}, {"json": {"anything": 1}}, {"data": b"\0", "content_type": "x/y"}]
)
def test_one_click_needs_no_account_and_no_particular_body(nobody: Person, link: str, sent: dict[str, Any]) -> None:
    answer = nobody.ask("POST", link, **sent)
    assert answer.status_code == 200 and answer.json is not None and not answer.json["subscribed"]
    assert not nobody.seen(link)["subscribed"]


def test_it_switches_off_that_kind_of_that_account_and_nothing_else(
    nobody: Person, ann: Person, bob: Person, link: str
) -> None:
    nobody.ask("POST", link, **ONE_CLICK)
    running_game(ann, bob)
    assert mails("game_started", ann)[-1].state == "suppressed"
    assert mails("game_started", bob)[-1].state == "due"
    assert {row.state for row in mails("your_turn", ann) + mails("your_turn", bob)} & {"due"}


def test_said_again_it_is_the_same_and_one_mail_confirms_it(nobody: Person, ann: Person, link: str) -> None:
    answers = [nobody.ask("POST", link, **ONE_CLICK) for _ in range(3)]
    assert len({answer.text for answer in answers}) == 1 and answers[0].status_code == 200
    (confirmation,) = mails("unsubscribed", ann)
    with reading() as session:
        made = letters.write(session, session.get_one(Delivery, confirmation.id), Settings.from_env(), clock.now())
    text = message_from_string(made.mail, policy=policy.default).get_content()  # type: ignore[attr-defined]
    call = re.search(r"curl -X (\w+) http://[^/]+(/v1/\S+) .*-d '(.+?)'", text, re.DOTALL)
    assert call is not None
    undone = ann.ask(call[1], call[2], data=call[3], content_type="application/json")
    assert undone.status_code == 200, undone.text
    assert nobody.seen(link)["subscribed"]


def test_of_a_digest_all_that_came_in_it_goes_and_can_come_again(nobody: Person, ann: Person) -> None:
    ann.ask(
        "PATCH", "/me/notifications", json={"kinds": {"message": {"email": "digest"}, "game_over": {"email": "digest"}}}
    )
    with transaction() as session:
        account = session.scalars(select(Account.id).where(Account.name == "Ann")).one()
        outbox.post(session, kind="digest", channel="email", dedupe_key="d", now=clock.now(), account_id=account)
    link = link_in(mails("digest", ann)[-1])
    assert not nobody.ask("POST", link, **ONE_CLICK).json["subscribed"]  # type: ignore[index]

    def modes() -> list[str]:
        kinds = ann.seen("/me/notifications")["kinds"]
        return [kinds[kind]["email"] for kind in ("message", "game_over", "game_started")]

    assert modes() == ["off", "off", "immediate"]
    (confirmation,) = mails("unsubscribed", ann)
    with reading() as session:
        made = letters.write(session, session.get_one(Delivery, confirmation.id), Settings.from_env(), clock.now())
    text = message_from_string(made.mail, policy=policy.default).get_content()  # type: ignore[attr-defined]
    undo = re.search(r"-d '(.+?)'", text)
    assert undo is not None
    assert ann.ask("PATCH", "/me/notifications", data=undo[1], content_type="application/json").status_code == 200
    assert modes() == ["digest", "digest", "immediate"]


def test_what_was_switched_off_before_stays_so_when_a_later_one_is_undone(
    nobody: Person, ann: Person, bob: Person
) -> None:
    kinds = ("message", "game_over", "game_started")
    running_game(ann, bob)
    ann.ask(
        "PATCH", "/me/notifications", json={"kinds": {"message": {"email": "digest"}, "game_over": {"email": "digest"}}}
    )
    with transaction() as session:
        account = session.scalars(select(Account).where(Account.name == "Ann")).one()
        assert preferences.turn_off(session, account, "message")
        outbox.post(session, kind="digest", channel="email", dedupe_key="d", now=clock.now(), account_id=account.id)
    for mail in (mails("digest", ann)[-1], mails("game_started", ann)[-1]):
        assert nobody.ask("POST", link_in(mail), **ONE_CLICK).status_code == 200
    undos = [undo_in(confirmation) for confirmation in mails("unsubscribed", ann)]
    assert undos == [{"game_over": {"email": "digest"}}, {"game_started": {"email": "immediate"}}]
    for undo in undos:
        ann.ask("PATCH", "/me/notifications", json={"kinds": undo})
    shown = ann.seen("/me/notifications")["kinds"]
    assert [shown[kind]["email"] for kind in kinds] == ["off", "digest", "immediate"]


def undo_in(confirmation: Delivery) -> dict[str, Any]:
    """The kinds that the call in it would change."""
    with reading() as session:
        made = letters.write(session, session.get_one(Delivery, confirmation.id), Settings.from_env(), clock.now())
    text = message_from_string(made.mail, policy=policy.default).get_content()  # type: ignore[attr-defined]
    found = re.search(r"-d '(.+?)'", text)
    assert found is not None
    return dict(json.loads(found[1])["kinds"])


@pytest.mark.parametrize("token", ["a" * 26, "x", "A2", "{}", "м" * 26])
def test_a_token_that_is_none_is_unknown(nobody: Person, token: str) -> None:
    for verb in ("GET", "POST"):
        problem(nobody.ask(verb, f"/unsubscribe/{token}"), 404, "unknown-subscription")


def test_the_token_is_not_in_the_log(nobody: Person, link: str, capsys: pytest.CaptureFixture[str]) -> None:
    nobody.ask("POST", link, **ONE_CLICK)
    logged = capsys.readouterr()
    assert "/v1/unsubscribe/<string:token>" in logged.out + logged.err
    assert link.rpartition("/")[2] not in logged.out + logged.err


def test_it_answers_in_the_language_of_whoever_asks(nobody: Person, link: str) -> None:
    shown = nobody.get(link, headers={"Accept-Language": "ru"})
    assert shown.json is not None and "отключает" in shown.json["text"]


def test_an_address_without_an_account_gets_no_invitations_any_more(nobody: Person, ann: Person) -> None:
    game = ann.made("/games", {"seats": 3})["id"]
    ann.made(f"/games/{game}/invitations", {"email": "cay@example.org"})
    with reading() as session:
        mail = session.scalars(select(Delivery).where(Delivery.kind == "invitation")).one()
        session.expunge(mail)
    link = link_in(mail)
    assert nobody.seen(link)["kind"] == "invitation"
    for _ in range(2):
        assert not nobody.ask("POST", link, **ONE_CLICK).json["subscribed"]  # type: ignore[index]
    assert nobody.seen(link)["subscribed"] is False


# An address that is dead


def kill(who: Person) -> None:
    with transaction() as session:
        account = session.scalars(select(Account).where(Account.name == who.name)).one()
        account.mail_score, account.mail_dead_at, account.mail_dead_reason = 10, clock.now(), "5.1.1 no such user"
        account.version += 1


def test_the_account_says_whether_mail_reaches_it(ann: Person) -> None:
    assert ann.seen("/me")["mail"] == {"state": "ok", "since": None, "reason": None}
    kill(ann)
    shown = ann.seen("/me")["mail"]
    assert (shown["state"], shown["reason"]) == ("dead", "5.1.1 no such user") and shown["since"]


def test_signing_in_by_a_code_brings_it_back_to_life(app: Flask, nobody: Person) -> None:
    ann = signed_in(app, "Ann", "ann@example.org")
    kill(ann)
    verification = nobody.made("/accounts", {"email": "ann@example.org"})["verification"]
    nobody.made("/accounts/verification", {"verification": verification, "code": code_sent_to("ann@example.org")})
    assert ann.seen("/me")["mail"]["state"] == "ok"


def test_and_so_does_another_address(app: Flask) -> None:
    ann = signed_in(app, "Ann", "ann@example.org")
    kill(ann)
    verification = ann.made("/me/email", {"email": "anna@example.org"})["verification"]
    ann.made("/me/email/verification", {"verification": verification, "code": code_sent_to("anna@example.org")})
    assert ann.seen("/me")["mail"]["state"] == "ok"
