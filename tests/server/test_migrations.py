"""The migrations make exactly the tables that the models describe, on both databases."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import CheckConstraint, inspect

from server import database, migrate
from server.models import Base


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
