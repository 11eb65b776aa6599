"""Seats offered: to an account, to an address, by a link."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_string
from email.message import EmailMessage
from email.policy import default
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import func, select, update

from server import clock
from server.config import Settings
from server.database import reading, transaction
from server.models import Account, Delivery, Invitation, NeverInvite
from server.services import invitations, letters, notifying
from tests.playing import Person, on_one_database, problem, signed_in

ADDRESS = "dan@example.net"


@pytest.fixture
def game(ann: Person) -> str:
    """A private one, with room."""
    return private_game(ann)


def private_game(host: Person, **wishes: Any) -> str:
    wishes = {"seats": 4, "listed": False, "join": "invited", **wishes}
    return str(host.made("/games", wishes)["id"])


def offered(game: str, host: Person, body: dict[str, Any]) -> Any:
    return host.made(f"/games/{game}/invitations", body)


def mails() -> Iterator[Delivery]:
    """With invitations, waiting to be sent or not."""
    with reading() as session:
        yield from session.scalars(
            select(Delivery)
            .where(Delivery.kind == "invitation", Delivery.channel == "email")
            .order_by(Delivery.created_at, Delivery.id)
        )


def token_mailed() -> str:
    """Out of the only mail."""
    (mail,) = mails()
    return str((mail.payload or {})["token"])


def fate(mail: Delivery) -> str | None:
    with reading() as session:
        return notifying.untrue(session, mail, clock.now())


def letter(mail: Delivery) -> EmailMessage:
    with reading() as session:
        raw = letters.write(session, mail, Settings.from_env(), datetime(2027, 3, 1, tzinfo=UTC)).mail
    return message_from_string(raw, policy=default)


# To an account


@pytest.mark.parametrize("by", ["name", "id"])
def test_an_account_that_is_invited_sees_the_table_and_takes_a_seat(
    by: str, game: str, ann: Person, bob: Person
) -> None:
    problem(bob.get(f"/games/{game}"), 404, "unknown-game")
    made = offered(game, ann, {"account": "Bob" if by == "name" else bob.seen("/me")["id"]})
    assert (made["kind"], made["to"], made["state"], made["token"], made["link"]) == (
        "account",
        "Bob",
        "open",
        None,
        None,
    )
    (offer,) = bob.seen("/me/invitations")["items"]
    assert (offer["inviter"], offer["game"]["id"], offer["kind"]) == ("Ann", game, "account")
    assert bob.seen(f"/games/{game}")["free_seats"] == 3
    joined = bob.post(f"/invitations/{offer['id']}/acceptance")
    assert joined.status_code == 201 and joined.json["players"][1]["name"] == "Bob"
    assert bob.seen("/me/invitations")["items"] == []


def test_an_invitation_is_used_up_by_joining(game: str, ann: Person, bob: Person) -> None:
    offer = offered(game, ann, {"account": "Bob"})["id"]
    assert bob.post(f"/games/{game}/seats").status_code == 201
    assert problem(bob.post(f"/invitations/{offer}/acceptance"), 409, "invitation-closed")["state"] == "accepted"
    bob.ask("DELETE", f"/games/{game}/seats/me")
    problem(bob.post(f"/games/{game}/seats"), 404, "unknown-game")


def test_that_account_only(game: str, ann: Person, bob: Person, eve: Person, nobody: Person) -> None:
    offer = offered(game, ann, {"account": "Bob"})["id"]
    for stranger in (eve, nobody, ann):
        problem(stranger.get(f"/invitations/{offer}"), 404, "unknown-invitation")
        problem(stranger.post(f"/invitations/{offer}/refusal"), 404, "unknown-invitation")
    problem(eve.post(f"/invitations/{offer}/acceptance"), 404, "unknown-invitation")
    problem(eve.post(f"/invitations/{token_mailed()}/acceptance"), 403, "invitation-for-another")
    assert bob.post(f"/invitations/{token_mailed()}/acceptance").status_code == 201


@pytest.mark.parametrize("called", ["Zed", "u_aaaaaaaaaaaaaaaaaaaaaaaaaa", "g_x", "%"])
def test_an_account_that_does_not_exist_is_invited_by_nobody(called: str, game: str, ann: Person) -> None:
    problem(ann.post(f"/games/{game}/invitations", {"account": called}), 404, "unknown-user")


def test_nobody_is_invited_twice_or_to_where_he_sits(game: str, ann: Person, bob: Person) -> None:
    problem(ann.post(f"/games/{game}/invitations", {"account": "Ann"}), 409, "already-seated")
    offered(game, ann, {"account": "Bob"})
    problem(ann.post(f"/games/{game}/invitations", {"account": "Bob"}), 409, "already-invited")
    bob.made(f"/games/{game}/seats")
    problem(ann.post(f"/games/{game}/invitations", {"account": "Bob"}), 409, "already-seated")
    offered(game, ann, {"email": ADDRESS})
    problem(ann.post(f"/games/{game}/invitations", {"email": f" {ADDRESS.upper()}".strip()}), 409, "already-invited")


def test_a_webhook_hears_of_it(game: str, ann: Person, bob: Person) -> None:
    bob.made("/webhooks", {"url": "https://bot.example.org/", "types": ["invitation"]})
    offer = offered(game, ann, {"account": "Bob"})["id"]
    with reading() as session:
        body = session.scalars(
            select(Delivery.payload).where(Delivery.channel == "webhook", Delivery.kind == "invitation")
        ).one()["body"]
    assert f'"invitation":"{offer}"' in body and '"type":"invitation"' in body and '"inviter":"Ann"' in body
    assert token_mailed() not in body


# By e-mail


def test_whoever_holds_the_token_of_a_mail_takes_the_seat_once(
    game: str, ann: Person, bob: Person, eve: Person, nobody: Person
) -> None:
    """Bob's account has another address: people have several."""
    made = offered(game, ann, {"email": ADDRESS})
    assert (made["kind"], made["to"], made["token"], made["link"]) == ("email", ADDRESS, None, None)
    token = token_mailed()
    assert nobody.seen(f"/invitations/{token}")["game"]["id"] == game
    problem(nobody.post(f"/invitations/{token}/acceptance"), 401, "token-missing")
    assert bob.post(f"/invitations/{token}/acceptance").status_code == 201
    assert problem(eve.post(f"/invitations/{token}/acceptance"), 409, "invitation-closed")["state"] == "accepted"
    seen = nobody.seen(f"/invitations/{token}")
    assert (seen["state"], seen["game"]) == ("accepted", None)


def test_the_account_of_the_address_finds_the_invitation_by_itself(game: str, app: Flask, ann: Person) -> None:
    dan = signed_in(app, "Dan", ADDRESS)
    offered(game, ann, {"email": ADDRESS.title()})
    (offer,) = dan.seen("/me/invitations")["items"]
    assert dan.seen(f"/games/{game}")["id"] == dan.seen("/games")["items"][0]["id"] == game
    assert dan.seen(f"/invitations/{offer['id']}") == offer
    for _ in range(2):
        assert dan.post(f"/invitations/{offer['id']}/refusal").json["state"] == "refused"
    problem(dan.get(f"/games/{game}"), 404, "unknown-game")


def test_the_mail_has_the_name_and_the_options_and_what_to_do(app: Flask, ann: Person) -> None:
    game = private_game(ann, options={"deck": "classic"})
    offered(game, ann, {"email": ADDRESS})
    (mail,) = mails()
    token = token_mailed()
    written = letter(mail).get_content()
    assert "Ann invites you" in written and "deck: classic" in written and "account" in written
    for way in ("acceptance", "refusal", "never-again"):
        assert f"/v1/invitations/{token}/{way}" in written


def test_the_mail_is_in_the_language_wished_for_or_in_that_of_the_account(
    game: str, app: Flask, ann: Person, bob: Person
) -> None:
    offered(game, ann, {"email": "one@example.net", "language": "ru"})
    offered(game, ann, {"email": "two@example.net"})
    with transaction() as session:
        session.execute(update(Account).where(Account.name == "Bob").values(language="ru", email=ADDRESS))
    offered(game, ann, {"email": ADDRESS})
    offered(game, ann, {"account": bob.seen("/me")["id"]})
    subjects = ["Galapost: Ann invites you to a game", "Galapost: Ann приглашает вас в партию"]
    assert [subjects.index(letter(mail)["Subject"]) for mail in mails()] == [1, 0, 1, 1]


def test_the_host_cannot_tell_a_known_address_from_an_unknown_one(
    game: str, app: Flask, ann: Person, bob: Person
) -> None:
    dan, her = signed_in(app, "Dan", ADDRESS), signed_in(app, "Fay", "fay@example.net")
    other = private_game(bob)
    offered(other, bob, {"email": "fay@example.net"})
    her.post(f"/invitations/{token_mailed()}/never-again")  # Fay wants none
    ann.made(f"/games/{game}/invitations", {"account": "Dan"})
    dan.made(f"/games/{game}/seats")  # Dan sits there already
    made = [offered(game, ann, {"email": address}) for address in (ADDRESS, "fay@example.net", "new@example.net")]
    told = [{name: value for name, value in one.items() if name not in ("id", "to")} for one in made]
    assert len({str(sorted(one.keys())) for one in told}) == 1
    assert {(one["state"], one["kind"], one["settled_at"]) for one in told} == {("open", "email", None)}
    listed = ann.seen(f"/games/{game}/invitations")["items"]
    assert [one["state"] for one in listed] == ["accepted", "open", "open", "open"]


def test_at_most_ten_by_e_mail_may_be_unanswered(game: str, ann: Person, nobody: Person) -> None:
    made = [offered(game, ann, {"email": f"{number}@example.net"})["id"] for number in range(10)]
    ann.ask("DELETE", f"/games/{game}/invitations/{made[0]}")  # the mail is sent all the same
    problem(ann.post(f"/games/{game}/invitations", {"email": ADDRESS}), 409, "too-many-invitations")
    offered(game, ann, {"link": True})
    token = next(mail.payload["token"] for mail in mails() if mail.payload and mail.payload["invitation"] == made[1])
    nobody.made(f"/invitations/{token}/refusal")
    offered(game, ann, {"email": ADDRESS})
    with transaction() as session:
        session.execute(update(Invitation).values(created_at=clock.now() - invitations.LIFE))
    offered(game, ann, {"email": "later@example.net"})


def test_at_most_three_mails_a_week_go_to_an_address_and_nobody_is_told(app: Flask) -> None:
    hosts = [signed_in(app, f"Host{number}") for number in range(4)]
    made = [offered(private_game(host), host, {"email": ADDRESS}) for host in hosts]
    assert [one["state"] for one in made] == ["open"] * 4
    assert [fate(mail) for mail in mails()] == [None, None, None, "limit-of-address"]
    with transaction() as session:
        session.execute(update(Invitation).values(mailed_at=clock.now() - timedelta(days=7)))
    offered(private_game(hosts[0]), hosts[0], {"email": ADDRESS})
    assert [fate(mail) for mail in mails()][-1] is None


def test_withdrawing_does_not_free_the_address_for_another_mail(app: Flask, ann: Person) -> None:
    for _ in range(4):
        game = private_game(ann)
        offer = offered(game, ann, {"email": ADDRESS})["id"]
        ann.ask("DELETE", f"/games/{game}/invitations/{offer}")
    offered(private_game(ann), ann, {"email": ADDRESS})
    assert [fate(mail) for mail in mails()] == ["settled"] * 4 + ["limit-of-address"]


def test_never_again_is_one_call_and_for_ever(game: str, ann: Person, bob: Person, nobody: Person) -> None:
    offered(game, ann, {"email": ADDRESS})
    token = token_mailed()
    for _ in range(2):
        assert nobody.post(f"/invitations/{token}/never-again").json["state"] == "refused"
    with reading() as session:
        assert session.scalar(select(func.count()).select_from(NeverInvite)) == 1
        assert ADDRESS not in session.scalars(select(NeverInvite.email_digest)).one()
    made = offered(private_game(bob), bob, {"email": ADDRESS})
    assert made["state"] == "open"
    assert [fate(mail) for mail in mails()] == ["settled", "never-again"]


def test_the_wish_for_none_counts_for_an_old_invitation_too(game: str, ann: Person, nobody: Person) -> None:
    offer = offered(game, ann, {"email": ADDRESS})["id"]
    ann.ask("DELETE", f"/games/{game}/invitations/{offer}")
    assert nobody.post(f"/invitations/{token_mailed()}/never-again").json["state"] == "withdrawn"
    offered(game, ann, {"email": ADDRESS})
    assert [fate(mail) for mail in mails()][-1] == "never-again"


# By link


def test_a_link_is_shown_once_and_good_for_one_seat(
    game: str, ann: Person, bob: Person, eve: Person, nobody: Person
) -> None:
    made = offered(game, ann, {"link": True})
    assert made["link"].endswith(f"/v1/invitations/{made['token']}") and made["to"] is None
    assert ann.seen(f"/games/{game}/invitations")["items"] == [{**made, "token": None, "link": None}]
    assert nobody.seen(f"/invitations/{made['token']}")["inviter"] == "Ann"
    problem(nobody.get(f"/games/{game}"), 404, "unknown-game")
    problem(bob.post(f"/games/{game}/seats"), 404, "unknown-game")
    assert bob.post(f"/invitations/{made['token']}/acceptance").status_code == 201
    problem(eve.post(f"/invitations/{made['token']}/acceptance"), 409, "invitation-closed")


def test_a_link_is_refused_without_an_account_and_has_no_address(game: str, ann: Person, nobody: Person) -> None:
    token = offered(game, ann, {"link": True})["token"]
    problem(nobody.post(f"/invitations/{token}/never-again"), 409, "not-invited-by-mail")
    for _ in range(2):
        assert nobody.post(f"/invitations/{token}/refusal").json["state"] == "refused"
    assert ann.seen(f"/games/{game}/invitations")["items"][0]["state"] == "refused"


def test_the_same_request_makes_one_link_and_shows_it_once(game: str, ann: Person) -> None:
    first, again = (
        ann.post(f"/games/{game}/invitations", {"link": True}, headers={"Idempotency-Key": "1"}) for _ in range(2)
    )
    assert again.headers["Idempotency-Replayed"] == "true" and first.headers["Cache-Control"] == "no-store"
    assert again.json == {**first.json, "token": None, "link": None}


def test_the_same_acceptance_takes_one_seat(game: str, ann: Person, bob: Person) -> None:
    token = offered(game, ann, {"link": True})["token"]
    first, again = (bob.post(f"/invitations/{token}/acceptance", headers={"Idempotency-Key": "1"}) for _ in range(2))
    assert (first.status_code, again.status_code, first.json) == (201, 201, again.json)
    problem(bob.post(f"/invitations/{token}/acceptance"), 409, "invitation-closed")


# Whatever the way


def test_an_invitation_ends_with_its_time(game: str, ann: Person, bob: Person) -> None:
    token = offered(game, ann, {"link": True})["token"]
    offered(game, ann, {"account": "Bob"})
    with transaction() as session:
        session.execute(update(Invitation).values(expires_at=clock.now()))
    assert problem(bob.post(f"/invitations/{token}/acceptance"), 409, "invitation-closed")["state"] == "expired"
    problem(bob.post(f"/invitations/{token}/refusal"), 409, "invitation-closed")
    problem(bob.get(f"/games/{game}"), 404, "unknown-game")
    assert bob.seen("/me/invitations")["items"] == []
    assert {one["state"] for one in ann.seen(f"/games/{game}/invitations")["items"]} == {"expired"}


@pytest.mark.parametrize("end", ["start", "cancellation"])
def test_an_invitation_ends_with_the_start_or_the_end_of_its_game(
    end: str, app: Flask, ann: Person, bob: Person, nobody: Person
) -> None:
    game = private_game(ann, seats=2)
    token = offered(game, ann, {"email": ADDRESS}) and token_mailed()
    offered(game, ann, {"account": "Bob"})
    if end == "start":
        bob.made(f"/games/{game}/seats")
    else:
        ann.ask("DELETE", f"/games/{game}")
        problem(bob.get(f"/games/{game}"), 404, "unknown-game")
    assert nobody.seen(f"/invitations/{token}")["state"] == "expired"
    with reading() as session:
        assert session.scalars(select(Invitation.email)).all() == [None, None]


def test_an_invitation_is_withdrawn_by_the_host(game: str, ann: Person, bob: Person) -> None:
    offer = offered(game, ann, {"account": "Bob"})["id"]
    for _ in range(2):
        assert ann.ask("DELETE", f"/games/{game}/invitations/{offer}").status_code == 204
    problem(bob.get(f"/games/{game}"), 404, "unknown-game")
    assert problem(bob.post(f"/invitations/{offer}/acceptance"), 409, "invitation-closed")["state"] == "withdrawn"
    offered(game, ann, {"account": "Bob"})
    bob.made(f"/games/{game}/seats")
    (_, second) = ann.seen(f"/games/{game}/invitations")["items"]
    problem(ann.ask("DELETE", f"/games/{game}/invitations/{second['id']}"), 409, "invitation-closed")


def test_inviting_is_for_the_host_and_before_the_start(game: str, ann: Person, bob: Person, eve: Person) -> None:
    offered(game, ann, {"account": "Bob"})
    bob.made(f"/games/{game}/seats")
    problem(bob.post(f"/games/{game}/invitations", {"link": True}), 403, "not-the-host")
    problem(bob.get(f"/games/{game}/invitations"), 403, "not-the-host")
    problem(eve.post(f"/games/{game}/invitations", {"link": True}), 404, "unknown-game")
    problem(eve.get(f"/games/{game}/invitations"), 404, "unknown-game")
    mine = private_game(bob)
    other = offered(mine, bob, {"link": True})["id"]
    problem(ann.ask("DELETE", f"/games/{game}/invitations/{other}"), 404, "unknown-invitation")
    ann.made(f"/games/{game}/start")
    problem(ann.post(f"/games/{game}/invitations", {"link": True}), 409, "game-started")


def test_a_full_table_takes_no_invited_player(ann: Person, bob: Person, eve: Person) -> None:
    game = private_game(ann, seats=2, start="host")
    tokens = [offered(game, ann, {"link": True})["token"] for _ in range(2)]
    bob.made(f"/invitations/{tokens[0]}/acceptance")
    problem(bob.post(f"/invitations/{tokens[1]}/acceptance"), 409, "already-seated")
    problem(eve.post(f"/invitations/{tokens[1]}/acceptance"), 409, "no-free-seat")
    assert eve.seen(f"/invitations/{tokens[1]}")["state"] == "open"


def test_who_is_invited_commits_to_entropy_like_everybody(ann: Person, bob: Person) -> None:
    token = offered(private_game(ann), ann, {"link": True})["token"]
    seats = bob.made(f"/invitations/{token}/acceptance", {"entropy_commitment": "0" * 64})["players"]
    assert seats[1]["entropy"] == "committed"


@on_one_database
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"link": False},
        {"account": "Bob", "email": ADDRESS},
        {"account": "Bob", "link": True},
        {"account": ""},
        {"account": "x" * 81},
        {"account": 7},
        {"account": None},
        {"account": "a\nb"},
        {"email": "nobody"},
        {"email": "a@[127.0.0.1]"},
        {"email": "a\u202e@example.net"},
        {"email": "a" * 250 + "@example.net"},
        {"link": 1},
        {"link": "true"},
        {"email": ADDRESS, "language": "de"},
        {"account": "Bob", "language": "ru"},
        {"link": True, "text": "Buy!"},
    ],
)
def test_an_invitation_that_cannot_be_is_not_made(body: dict[str, Any], game: str, ann: Person, bob: Person) -> None:
    answer = ann.post(f"/games/{game}/invitations", body)
    assert answer.status_code == 422 and answer.json["code"] in ("invalid-body", "unknown-body-key")
    assert ann.seen(f"/games/{game}/invitations")["items"] == [] and not list(mails())


@on_one_database
@pytest.mark.parametrize("token", ["x", "i_aaaaaaaaaaaaaaaaaaaaaaaaaa", "%00", "ё", "a" * 5000])
def test_a_token_that_was_never_made_opens_nothing(token: str, bob: Person, nobody: Person) -> None:
    for who in (bob, nobody):
        problem(who.get(f"/invitations/{token}"), 404, "unknown-invitation")
        problem(who.post(f"/invitations/{token}/refusal"), 404, "unknown-invitation")
        problem(who.post(f"/invitations/{token}/never-again"), 404, "unknown-invitation")
    problem(bob.post(f"/invitations/{token}/acceptance"), 404, "unknown-invitation")


@on_one_database
def test_no_token_is_stored_or_logged(game: str, ann: Person, bob: Person, capfd: pytest.CaptureFixture[str]) -> None:
    token = offered(game, ann, {"link": True})["token"]
    bob.seen(f"/invitations/{token}")
    bob.made(f"/invitations/{token}/acceptance")
    with reading() as session:
        row = session.scalars(select(Invitation)).one()
        assert token not in str(vars(row)) and row.token_digest in str(vars(row))
    out, err = capfd.readouterr()
    assert "/v1/invitations/<string:token>" in out + err and token not in out + err


def test_lists_of_invitations_are_paged(game: str, ann: Person) -> None:
    made = [offered(game, ann, {"link": True})["id"] for _ in range(3)]
    first = ann.seen(f"/games/{game}/invitations?limit=2")
    second = ann.seen(f"/games/{game}/invitations?limit=2&cursor={first['next_cursor']}")
    assert [one["id"] for one in (*first["items"], *second["items"])] == made and second["next_cursor"] is None
