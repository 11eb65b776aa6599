"""Alembic's entry. It gets the URL from `server.migrate`, never from a file of its own."""

from alembic import context
from sqlalchemy import create_engine

from server.config import Settings
from server.models import Base


def run() -> None:
    url = context.config.attributes.get("url") or Settings.from_env().database
    with create_engine(url).connect() as connection:
        # SQLite can't alter a table: batch mode copies it.
        context.configure(
            connection=connection,
            target_metadata=Base.metadata,
            render_as_batch=True,
            compare_type=True,
        )
        with context.begin_transaction():
            context.run_migrations()


run()
