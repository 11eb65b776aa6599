"""The settings of one process, read once from the environment. The web, the workers and the launcher share this type."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parseaddr
from pathlib import Path
from typing import NoReturn
from urllib.parse import SplitResult, urlsplit

from cryptography.fernet import Fernet
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

PREFIX = "GALAPOST_"
NAMES = frozenset(
    PREFIX + name
    for name in (
        *("HOME", "PORT", "URL", "DATABASE", "BROKER", "SMTP", "MAIL_FROM", "SECRET_KEY", "WEBHOOKS_TO_LOOPBACK"),
        *("BIND", "WEB_PROCESSES"),  # read by server/gunicorn.py
    )
)


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
        """What is empty counts as absent. Raises ValueError for a setting that cannot work; OSError for such a home."""
        given = {name: value.strip() for name, value in environ.items() if name in NAMES and value.strip()}
        home = Path(given.get("GALAPOST_HOME", "var")).resolve()
        port = _port(given.get("GALAPOST_PORT", "8000"))
        return cls(
            home=home,
            port=port,
            url=_public_url(given.get("GALAPOST_URL", f"http://127.0.0.1:{port}")),
            database=_database_url(given.get("GALAPOST_DATABASE", f"sqlite:///{home}/galapost.db")),
            broker=_broker(given.get("GALAPOST_BROKER", "redis://127.0.0.1:6379/0")),
            smtp=_smtp(given["GALAPOST_SMTP"]) if "GALAPOST_SMTP" in given else None,
            mail_from=_mail_from(given.get("GALAPOST_MAIL_FROM", "Galapost <galapost@localhost>")),
            webhooks_to_loopback=_switch(given.get("GALAPOST_WEBHOOKS_TO_LOOPBACK", "0")),
            secret_key=given.get("GALAPOST_SECRET_KEY") or _kept_secret(home),  # last: it may write a file
        )

    def check_secret_key(self) -> None:
        """Raises ValueError for a key that seals nothing. Apart, since what seals nothing runs without a true one."""
        try:
            Fernet(self.secret_key)
        except ValueError:
            came = f"{len(self.secret_key)} characters that are none"  # never the value itself
            _wrong(
                "SECRET_KEY", f"a Fernet key (44 characters, 32 bytes in URL-safe base64; {HOW_TO_MAKE_A_KEY})", came
            )


HOW_TO_MAKE_A_KEY = "without the variable one is made and kept in GALAPOST_HOME/secret.key"


def unknown_names(environ: Mapping[str, str]) -> list[str]:
    """Variables that look like ours and that nothing reads: most likely misspelt."""
    return sorted(name for name in environ if name.startswith(PREFIX) and name not in NAMES)


def _wrong(name: str, expected: str, came: str) -> NoReturn:
    raise ValueError(f"{PREFIX}{name}: expected {expected}; came {came}") from None


def _scheme(url: str) -> str:
    """All that may be shown of an address: the rest may hold a password."""
    found = re.match(r"[A-Za-z][A-Za-z0-9+.-]{0,20}://", url)
    return f"one that begins with {found.group()}" if found else "one that begins with no scheme"


def _split(url: str, schemes: tuple[str, ...]) -> SplitResult | None:
    """The parts of an address with one of these schemes, a host, and a port where there is one; else None."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0  # .port raises beyond 65535
    except ValueError:
        return None
    return parts if good and not re.search(r"\s", url) else None


def _port(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,5}", text) or not 1 <= int(text) <= 65535:
        _wrong("PORT", "a number from 1 to 65535", repr(text[:40]))
    return int(text)


def _public_url(url: str) -> str:
    parts = _split(url, ("http", "https"))
    if parts is None or parts.query or parts.fragment or parts.username is not None:
        _wrong("URL", "http://HOST[:PORT] or https://HOST[:PORT], with a path at most", _scheme(url))
    return url.rstrip("/")


def _database_url(text: str) -> str:
    """Everybody writes `postgresql://`; SQLAlchemy would read that as psycopg2, which we don't install."""
    url = re.sub(r"\Apostgres(ql)?://", "postgresql+psycopg://", text)
    if not _is_database(url):
        _wrong("DATABASE", "sqlite:///FILE or postgresql://[USER:PASSWORD@]HOST[:PORT]/NAME", _scheme(text))
    return url


def _is_database(text: str) -> bool:
    try:
        url: URL = make_url(text)
    except (ArgumentError, ValueError):
        return False
    if url.drivername == "sqlite":
        return bool(url.database) and url.database != ":memory:"  # several processes share it
    return url.drivername == "postgresql+psycopg"


def _broker(url: str) -> str:
    if _split(url, ("redis", "rediss")) is None:
        _wrong("BROKER", "redis://[USER:PASSWORD@]HOST[:PORT]/NUMBER or rediss://...", _scheme(url))
    return url


def _smtp(url: str) -> str:
    if _split(url, ("smtp", "smtp+starttls", "smtps")) is None:
        expected = "smtp://, smtp+starttls:// or smtps://, and then [USER:PASSWORD@]HOST[:PORT]"
        _wrong("SMTP", expected, _scheme(url))
    return url


def _mail_from(text: str) -> str:
    local, _, domain = parseaddr(text)[1].rpartition("@")
    if not local or not domain or re.search(r"[\r\n]", text):
        _wrong("MAIL_FROM", "an address, as in 'Galapost <galapost@example.org>'", ascii(text[:80]))
    return text


def _switch(text: str) -> bool:
    if text not in ("0", "1"):
        _wrong("WEBHOOKS_TO_LOOPBACK", "1 (or nothing, or 0)", ascii(text[:40]))
    return text == "1"


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
