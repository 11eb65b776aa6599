"""What came of a send is written down, also when the database was away at that moment."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import update
from sqlalchemy.exc import OperationalError

from server import clock
from server.config import Settings
from server.database import transaction
from server.models import Delivery, Game
from server.services import dispatching, settling
from server.services.settling import Outcome
from tests.workers import rows

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def tries(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether the database answers, try by try, and then always."""
    answers: list[bool] = []
    real = settling.settle

    def settle(*arguments: Any) -> bool:
        if answers and not answers.pop(0):
            raise OperationalError("BEGIN", {}, Exception("away"))
        return real(*arguments)

    monkeypatch.setattr(settling, "settle", settle)
    monkeypatch.setattr(dispatching, "RECORD_AGAIN", (0.0, 0.0))
    return answers


def test_a_database_that_is_away_for_a_moment_costs_no_second_copy(tries: list[bool], settings: Settings) -> None:
    tries += [False, False, True]
    rows.codes(1)
    dispatching.run(lambda parcel: Outcome("sent"), settings)
    assert [attempt.outcome for attempt in rows.attempts()] == ["sent"] and rows.only_delivery().state == "sent"


def test_one_that_stays_away_leaves_the_row_to_its_lease(tries: list[bool], settings: Settings) -> None:
    tries += [False] * 3
    rows.codes(1)
    dispatching.run(lambda parcel: Outcome("sent"), settings)
    assert [attempt.outcome for attempt in rows.attempts()] == [None] and rows.only_delivery().state == "leased"


def test_an_attempt_that_was_cut_off_is_ambiguous_also_when_no_other_follows(settings: Settings) -> None:
    with transaction() as session:
        anna, boris = rows.account(session, "anna"), rows.account(session, "boris", None)
        rows.endpoint(session, boris, "http://127.0.0.1:1/")
        rows.ask(session, rows.game(session, anna, boris), "B")
    first = rows.claim_one()
    assert dispatching.prepare(first, settings) is not None  # and its worker dies
    with transaction() as session:
        session.execute(update(Game).values(decision=7))
    with transaction() as session:
        session.execute(update(Delivery).values(lease_until=clock.now()))
    dispatching.prepare(rows.claim_one(), settings)
    assert [attempt.outcome for attempt in rows.attempts()] == ["ambiguous"]
    assert rows.only_delivery().state == "obsolete"
