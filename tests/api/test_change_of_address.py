"""Another address for an account."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from email import message_from_string, policy
from typing import Any

import pytest
import time_machine
from flask import Flask
from sqlalchemy import select

from server import clock
from server.config import Settings
from server.database import reading
from server.models import Delivery
from server.services import letters
from tests.playing import Person, code_sent_to, on_one_database, problem, signed_in

NEW = "anna@example.org"


def ask(who: Person, email: str = NEW) -> dict[str, str]:
    verification = who.made("/me/email", {"email": email})["verification"]
    return {"verification": verification, "code": code_sent_to(email)}


def prove(who: Person, proof: dict[str, str]) -> Any:
    return who.post("/me/email/verification", proof)


def mails(address: str) -> list[Delivery]:
    with reading() as session:
        rows = list(session.scalars(select(Delivery).where(Delivery.address == address).order_by(Delivery.created_at)))
        session.expunge_all()
    return rows


def written(delivery: Delivery) -> str:
    with reading() as session:
        return letters.write(session, session.get_one(Delivery, delivery.id), Settings.from_env(), clock.now()).mail


def test_a_proven_address_becomes_that_of_the_account(app: Flask, nobody: Person) -> None:
    ann = signed_in(app, "Ann", "ann@example.org")
    before = ann.seen("/me")
    proof = ask(ann, "ANNA@Example.org")
    assert ann.seen("/me") == before
    assert prove(ann, proof).json == {**before, "email": NEW} == ann.seen("/me")
    assert signed_in(app, "Whoever", NEW).seen("/me")["name"] == "Ann"
    assert signed_in(app, "Other", "ann@example.org").seen("/me")["name"] == "Other"


@pytest.mark.parametrize(("language", "word"), [("en", "your code"), ("ru", "ваш код")])
def test_the_mail_says_where_the_code_goes(language: str, word: str, ann: Person) -> None:
    ann.ask("PATCH", "/me", json={"language": language})
    proof = ask(ann)
    (mail,) = mails(NEW)
    read: Any = message_from_string(written(mail), policy=policy.default)
    text = read.get_content()
    assert word in read["Subject"] and read["To"] == NEW
    assert proof["code"] in text and proof["verification"] in text and "/v1/me/email/verification" in text


@pytest.mark.parametrize(("language", "word"), [("en", "another address"), ("ru", "новый адрес")])
def test_the_old_address_is_told_and_not_the_new_one(language: str, word: str, app: Flask) -> None:
    ann = signed_in(app, "Ann", "ann@example.org")
    ann.ask("PATCH", "/me", json={"language": language, "time_zone": "Europe/Riga"})
    prove(ann, ask(ann))
    notice = mails("ann@example.org")[-1]
    assert (notice.kind, notice.state) == ("email_changed", "due")
    read: Any = message_from_string(written(notice), policy=policy.default)
    assert read["To"] == "ann@example.org" and word in read["Subject"]
    assert "Ann" in read.get_content() and "Europe/Riga" in read.get_content() and NEW not in read.get_content()


def test_a_taken_address_is_told_only_to_who_proves_it(app: Flask, ann: Person) -> None:
    bob = signed_in(app, "Bob", "bob@example.org")
    taken, free = (ann.post("/me/email", {"email": email}) for email in ("bob@example.org", NEW))
    assert (taken.status_code, free.status_code) == (202, 202)
    assert len(taken.data) == len(free.data) and {**taken.headers} == {**free.headers}
    before = ann.seen("/me")
    proof = {"verification": taken.json["verification"], "code": code_sent_to("bob@example.org")}
    problem(prove(ann, proof), 409, "address-taken")
    assert ann.seen("/me") == before and bob.seen("/me")["email"] == "bob@example.org"
    assert [mail.kind for mail in mails("bob@example.org")] == ["verification", "email_change"]


def test_the_same_address_once_more_changes_nothing(app: Flask) -> None:
    ann = signed_in(app, "Ann", "ann@example.org")
    before = ann.get("/me")
    assert prove(ann, ask(ann, "ann@example.org")).json == before.json
    assert ann.get("/me").headers["ETag"] == before.headers["ETag"]
    assert "email_changed" not in [mail.kind for mail in mails("ann@example.org")]


def test_a_code_is_good_once(ann: Person) -> None:
    proof = ask(ann)
    assert prove(ann, proof).status_code == 200
    problem(prove(ann, proof), 410, "code-expired")


def test_a_code_used_by_many_at_once_is_good_once(ann: Person) -> None:
    proof = ask(ann)
    got: list[int] = []
    together = threading.Barrier(6)

    def use() -> None:
        together.wait()
        got.append(prove(ann, proof).status_code)

    threads = [threading.Thread(target=use) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == [200] + [410] * 5


def test_of_two_who_prove_one_address_one_gets_it(app: Flask, ann: Person, bob: Person) -> None:
    proofs = [ask(ann), ask(bob)]
    assert prove(ann, proofs[0]).status_code == 200
    problem(prove(bob, proofs[1]), 409, "address-taken")


def test_a_wrong_code_counts_and_the_fifth_voids_it(ann: Person) -> None:
    proof = ask(ann)
    for left in (4, 3, 2, 1, 0):
        assert problem(prove(ann, {**proof, "code": "WRONG"}), 422, "wrong-code")["tries_left"] == left
    problem(prove(ann, proof), 410, "code-expired")


def test_a_code_is_good_for_fifteen_minutes(ann: Person) -> None:
    proof = ask(ann)
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=15, seconds=1)):
        problem(prove(ann, proof), 410, "code-expired")


def test_a_code_for_an_address_signs_nobody_in_and_the_other_way_round(ann: Person, nobody: Person) -> None:
    proof = ask(ann)
    problem(nobody.post("/accounts/verification", proof), 422, "wrong-code")
    verification = nobody.made("/accounts", {"email": "new@example.org"})["verification"]
    signing_in = {"verification": verification, "code": code_sent_to("new@example.org")}
    problem(prove(ann, signing_in), 422, "wrong-code")
    assert prove(ann, proof).status_code == 200
    nobody.made("/accounts/verification", signing_in)


def test_a_code_is_of_use_only_to_who_asked_for_it(ann: Person, eve: Person) -> None:
    problem(prove(eve, ask(ann)), 422, "wrong-code")


def test_only_the_newest_code_counts_and_signing_in_is_another_matter(ann: Person, nobody: Person) -> None:
    older, newer = ask(ann), ask(ann)
    nobody.made("/accounts", {"email": NEW})
    problem(prove(ann, older), 410, "code-expired")
    assert prove(ann, newer).status_code == 200


def test_an_address_gets_three_codes_an_hour_whatever_for(ann: Person, nobody: Person) -> None:
    nobody.made("/accounts", {"email": NEW})
    for _ in range(3):
        assert ann.post("/me/email", {"email": NEW}).status_code == 202
    assert len(mails(NEW)) == 3


def test_a_network_is_limited_here_too(ann: Person) -> None:
    def from_outside(number: int) -> Any:
        where = {"REMOTE_ADDR": "203.0.113.9"}
        return ann.post("/me/email", {"email": f"p{number}@example.org"}, environ_base=where)

    assert [from_outside(number).status_code for number in range(20)] == [202] * 20
    assert int(problem_of(from_outside(20)).headers["Retry-After"]) > 0


def problem_of(answer: Any) -> Any:
    problem(answer, 429, "rate-limited")
    return answer


@on_one_database
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"email": None},
        {"email": 7},
        {"email": "a"},
        {"email": "a@[127.0.0.1]"},
        {"email": "a\u202e@example.org"},
        {"email": f"{'a' * 250}@example.org"},
    ],
)
def test_an_address_that_is_none_is_refused(body: Any, ann: Person) -> None:
    refusal = problem(ann.post("/me/email", body), 422, "invalid-body")
    assert {fault["pointer"] for fault in refusal["errors"]} == {"/email"}


@on_one_database
@pytest.mark.parametrize(
    ("proof", "code"),
    [
        ({}, "invalid-body"),
        ({"verification": None, "code": None}, "invalid-body"),
        ({"verification": 7, "code": 7}, "invalid-body"),
        ({"verification": "x" * 65, "code": "ABCD2345"}, "invalid-body"),
        ({"verification": "v_aaaaaaaaaaaaaaaaaaaaaaaaaa", "code": "\u0000"}, "invalid-body"),
        ({"verification": "v_aaaaaaaaaaaaaaaaaaaaaaaaaa", "code": "ABCD2345"}, "wrong-code"),
        ({"verification": "nonsense", "code": "ABCD2345"}, "wrong-code"),
        ({"verification": "nonsense", "code": "ABCD2345", "name": "Ann"}, "unknown-body-key"),
    ],
)
def test_a_proof_that_is_none_is_refused(proof: Any, code: str, ann: Person) -> None:
    problem(prove(ann, proof), 422, code)
