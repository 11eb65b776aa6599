"""The same table again."""

from __future__ import annotations

import pytest
from flask import Flask
from sqlalchemy import func, select, update

from server import clock
from server.database import reading, transaction
from server.models import Delivery, Game
from tests.playing import Person, problem, running_game, signed_in


def finished(*players: Person, **wishes: object) -> str:
    """A game that its players have played, as far as the database knows."""
    game = running_game(*players, **wishes)
    with transaction() as session:
        over = {"status": "over", "ended_at": clock.now(), "ended_by": "rules"}
        over |= {"decision": None, "asked_seat": None, "question_kind": None}
        session.execute(update(Game).where(Game.id == game).values(**over))
    return game


def games_there_are() -> int:
    with reading() as session:
        return session.scalar(select(func.count()).select_from(Game)) or 0


def test_the_first_makes_it_and_the_second_gets_the_same(ann: Person, bob: Person) -> None:
    game = finished(ann, bob, options={"deck": "classic"}, spectators="public", listed=False)
    first = bob.post(f"/games/{game}/rematch")
    assert first.status_code == 201 and first.headers["Location"] == first.json["links"]["game"]
    new = first.json
    assert (new["host"], new["seats"], new["free_seats"], new["join"]) == ("Bob", 2, 1, "invited")
    assert (new["options"]["deck"], new["spectators"], new["listed"]) == ("classic", "public", False)
    second = ann.post(f"/games/{game}/rematch")
    assert (second.status_code, second.json["id"], second.json["status"]) == (200, new["id"], "running")
    for player in (ann, bob):
        again = player.post(f"/games/{game}/rematch")
        assert (again.status_code, again.json["id"]) == (200, new["id"])
    assert games_there_are() == 2


def test_the_others_are_invited_and_may_also_accept_or_refuse(ann: Person, bob: Person, eve: Person) -> None:
    game = finished(ann, bob, eve)
    new = ann.made(f"/games/{game}/rematch")["id"]
    (offer,) = bob.seen("/me/invitations")["items"]
    assert (offer["inviter"], offer["game"]["id"]) == ("Ann", new)
    bob.made(f"/invitations/{offer['id']}/acceptance")
    eve.made(f"/invitations/{eve.seen('/me/invitations')['items'][0]['id']}/refusal")
    problem(eve.post(f"/games/{game}/rematch"), 403, "invitation-needed")
    assert [player["name"] for player in ann.seen(f"/games/{new}")["players"]] == ["Ann", "Bob"]
    with reading() as session:
        mailed = select(func.count()).where(Delivery.kind == "invitation", Delivery.channel == "email")
        assert session.scalar(mailed) == 2


def test_a_rematch_that_was_called_off_makes_room_for_another(ann: Person, bob: Person) -> None:
    game = finished(ann, bob)
    first = ann.made(f"/games/{game}/rematch")["id"]
    ann.ask("DELETE", f"/games/{first}")
    second = bob.post(f"/games/{game}/rematch")
    assert second.status_code == 201 and second.json["id"] != first
    assert ann.made(f"/games/{game}/rematch")["status"] == "running"


def test_a_rematch_has_a_rematch(ann: Person, bob: Person) -> None:
    game = finished(ann, bob)
    new = ann.made(f"/games/{game}/rematch")["id"]
    bob.made(f"/games/{game}/rematch")
    problem(bob.post(f"/games/{new}/rematch"), 409, "game-not-over")
    with transaction() as session:
        session.execute(update(Game).where(Game.id == new).values(status="over", ended_at=clock.now()))
    assert bob.post(f"/games/{new}/rematch").status_code == 201


def test_it_is_for_the_players_of_a_game_that_is_over(ann: Person, bob: Person, eve: Person, nobody: Person) -> None:
    running, waiting = running_game(ann, bob), ann.made("/games", {"seats": 2})["id"]
    for game in (running, waiting):
        problem(ann.post(f"/games/{game}/rematch"), 409, "game-not-over")
    game = finished(ann, bob)
    problem(eve.post(f"/games/{game}/rematch"), 403, "not-a-player")
    problem(nobody.post(f"/games/{game}/rematch"), 401, "token-missing")
    private = finished(ann, bob, listed=False)
    with transaction() as session:
        session.execute(update(Game).where(Game.id == private).values(join="invited"))
    problem(eve.post(f"/games/{private}/rematch"), 404, "unknown-game")


@pytest.mark.parametrize("body", [{"entropy_commitment": "x"}, {"seats": 2}])
def test_a_rematch_that_cannot_be_is_not_made(body: dict[str, object], ann: Person, bob: Person) -> None:
    game = finished(ann, bob)
    assert ann.post(f"/games/{game}/rematch", body).status_code == 422 and games_there_are() == 1


def test_the_same_request_tells_the_same_once_more(ann: Person, bob: Person) -> None:
    game = finished(ann, bob)
    for who, status in ((ann, 201), (bob, 200)):
        first, again = (who.post(f"/games/{game}/rematch", headers={"Idempotency-Key": "1"}) for _ in range(2))
        assert (first.status_code, again.status_code, again.json) == (status, status, first.json)
        assert again.headers["Idempotency-Replayed"] == "true" and "Idempotency-Replayed" not in first.headers


def test_a_player_whose_account_is_gone_is_not_waited_for(app: Flask, ann: Person, bob: Person) -> None:
    dan = signed_in(app, "Dan")
    game = finished(ann, bob, dan)
    dan.ask("DELETE", "/me")
    new = ann.made(f"/games/{game}/rematch")["id"]
    assert [offer["to"] for offer in ann.seen(f"/games/{new}/invitations")["items"]] == ["Bob"]


def test_a_rematch_made_and_called_off_again_and_again_is_no_way_to_write_to_somebody(ann: Person, bob: Person) -> None:
    """The first tells him; what comes after counts as any invitation: three a week to an address."""
    game = finished(ann, bob)
    for _ in range(7):
        ann.ask("DELETE", f"/games/{ann.made(f'/games/{game}/rematch')['id']}")
    with reading() as session:
        mails = session.scalars(
            select(Delivery).where(Delivery.kind == "invitation", Delivery.channel == "email")
        ).all()
        kept_back = [mail for mail in mails if (mail.payload or {}).get("beyond_limit")]
    assert (len(mails), len(kept_back)) == (7, 3)
