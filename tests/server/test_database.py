"""Transactions on both databases."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import select, text
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


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_on_sqlite_the_writers_of_one_process_wait_in_line_and_not_at_the_file(database_url: str) -> None:
    """SQLite lets whoever asks at the right moment pass: of many that ask some would wait for very long."""
    written = []

    def write() -> None:
        with database.transaction() as session:
            session.execute(text("SELECT 1"))
            written.append(1)

    with database.transaction() as session:
        session.execute(text("SELECT 1"))
        waiting = [threading.Thread(target=write) for _ in range(3)]
        for one in waiting:
            one.start()
        time.sleep(0.2)
        assert database.engine().pool.checkedout() == 1 and not written  # type: ignore[attr-defined]
    for one in waiting:
        one.join()
    assert len(written) == 3


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_who_stands_still_in_a_transaction_lets_go(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    url = database.engine().url
    monkeypatch.setattr(database, "STANDSTILL", 1)
    database.connect(url.render_as_string(hide_password=False))
    with pytest.raises(DBAPIError), database.transaction() as session:
        session.execute(text("SELECT 1"))
        time.sleep(2)
        session.execute(text("SELECT 1"))
    with database.transaction() as session:
        assert session.scalar(text("SELECT 1")) == 1
