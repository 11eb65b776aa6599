"""The settings of one process, read once from the environment. The web, the workers and the launcher share this type."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cryptography.fernet import Fernet


@dataclass(frozen=True)
class Settings:
    home: Path
    port: int
    url: str  # public address, without a trailing slash; makes every link
    database: str  # SQLAlchemy URL
    broker: str
    smtp: str | None  # absent: mail goes to a maildir under `home`
    mail_from: str
    secret_key: str  # a Fernet key
    webhooks_to_loopback: bool  # development only

    @classmethod
    def from_env(cls, environ: Mapping[str, str] = os.environ) -> Settings:
        home = Path(environ.get("GALAPOST_HOME", "var")).resolve()
        port = int(environ.get("GALAPOST_PORT", "8000"))
        return cls(
            home=home,
            port=port,
            url=environ.get("GALAPOST_URL", f"http://127.0.0.1:{port}").rstrip("/"),
            database=_database_url(environ.get("GALAPOST_DATABASE") or f"sqlite:///{home}/galapost.db"),
            broker=environ.get("GALAPOST_BROKER") or "redis://127.0.0.1:6379/0",
            smtp=environ.get("GALAPOST_SMTP") or None,
            mail_from=environ.get("GALAPOST_MAIL_FROM") or "Galapost <galapost@localhost>",
            secret_key=environ.get("GALAPOST_SECRET_KEY") or _kept_secret(home),
            webhooks_to_loopback=environ.get("GALAPOST_WEBHOOKS_TO_LOOPBACK") == "1",
        )


def _database_url(url: str) -> str:
    """Everybody writes `postgresql://`; SQLAlchemy would read that as psycopg2, which we don't install."""
    for prefix in ("postgresql://", "postgres://"):
        if url.startswith(prefix):
            return "postgresql+psycopg://" + url.removeprefix(prefix)
    return url


def _kept_secret(home: Path) -> str:
    """The key in HOME/secret.key, made at the first call."""
    path = home / "secret.key"
    if not path.exists():
        _make_secret(path)
    return path.read_text().strip()


def _make_secret(path: Path) -> None:
    """Written aside and linked into place, so that of several processes starting together one wins and none reads half a key."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(Fernet.generate_key() + b"\n")
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
