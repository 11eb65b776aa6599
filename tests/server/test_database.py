"""Transactions on both databases."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError, IntegrityError, StatementError

from server import database
from server.config import Settings
from server.database import reading, transaction
from server.models import Account, Token

NOON = datetime(2027, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)


@pytest.fixture(autouse=True)
def connected(database_url: str, tmp_path: object) -> Iterator[None]:
    database.connect(Settings.from_env({"GALAPOST_DATABASE": database_url, "GALAPOST_HOME": str(tmp_path)}).database)
    yield
    database.disconnect()


def account(name: str, at: datetime = NOON) -> Account:
    return Account(id=f"u_{name}", name=name, language="en", kind="bot", created_at=at)


def names() -> list[str]:
    with reading() as session:
        return sorted(session.scalars(select(Account.name)))


def test_an_exception_takes_everything_back() -> None:
    with pytest.raises(RuntimeError), transaction() as session:
        session.add(account("ann"))
        session.flush()
        raise RuntimeError("after the insert")
    assert names() == []
    with transaction() as session:
        session.add(account("ann"))
    assert names() == ["ann"]


def test_times_come_back_as_they_went_in_utc() -> None:
    with transaction() as session:
        session.add(account("ann", NOON.astimezone(timezone(timedelta(hours=3)))))
    with reading() as session:
        kept = session.scalars(select(Account.created_at)).one()
    assert kept == NOON and kept.tzinfo == UTC


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(StatementError), transaction() as session:
        session.add(account("ann", NOON.replace(tzinfo=None)))


def test_nothing_that_is_changed_while_reading_is_kept() -> None:
    with reading() as session:
        session.add(account("ann"))
        with pytest.raises(DBAPIError) if database.engine().dialect.name == "postgresql" else _nothing():
            session.flush()
    assert names() == []


def _nothing() -> object:
    from contextlib import nullcontext

    return nullcontext()


def test_foreign_keys_and_words_are_watched_over() -> None:
    token = Token(
        id="t_1", account_id="u_nobody", prefix="gp_", digest="0", name="x", scopes=[], expires_at=NOON, created_at=NOON
    )
    for wrong in (token, Account(id="u_1", name="x", language="xx", kind="bot", created_at=NOON)):
        with pytest.raises(IntegrityError), transaction() as session:
            session.add(wrong)


def test_writers_wait_for_each_other_and_none_is_lost() -> None:
    def write(number: int) -> None:
        for turn in range(5):
            with transaction() as session:
                session.add(account(f"{number}-{turn}"))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(names()) == 40


def test_a_reader_sees_one_moment() -> None:
    with reading() as session:
        assert session.scalars(select(Account.name)).all() == []
        with transaction() as other:
            other.add(account("ann"))
        assert session.scalars(select(Account.name)).all() == []
    assert names() == ["ann"]
