"""The migrations make exactly the tables that the models describe, on both databases."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import CheckConstraint, inspect, select, text

from server import database, migrate
from server.database import reading, transaction
from server.models import Account, Base, Game
from tests.workers import rows


@pytest.fixture(autouse=True)
def connected(database_url: str) -> Iterator[None]:
    database.connect(
        database_url
        if database_url.startswith("sqlite")
        else database_url.replace("postgresql://", "postgresql+psycopg://")
    )
    yield
    database.disconnect()


def test_migrated_tables_are_those_of_the_models() -> None:
    with database.engine().connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, Base.metadata) == []


def test_the_constraints_that_alembic_does_not_compare_are_there_too() -> None:
    """Checks are compared by name: alembic overlooks them."""
    found = inspect(database.engine())
    for table in Base.metadata.sorted_tables:
        wanted = {str(constraint.name) for constraint in table.constraints if isinstance(constraint, CheckConstraint)}
        assert {check["name"] for check in found.get_check_constraints(table.name)} == wanted


def test_a_second_run_changes_nothing(database_url: str) -> None:
    migrate.upgrade(str(database.engine().url.render_as_string(hide_password=False)))
    with database.reading() as session:
        assert migrate.current(session.connection()) == migrate.head()


def test_a_game_of_before_there_was_entropy_is_kept() -> None:
    with transaction() as session:
        game = rows.game(session, rows.account(session, "anna"), rows.account(session, "boris")).id
    url = str(database.engine().url.render_as_string(hide_password=False))
    config = migrate.alembic_config()
    config.attributes["url"] = url
    command.downgrade(config, "0001")
    assert "entropy" not in {column["name"] for column in inspect(database.engine()).get_columns("seat")}
    migrate.upgrade(url)
    with reading() as session:
        seats = [(seat.letter, seat.entropy_commitment, seat.entropy) for seat in session.get_one(Game, game).players]
    assert seats == [("A", None, None), ("B", None, None)]


def test_accounts_whose_names_look_alike_already_keep_them() -> None:
    url = str(database.engine().url.render_as_string(hide_password=False))
    config = migrate.alembic_config()
    config.attributes["url"] = url
    command.downgrade(config, "0002")
    with database.engine().begin() as connection:
        for number, name in enumerate(("Anna", "an.na", "Boris")):
            values = f"('u_{number}', '{name}', 'en', 'person', '2026-01-0{number + 1} 12:00:00')"
            connection.execute(text(f"INSERT INTO account (id, name, language, kind, created_at) VALUES {values}"))
    migrate.upgrade(url)
    with reading() as session:
        keys = session.execute(select(Account.name, Account.name_key).order_by(Account.id)).all()
    assert [tuple(row) for row in keys] == [("Anna", "anna"), ("an.na", "anna u_1"), ("Boris", "boris")]
