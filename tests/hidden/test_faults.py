"""When something breaks, what was hidden stays hidden: an error names its kind and its place, never a card."""

from __future__ import annotations

import json

import pytest
from flask import Flask
from sqlalchemy import update

from engine import asked
from server import clock
from server.database import transaction
from server.models import Game
from server.services import auditing, dispatching
from server.services.dispatching import Parcel
from server.services.settling import Outcome
from tests.hidden.houses import write_in_vain
from tests.hidden.tables import NOW, Table, account_ids, lay_out, table_after
from tests.playing import Person, on_one_database, signed_in

STRANGE = "strange-card"  # in a hand, and unknown to the engine: a deck list that was changed, say


@pytest.fixture
def people(app: Flask, monkeypatch: pytest.MonkeyPatch) -> list[Person]:
    monkeypatch.setattr(clock, "now", lambda: NOW)
    return [signed_in(app, name) for name in ("Ada", "Ben")]


@pytest.fixture
def broken(people: list[Person]) -> Table:
    """A game of two in which the seat that is not asked holds a card that the engine can't read."""
    table = table_after(0, 2)
    lay_out(table, account_ids([person.name for person in people]), table.state)
    with transaction() as session:
        row = session.get_one(Game, table.id)
        stored = json.loads(str(row.state))
        stored["players"][1 - (asked(table.state) or 0)]["hand"][0] = STRANGE
        session.execute(update(Game).values(state=json.dumps(stored)))
    return table


def player(table: Table, people: list[Person]) -> Person:
    return people[asked(table.state) or 0]


@on_one_database
@pytest.mark.parametrize("door", ["/view", "/view.svg", "/legal-moves"])
def test_an_internal_error_tells_the_caller_no_card(people: list[Person], broken: Table, door: str) -> None:
    for person in people:
        answer = person.get(f"/games/{broken.id}{door}")
        assert answer.status_code in (409, 500)
        assert STRANGE not in f"{answer.headers} {answer.text}"
    answer = player(broken, people).post(f"/games/{broken.id}/moves", {"decision": broken.decision, "move": "pass"})
    assert answer.status_code == 500 and STRANGE not in answer.text


@on_one_database
def test_an_internal_error_tells_the_log_no_card(
    people: list[Person], broken: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    assert player(broken, people).get(f"/games/{broken.id}/view").status_code == 500
    logged = capsys.readouterr().out
    assert "unforeseen" in logged and "BadDump" in logged
    assert STRANGE not in logged


@on_one_database
def test_a_letter_that_can_not_be_written_tells_the_log_no_card(
    app: Flask, broken: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not dispatching.run(_send, app.config["GALAPOST"])
    logged = capsys.readouterr().out
    assert "a message could not be made" in logged
    assert STRANGE not in logged


@on_one_database
def test_a_letter_that_can_not_be_answered_tells_the_log_no_card(
    people: list[Person], broken: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    seat = asked(broken.state) or 0
    write_in_vain(seat, account_ids([people[seat].name])[0])
    logged = capsys.readouterr().out
    assert "a letter could not be settled" in logged and "BadDump" in logged
    assert STRANGE not in logged


@on_one_database
def test_orders_that_can_not_be_given_tell_no_card(
    people: list[Person], broken: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = player(broken, people).ask("PUT", f"/games/{broken.id}/orders", json={"lines": ["pass"]})
    assert answer.status_code == 500 and STRANGE not in answer.text
    assert STRANGE not in capsys.readouterr().out


@on_one_database
def test_the_audit_cries_out_without_a_card(broken: Table, capsys: pytest.CaptureFixture[str]) -> None:
    assert not auditing.audit(broken.id)
    logged = capsys.readouterr().out
    assert broken.id in logged and STRANGE not in logged


def _send(parcel: Parcel) -> Outcome:
    assert parcel.channel == "email" and STRANGE not in parcel.body
    return Outcome("sent")
