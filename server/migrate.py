"""`python -m server.migrate` brings the database to the newest tables; `head` and `current` tell whether it is there."""

from __future__ import annotations

import sys
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

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


def main() -> int:
    """1 with one clear line for what is the operator's to mend."""
    try:
        settings = Settings.from_env()
        settings.check_secret_key()
        print(f"database at {_bring_up(settings.database)}")
    except (ValueError, OSError) as error:
        return _fail(f"a setting is wrong: {error}")
    except CommandError as error:
        return _fail(f"the database is not one of this program: {error}")
    except SQLAlchemyError as error:
        return _fail(f"the database of GALAPOST_DATABASE cannot be used: {_reason(error)}")
    return 0


def _bring_up(url: str) -> str | None:
    file = make_url(url).database
    if url.startswith("sqlite") and file:
        Path(file).parent.mkdir(parents=True, exist_ok=True)
    upgrade(url)
    database.connect(url)
    with database.reading() as session:
        return current(session.connection())


def _reason(error: SQLAlchemyError) -> str:
    """What the driver says, without SQLAlchemy's statement and link."""
    return " ".join(str(error.orig if isinstance(error, DBAPIError) else error).split())


def _fail(line: str) -> int:
    print(line, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
