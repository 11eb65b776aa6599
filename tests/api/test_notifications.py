"""What I want to be told: every field, what it must not be, versions, and one game at a time."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from server import clock
from server.config import Settings
from server.database import reading, transaction
from server.models import Account, Delivery, Timer
from server.services import letters, preferences
from tests.playing import Person, attack, on_one_database, problem, running_game, whose_turn

ME = "/me/notifications"


def put(who: Person, wish: Any, **how: Any) -> Any:
    return who.ask("PUT", ME, json=wish, **how)


def mails(who: Person, **where: Any) -> list[Delivery]:
    with reading() as session:
        account = session.query(Account).filter_by(name=who.name).one()
        wanted = select(Delivery).where(Delivery.account_id == account.id, Delivery.channel == "email")
        found = [row for row in session.scalars(wanted) if all(getattr(row, key) == at for key, at in where.items())]
        session.expunge_all()
        return found


@on_one_database
def test_by_default_everything_comes_at_once_but_mails_about_attacks(ann: Person) -> None:
    told = ann.seen(ME)
    assert told["kinds"]["your_turn"] == {"email": "immediate", "webhook": "immediate"}
    assert told["kinds"]["attacked"] == {"email": "off", "webhook": "immediate"}
    assert told["kinds"]["player_resigned"] == {"webhook": "immediate"}
    assert {key: told[key] for key in ("quiet_hours", "digest_at", "delay", "reminders")} == {
        "quiet_hours": None,
        "digest_at": "18:00",
        "delay": "PT0S",
        "reminders": ["P2D"],
    }


def test_what_is_put_is_what_is_got_and_can_be_put_again(ann: Person) -> None:
    wish = {
        "kinds": {"message": {"email": "digest", "webhook": "off"}, "your_turn": {"email": "off"}},
        "quiet_hours": {"from": "22:00", "until": "07:30"},
        "digest_at": "08:15",
        "delay": "PT5M",
        "reminders": ["P3D", "PT90M"],
    }
    told = put(ann, wish).json
    assert told["kinds"]["message"] == {"email": "digest", "webhook": "off"}
    assert told["kinds"]["your_turn"] == {"email": "off", "webhook": "immediate"}
    assert (told["quiet_hours"], told["digest_at"]) == (wish["quiet_hours"], "08:15")
    assert (told["delay"], told["reminders"]) == ("PT5M", ["PT1H30M", "P3D"])
    assert put(ann, told).json == told == ann.seen(ME)


def test_what_a_put_leaves_out_is_as_by_default_and_what_a_patch_leaves_out_stays(ann: Person) -> None:
    wish = {"kinds": {"message": {"email": "off"}}, "delay": "PT1H", "reminders": []}
    put(ann, wish)
    changed = ann.ask("PATCH", ME, json={"kinds": {"message": {"webhook": "off"}}, "digest_at": "09:00"}).json
    assert changed["kinds"]["message"] == {"email": "off", "webhook": "off"}
    assert (changed["delay"], changed["reminders"], changed["digest_at"]) == ("PT1H", [], "09:00")
    whole = put(ann, {}).json
    assert whole["kinds"]["message"] == {"email": "immediate", "webhook": "immediate"}
    assert (whole["delay"], whole["reminders"], whole["digest_at"]) == ("PT0S", ["P2D"], "18:00")


@on_one_database
@pytest.mark.parametrize(
    ("wish", "pointer"),
    [
        ({"kinds": {"your_turn": {"email": "never"}}}, "/kinds/your_turn/email"),
        ({"kinds": {"your_turn": {"email": None}}}, "/kinds/your_turn/email"),
        ({"kinds": {"your_turn": {"webhook": "digest"}}}, "/kinds/your_turn/webhook"),
        ({"kinds": {"your_turn": {"sms": "off"}}}, "/kinds/your_turn/sms"),
        ({"kinds": {"player_resigned": {"email": "off"}}}, "/kinds/player_resigned/email"),
        ({"kinds": {"verification": {"email": "off"}}}, "/kinds/verification"),
        ({"kinds": {"your_turn": "off"}}, "/kinds/your_turn"),
        ({"kinds": []}, "/kinds"),
        ({"kinds": None}, "/kinds"),
        ({"quiet_hours": {"from": "22:00"}}, "/quiet_hours/until"),
        ({"quiet_hours": {"from": "22:00", "until": "22:00"}}, "/quiet_hours/until"),
        ({"quiet_hours": {"from": "24:00", "until": "06:00"}}, "/quiet_hours/from"),
        ({"quiet_hours": {"from": "9:00", "until": "10:00"}}, "/quiet_hours/from"),
        ({"quiet_hours": {"from": "22:00\n", "until": "10:00"}}, "/quiet_hours/from"),
        ({"quiet_hours": {"from": 22, "until": "10:00"}}, "/quiet_hours/from"),
        ({"quiet_hours": {"from": "22:00", "until": "10:00", "zone": "UTC"}}, "/quiet_hours/zone"),
        ({"quiet_hours": "22:00"}, "/quiet_hours"),
        ({"quiet_hours": {"from": "17:00", "until": "19:00"}}, "/digest_at"),
        ({"quiet_hours": {"from": "22:00", "until": "07:00"}, "digest_at": "03:00"}, "/digest_at"),
        ({"digest_at": "18:60"}, "/digest_at"),
        ({"digest_at": "١٨:٠٠"}, "/digest_at"),
        ({"digest_at": None}, "/digest_at"),
        ({"delay": "P1DT1S"}, "/delay"),
        ({"delay": "-PT5M"}, "/delay"),
        ({"delay": 300}, "/delay"),
        ({"delay": "PT5M "}, "/delay"),
        ({"reminders": ["PT59M"]}, "/reminders/0"),
        ({"reminders": ["P1D", "P61D"]}, "/reminders/1"),
        ({"reminders": ["P1D", "P1DT59M"]}, "/reminders"),
        ({"reminders": ["P1D", "P1D"]}, "/reminders"),
        ({"reminders": ["P1D", "P2D", "P3D", "P4D"]}, "/reminders"),
        ({"reminders": "P1D"}, "/reminders"),
        ({"reminders": [None]}, "/reminders/0"),
        ({"sound": "loud"}, "/sound"),
    ],
)
def test_what_can_not_be_wished_is_named_and_changes_nothing(ann: Person, wish: Any, pointer: str) -> None:
    before = ann.seen(ME)
    answer = put(ann, wish)
    assert answer.status_code == 422, answer.text
    assert pointer in [error["pointer"] for error in answer.json["errors"]]
    answer = put(ann, wish, headers={"Accept-Language": "ru"})
    assert all("expected" not in error["detail"] and "known" not in error["detail"] for error in answer.json["errors"])
    assert ann.seen(ME) == before


def test_nobody_overwrites_what_he_has_not_seen(ann: Person) -> None:
    first = ann.get(ME)
    assert ann.get(ME, headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
    second = put(ann, {"delay": "PT1M"}, headers={"If-Match": first.headers["ETag"]})
    assert second.status_code == 200 and second.headers["ETag"] != first.headers["ETag"]
    late = ann.ask("PATCH", ME, json={"delay": "PT2M"}, headers={"If-Match": first.headers["ETag"]})
    problem(late, 412, "precondition-failed")
    assert ann.seen(ME)["delay"] == "PT1M"
    assert ann.get(ME).headers["ETag"] == second.headers["ETag"]


@on_one_database
def test_it_is_for_whoever_has_the_account_and_nobody_else(ann: Person, bob: Person, nobody: Person) -> None:
    put(ann, {"delay": "PT1M"})
    assert bob.seen(ME)["delay"] == "PT0S"
    problem(nobody.get(ME), 401, "token-missing")
    text = ann.made("/me/tokens", {"name": "player", "scopes": ["games:play"]})["token"]
    problem(Person(ann.app, text).ask("PUT", ME, json={}), 403, "insufficient-scope")


def test_what_a_link_switched_off_is_off_and_a_put_of_the_same_does_not_forget_by_what(ann: Person) -> None:
    with transaction() as session:
        account = session.query(Account).filter_by(name="Ann").one()
        assert preferences.turn_off(session, account, "your_turn", "email")
        assert not preferences.turn_off(session, account, "your_turn", "email")
    told = ann.seen(ME)
    assert told["kinds"]["your_turn"]["email"] == "off" and told["kinds"]["message"]["email"] == "immediate"
    put(ann, told)
    with reading() as session:
        assert session.query(preferences.Preference).one().kinds["your_turn"]["email"] == "unsubscribed"
    put(ann, {"kinds": {"your_turn": {"email": "immediate"}}})
    assert ann.seen(ME)["kinds"]["your_turn"]["email"] == "immediate"


def test_a_player_mutes_a_game_of_his_and_hears_of_it_again(ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    path = f"/games/{game}/notifications"
    first = ann.get(path)
    assert first.json == {"muted": False}
    assert ann.ask("PUT", path, json={"muted": True}).json == {"muted": True}
    assert bob.seen(path) == {"muted": False}
    assert ann.ask("PUT", path, json={"muted": True}).status_code == 200
    late = ann.ask("PUT", path, json={"muted": False}, headers={"If-Match": first.headers["ETag"]})
    problem(late, 412, "precondition-failed")
    bob.made(f"/games/{game}/messages", {"text": "hello?"})
    assert [mail.reason for mail in mails(ann, kind="message")] == ["muted"]
    ann.ask("PUT", path, json={"muted": False})
    bob.made(f"/games/{game}/messages", {"text": "hello?"})
    assert sorted(str(mail.reason) for mail in mails(ann, kind="message")) == ["None", "muted"]


@on_one_database
def test_only_a_player_mutes_a_game_and_only_by_true_or_false(ann: Person, bob: Person, eve: Person) -> None:
    path = f"/games/{running_game(ann, bob, spectators='public')}/notifications"
    problem(eve.get(path), 403, "not-a-player")
    problem(eve.ask("PUT", path, json={"muted": True}), 403, "not-a-player")
    problem(ann.get("/games/g_nothing/notifications"), 404, "unknown-game")
    for body in ({}, {"muted": "yes"}, {"muted": 1}, {"muted": None}):
        problem(ann.ask("PUT", path, json=body), 422, "invalid-body")
    problem(ann.ask("PUT", path, json={"muted": True, "why": 1}), 422, "unknown-body-key")


def test_a_move_opens_a_decision_with_its_reminders(ann: Person, bob: Person) -> None:
    for who in (ann, bob):
        put(who, {"reminders": ["PT1H", "P1D"]})
    game = running_game(ann, bob)
    player, number = whose_turn(game, ann, bob)
    player.made(f"/games/{game}/moves", {"decision": number, "move": player.legal(game)[0]})
    with reading() as session:
        found = session.execute(select(Timer.decision, Timer.step).order_by(Timer.decision, Timer.step)).all()
    assert [tuple(row) for row in found] == [(1, 3600), (1, 86400), (2, 3600), (2, 86400)]


def test_whoever_was_attacked_and_is_not_asked_is_told_if_he_wishes_so(ann: Person, bob: Person) -> None:
    put(ann, {"kinds": {"attacked": {"email": "immediate"}, "your_turn": {"email": "off"}}})
    game = running_game(ann, bob)
    attack(game, hunter=bob, prey=ann)
    (told,) = mails(ann, kind="attacked", state="due")
    with reading() as session:
        mail = letters.write(session, session.get_one(Delivery, told.id), Settings.from_env(), clock.now()).mail
    assert "You were attacked" in mail and "attacks A" in mail
    assert mails(bob, kind="attacked") == []


def test_talk_is_told_to_the_others_by_one_mail(ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    for text in ("well", "well"):
        ann.made(f"/games/{game}/messages", {"text": text})
    assert [mail.payload for mail in mails(bob, kind="message")] == [{"message": 1}]
    assert mails(ann, kind="message") == []


def test_who_wants_no_invitations_from_players_gets_none_and_the_host_sees_no_difference(
    ann: Person, bob: Person, eve: Person, app: Flask
) -> None:
    put(bob, {"kinds": {"invitation": {"email": "off"}}})
    game = ann.made("/games", {"seats": 3})["id"]
    answers = [ann.made(f"/games/{game}/invitations", {"account": who.name}) for who in (bob, eve)]
    assert [answer["state"] for answer in answers] == ["open", "open"]
    assert [mail.state for mail in mails(bob, kind="invitation")] == ["suppressed"]
    assert [mail.state for mail in mails(eve, kind="invitation")] == ["due"]
