"""Signing in by a code."""

from __future__ import annotations

import unicodedata
from datetime import timedelta

import pytest
import time_machine
from flask import Flask
from sqlalchemy import func, select

from server.database import reading
from server.models import Account, Delivery, Token, Verification
from server.services import codes
from tests.playing import Person, code_sent_to, on_one_database, problem, signed_in

EMAIL = "ann@example.org"


def ask(who: Person, email: str = EMAIL) -> str:
    verification: str = who.made("/accounts", {"email": email})["verification"]
    return verification


def mails() -> int:
    with reading() as session:
        return session.scalar(select(func.count()).select_from(Delivery)) or 0


def test_a_code_buys_a_token_and_an_account(nobody: Person) -> None:
    verification = ask(nobody)
    signed = nobody.post(
        "/accounts/verification", {"verification": verification, "code": code_sent_to(EMAIL), "name": "Ann"}
    )
    assert signed.status_code == 201 and signed.json["token"].startswith("gp_")
    assert "admin" not in signed.json["scopes"]
    me = Person(nobody.app, signed.json["token"]).seen("/me")
    assert (me["name"], me["email"], me["kind"]) == ("Ann", EMAIL, "person") and me == signed.json["account"]


def test_a_token_is_stored_as_a_digest_only(app: Flask) -> None:
    ann = signed_in(app, "Ann")
    with reading() as session:
        stored = session.scalars(select(Token)).one()
        assert ann.token not in (stored.digest, stored.prefix) and str(ann.token).startswith(stored.prefix)


def test_the_same_two_calls_sign_in_again(nobody: Person) -> None:
    first = signed_in(nobody.app, "Ann", EMAIL).seen("/me")
    again = signed_in(nobody.app, "Other", "ANN@Example.org").seen("/me")
    assert again == first


def test_known_and_unknown_addresses_get_the_same_answer(app: Flask, nobody: Person) -> None:
    signed_in(app, "Ann", EMAIL)
    known, unknown = (nobody.post("/accounts", {"email": email}) for email in (EMAIL, "new@example.org"))
    assert known.status_code == unknown.status_code == 202
    assert len(known.data) == len(unknown.data) and known.json.keys() == unknown.json.keys()
    assert {**known.headers} == {**unknown.headers}


def test_a_code_may_be_typed_in_small_letters(nobody: Person) -> None:
    verification = ask(nobody)
    nobody.made("/accounts/verification", {"verification": verification, "code": f" {code_sent_to(EMAIL).lower()} "})


def test_a_code_is_good_once(nobody: Person) -> None:
    proof = {"verification": ask(nobody), "code": code_sent_to(EMAIL)}
    nobody.made("/accounts/verification", proof)
    problem(nobody.post("/accounts/verification", proof), 410, "code-expired")


def test_a_code_is_good_for_fifteen_minutes(nobody: Person) -> None:
    proof = {"verification": ask(nobody), "code": code_sent_to(EMAIL)}
    with time_machine.travel(_in(timedelta(minutes=15, seconds=1))):
        problem(nobody.post("/accounts/verification", proof), 410, "code-expired")
    nobody.made("/accounts/verification", proof)


def _in(time: timedelta) -> float:
    from server import clock

    return (clock.now() + time).timestamp()


def test_after_five_wrong_tries_the_right_code_is_void(nobody: Person) -> None:
    verification, code = ask(nobody), code_sent_to(EMAIL)
    for left in (4, 3, 2, 1, 0):
        refusal = problem(
            nobody.post("/accounts/verification", {"verification": verification, "code": "WRONG"}), 422, "wrong-code"
        )
        assert refusal["tries_left"] == left
        assert ("1 try left" in refusal["detail"]) == (left == 1)
    problem(nobody.post("/accounts/verification", {"verification": verification, "code": code}), 410, "code-expired")


def test_only_the_newest_code_counts(nobody: Person) -> None:
    older = {"verification": ask(nobody), "code": code_sent_to(EMAIL)}
    newer = {"verification": ask(nobody), "code": code_sent_to(EMAIL)}
    problem(nobody.post("/accounts/verification", older), 410, "code-expired")
    nobody.made("/accounts/verification", newer)


@pytest.mark.parametrize("verification", ["v_aaaaaaaaaaaaaaaaaaaaaaaaaa", "nonsense"])
def test_a_verification_that_never_was_has_no_code(verification: str, nobody: Person) -> None:
    problem(
        nobody.post("/accounts/verification", {"verification": verification, "code": "K7WMQX2H"}), 422, "wrong-code"
    )


def test_a_taken_name_is_told_and_the_code_stays_valid(app: Flask, nobody: Person) -> None:
    signed_in(app, "Ann", EMAIL)
    proof = {"verification": ask(nobody, "other@example.org"), "code": code_sent_to("other@example.org")}
    problem(nobody.post("/accounts/verification", {**proof, "name": "Ann"}), 409, "name-taken")
    assert nobody.made("/accounts/verification", {**proof, "name": "Anna"})["account"]["name"] == "Anna"


@pytest.mark.parametrize("name", ["anna", "ANNA", "An-Na", "a.n n_a", "\u0430nn\u0430", "\u0410\u041dNa"])
def test_nobody_is_called_what_looks_like_another_players_name(name: str, app: Flask, nobody: Person) -> None:
    signed_in(app, "Anna" if name.casefold() != "\u0430\u043dna" else "AHNa")
    proof = {"verification": ask(nobody), "code": code_sent_to(EMAIL), "name": name}
    problem(nobody.post("/accounts/verification", proof), 409, "name-taken")


@on_one_database
@pytest.mark.parametrize("name", ["Admin", "Gala Post", "s.y.s-t.e.m", "N\u043ebody", "me"])
def test_nobody_is_called_like_a_part_of_the_server(name: str, nobody: Person) -> None:
    proof = {"verification": ask(nobody), "code": code_sent_to(EMAIL), "name": name}
    refusal = problem(nobody.post("/accounts/verification", proof), 422, "invalid-body")
    assert [fault["pointer"] for fault in refusal["errors"]] == ["/name"]
    nobody.made("/accounts/verification", {**proof, "name": "Ann"})


@on_one_database
@pytest.mark.parametrize("email", ["a@[127.0.0.1]", "a@[IPv6:::1]", "a", "a@b@c", "a\u202e@example.org"])
def test_a_code_goes_to_hosts_with_names_only(email: str, nobody: Person) -> None:
    refusal = problem(nobody.post("/accounts", {"email": email}), 422, "invalid-body")
    assert {fault["pointer"] for fault in refusal["errors"]} == {"/email"} and mails() == 0


def test_who_wishes_for_no_name_gets_one(nobody: Person) -> None:
    proof = {"verification": ask(nobody), "code": code_sent_to(EMAIL)}
    assert nobody.made("/accounts/verification", proof)["account"]["name"].startswith("player-")


@on_one_database
@pytest.mark.parametrize(
    "name",
    [
        "",
        " Ann",
        "Ann ",
        "A\nB",
        "<b>",
        "x" * 41,
        "\x00",
        "A",
        "Ann_",
        "An  na",
        "An-_na",
        "Ａnn",
        "Ann\u3164",
        "\u115f\u1160",
        "An\u202ena",
        "An\u200dna",
        "</text><image href='x'>",
    ],
)
def test_a_name_that_would_need_quoting_is_refused(name: str, nobody: Person) -> None:
    proof = {"verification": ask(nobody), "code": code_sent_to(EMAIL), "name": name}
    problem(nobody.post("/accounts/verification", proof), 422, "invalid-body")


@pytest.mark.parametrize("name", ["Аня", "李明", "Jean-Luc O'Hara jr2"])
def test_a_name_may_be_of_any_script(name: str, nobody: Person) -> None:
    proof = {"verification": ask(nobody), "code": code_sent_to(EMAIL), "name": name}
    assert nobody.made("/accounts/verification", proof)["account"]["name"] == name


@on_one_database
def test_a_name_is_kept_composed(nobody: Person) -> None:
    proof = {"verification": ask(nobody), "code": code_sent_to(EMAIL), "name": unicodedata.normalize("NFD", "Андрей")}
    assert nobody.made("/accounts/verification", proof)["account"]["name"] == unicodedata.normalize("NFC", "Андрей")


def test_the_fourth_mail_in_an_hour_is_not_sent_and_nobody_can_tell(nobody: Person) -> None:
    answers = [nobody.post("/accounts", {"email": EMAIL}) for _ in range(3)]
    third = {"verification": answers[-1].json["verification"], "code": code_sent_to(EMAIL)}
    fourth = nobody.post("/accounts", {"email": EMAIL})
    assert mails() == 3
    assert (fourth.status_code, len(fourth.data)) == (202, len(answers[0].data))
    nobody.made("/accounts/verification", third)  # it made no newer code, so the third is still the newest
    with time_machine.travel(_in(timedelta(hours=1, seconds=1))):
        ask(nobody)
    assert mails() == 4


def test_a_network_gets_twenty_mails_an_hour(nobody: Person) -> None:
    def from_address(address: str, number: int) -> int:
        answer = nobody.post("/accounts", {"email": f"p{number}@example.org"}, environ_base={"REMOTE_ADDR": address})
        return answer.status_code

    assert [from_address(f"203.0.113.{number}", number) for number in range(20)] == [202] * 20
    refused = nobody.post("/accounts", {"email": "more@example.org"}, environ_base={"REMOTE_ADDR": "203.0.113.77"})
    problem(refused, 429, "rate-limited")
    assert int(refused.headers["Retry-After"]) > 0
    assert from_address("203.0.114.1", 21) == 202
    with reading() as session:
        assert session.scalar(select(func.count()).select_from(Verification)) == 21


def test_no_account_is_made_before_the_address_is_proven(nobody: Person) -> None:
    ask(nobody)
    with reading() as session:
        assert session.scalars(select(Account)).all() == []


def test_old_unproven_addresses_are_forgotten(nobody: Person) -> None:
    nobody.made("/accounts", {"email": "typed@example.org"})
    codes.forget_expired()
    with reading() as session:
        assert len(session.scalars(select(Verification)).all()) == 1
    with time_machine.travel(_in(codes.KEPT + timedelta(seconds=1))):
        codes.forget_expired()
    with reading() as session:
        assert session.scalars(select(Verification)).all() == []
