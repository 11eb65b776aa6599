"""`python -m server.migrate` brings the database to the newest tables; `head` and `current` tell whether it is there."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, make_url

from server import database
from server.config import Settings

MIGRATIONS = Path(__file__).parent / "migrations"


def alembic_config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    return config


def head() -> str | None:
    return ScriptDirectory.from_config(alembic_config()).get_current_head()


def current(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def upgrade(url: str) -> None:
    """All migrations that are missing, in one transaction where the database can."""
    config = alembic_config()
    config.attributes["url"] = url
    command.upgrade(config, "head")


def main() -> None:
    settings = Settings.from_env()
    file = make_url(settings.database).database
    if settings.database.startswith("sqlite") and file:
        Path(file).parent.mkdir(parents=True, exist_ok=True)
    upgrade(settings.database)
    database.connect(settings.database)
    with database.reading() as session:
        print(f"database at {current(session.connection())}")


if __name__ == "__main__":
    main()
