"""Games that don't start end after 14 days."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select, update

from server import clock
from server.database import reading, transaction
from server.models import Delivery, Game, Invitation
from server.services import lobby
from tests.playing import Person, problem, running_game

DAYS = timedelta(days=14)


def made_before(game: str, age: timedelta) -> None:
    with transaction() as session:
        session.execute(update(Game).where(Game.id == game).values(created_at=clock.now() - age))


@pytest.fixture
def overdue(ann: Person, bob: Person) -> Iterator[str]:
    game = ann.made("/games", {"seats": 3})["id"]
    bob.made(f"/games/{game}/seats")
    ann.made(f"/games/{game}/invitations", {"email": "dan@example.net"})
    made_before(game, DAYS)
    yield game


def test_a_game_that_has_not_started_in_time_is_cancelled(overdue: str, ann: Person, eve: Person) -> None:
    assert lobby.expire() == 1
    seen = ann.seen(f"/games/{overdue}")
    assert (seen["status"], seen["ended_by"]) == ("cancelled", "expiry")
    problem(eve.post(f"/games/{overdue}/seats"), 409, "game-over")
    assert lobby.expire() == 0


def test_all_who_sat_there_are_told_once(overdue: str) -> None:
    lobby.expire(), lobby.expire()
    with reading() as session:
        told = session.scalars(select(Delivery.seat).where(Delivery.kind == "game_cancelled").order_by(Delivery.seat))
        assert list(told) == ["A", "B"]
        assert session.scalars(select(Invitation.state)).all() == ["expired"]


def test_a_game_that_runs_or_is_younger_goes_on(ann: Person, bob: Person) -> None:
    running, young = running_game(ann, bob), ann.made("/games", {"seats": 2})["id"]
    made_before(running, 2 * DAYS)
    made_before(young, DAYS - timedelta(minutes=1))
    assert lobby.expire() == 0
    assert [ann.seen(f"/games/{game}")["status"] for game in (running, young)] == ["running", "open"]


def test_an_invitation_that_nobody_answered_loses_its_address(ann: Person) -> None:
    game = ann.made("/games", {"seats": 2})["id"]
    ann.made(f"/games/{game}/invitations", {"email": "dan@example.net"})
    with transaction() as session:
        session.execute(update(Invitation).values(expires_at=clock.now()))
    lobby.expire()
    with reading() as session:
        row = session.scalars(select(Invitation)).one()
    assert (row.state, row.email) == ("expired", None) and isinstance(row.settled_at, datetime)
    assert ann.seen(f"/games/{game}")["status"] == "open"
