"""The settings of one process, read once from the environment. The web, the workers and the launcher share this type."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import formataddr, parseaddr
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import NoReturn
from urllib.parse import SplitResult, urlsplit

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.fernet import Fernet
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

PREFIX = "GALAPOST_"
NAMES = frozenset(
    PREFIX + name
    for name in (
        *("HOME", "PORT", "URL", "DATABASE", "BROKER", "SECRET_KEY", "WEBHOOKS_TO_LOOPBACK"),
        *("SMTP", "MAIL_FROM", "MAIL_DOMAIN", "DKIM_KEY", "DKIM_SELECTOR", "MAIL_IN", "INBOUND_SECRET"),
        *("RATE_LIMITS", "TRUSTED_PROXIES", "METRICS_PORT"),
        *("BIND", "WEB_PROCESSES"),  # read by server/gunicorn.py
    )
)


MAIL_IN = "smtp://127.0.0.1:2525"
SHORTEST_SECRET = 16  # characters
RATES = {"reading": 1800, "writing": 600, "signing-in": 30}  # requests a minute
MOST_A_MINUTE = 1_000_000
SHORTEST_DKIM_KEY = 1024  # bits; those who check take none shorter
LONGEST_DOMAIN = 200  # an address of ours has 28 characters and the @ before it, and mail servers take 254
UNIX = "unix"  # in place of a network: whoever comes through a Unix socket
Network = IPv4Network | IPv6Network | str


@dataclass(frozen=True)
class Dkim:
    """What mails are signed with: a private key in PEM, and where its public half stands in the DNS."""

    file: Path
    selector: str

    def key(self) -> bytes:
        return self.file.read_bytes()


@dataclass(frozen=True)
class Settings:
    home: Path
    port: int
    url: str  # public address, without a trailing slash; makes every link
    database: str  # SQLAlchemy URL
    broker: str
    smtp: str | None  # absent: mail goes to a maildir under `home`
    mail_from: str
    mail_domain: str  # of the addresses that answer, and of every Message-ID
    dkim: Dkim | None  # absent: mails are not signed, or the mail server does it
    mail_in: str  # where mail comes in: smtp:// or lmtp://
    inbound_secret: str | None  # of who hands in mail over HTTP; absent: nobody may
    secret_key: str  # a Fernet key
    webhooks_to_loopback: bool  # development only
    rates: Mapping[str, int]  # kind of request → how many a minute; empty: as many as one likes
    trusted_proxies: tuple[Network, ...]  # whose X-Forwarded-For is believed
    metrics_port: int | None  # on loopback, for Prometheus; None: no metrics

    @classmethod
    def from_env(cls, environ: Mapping[str, str] = os.environ) -> Settings:
        """What is empty counts as absent. Raises ValueError for a setting that cannot work; OSError for such a home."""
        given = {name: value.strip() for name, value in environ.items() if name in NAMES and value.strip()}
        home = Path(given.get("GALAPOST_HOME", "var")).resolve()
        port = _port(given.get("GALAPOST_PORT", "8000"))
        mail_from = _mail_from(given.get("GALAPOST_MAIL_FROM", "Galapost <galapost@localhost>"))
        return cls(
            home=home,
            port=port,
            url=_public_url(given.get("GALAPOST_URL", f"http://127.0.0.1:{port}")),
            database=_database_url(given.get("GALAPOST_DATABASE", f"sqlite:///{home}/galapost.db")),
            broker=_broker(given.get("GALAPOST_BROKER", "redis://127.0.0.1:6379/0")),
            smtp=_smtp(given["GALAPOST_SMTP"]) if "GALAPOST_SMTP" in given else None,
            mail_from=mail_from,
            mail_domain=_mail_domain(given.get("GALAPOST_MAIL_DOMAIN") or parseaddr(mail_from)[1].rpartition("@")[2]),
            dkim=_dkim(given.get("GALAPOST_DKIM_KEY"), given.get("GALAPOST_DKIM_SELECTOR")),
            mail_in=_mail_in(given.get("GALAPOST_MAIL_IN", MAIL_IN)),
            inbound_secret=_inbound_secret(given.get("GALAPOST_INBOUND_SECRET")),
            webhooks_to_loopback=_switch(given.get("GALAPOST_WEBHOOKS_TO_LOOPBACK", "0")),
            rates=_rates(given.get("GALAPOST_RATE_LIMITS", "")),
            trusted_proxies=_networks(given.get("GALAPOST_TRUSTED_PROXIES", "")),
            metrics_port=_metrics_port(given.get("GALAPOST_METRICS_PORT", "9464")),
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

    def check_dkim_key(self) -> None:
        """Raises ValueError for a file that signs nothing. Apart, since only the workers must be able to read it."""
        if self.dkim is None:
            return
        try:
            key = load_pem_private_key(self.dkim.key(), password=None)
        except OSError as error:
            _wrong("DKIM_KEY", "a file that the workers can read", error.strerror or type(error).__name__)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            _wrong("DKIM_KEY", "a file with a private RSA key in PEM, without a password", "something else")
        if not isinstance(key, RSAPrivateKey) or key.key_size < SHORTEST_DKIM_KEY:
            _wrong("DKIM_KEY", f"an RSA key of at least {SHORTEST_DKIM_KEY} bits", "another one")


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


def _metrics_port(text: str) -> int | None:
    if text.lower() == "off":
        return None
    if not re.fullmatch(r"[0-9]{1,5}", text) or not 1 <= int(text) <= 65535:
        _wrong("METRICS_PORT", "a number from 1 to 65535, or off", repr(text[:40]))
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
    """The domain in ASCII, as every mail server takes it; what stands before the @ has no such form."""
    name, address = parseaddr(text)
    local, _, domain = address.rpartition("@")
    if not local.isascii() or not local or not domain or re.search(r"[\r\n]", text):
        _wrong("MAIL_FROM", "an address, as in 'Galapost <galapost@example.org>'", ascii(text[:80]))
    try:
        return text if domain.isascii() else formataddr((name, f"{local}@{domain.encode('idna').decode()}"))
    except UnicodeError:
        _wrong("MAIL_FROM", "an address with the name of a domain", ascii(text[:80]))


def _mail_domain(text: str) -> str:
    """In ASCII and small letters, as it stands in the addresses that we make."""
    try:
        domain = text.lower().encode("idna").decode()
    except UnicodeError:
        domain = ""
    if not re.fullmatch(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", domain) or len(domain) > LONGEST_DOMAIN:
        _wrong("MAIL_DOMAIN", "the name of a domain, as in play.example.org", ascii(text[:80]))
    return domain


def _mail_in(url: str) -> str:
    parts = _split(url, ("smtp", "lmtp"))
    if parts is None or parts.port is None or parts.username is not None or parts.path not in ("", "/"):
        _wrong("MAIL_IN", "smtp://HOST:PORT or lmtp://HOST:PORT", _scheme(url))
    return url


def _inbound_secret(text: str | None) -> str | None:
    """A short one would be found by trying."""
    if text is not None and not re.fullmatch(f"[!-~]{{{SHORTEST_SECRET},}}", text):
        came = f"{len(text)} characters"
        _wrong("INBOUND_SECRET", f"at least {SHORTEST_SECRET} characters of ASCII without spaces", came)
    return text


def _dkim(file: str | None, selector: str | None) -> Dkim | None:
    if file is None and selector is None:
        return None
    if file is None:
        _wrong("DKIM_KEY", "a file, since GALAPOST_DKIM_SELECTOR is given", "nothing")
    if selector is None or not re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?", selector):
        _wrong("DKIM_SELECTOR", "the name under which the DNS has the public key", ascii((selector or "")[:80]))
    return Dkim(Path(file), selector)


def _switch(text: str) -> bool:
    if text not in ("0", "1"):
        _wrong("WEBHOOKS_TO_LOOPBACK", "1 (or nothing, or 0)", ascii(text[:40]))
    return text == "1"


def _rates(text: str) -> dict[str, int]:
    """`off`, or the numbers that shall be others than those of RATES."""
    if text == "off":
        return {}
    rates = dict(RATES)
    for part in filter(None, re.split(r"[\s,]+", text)):
        kind, _, number = part.partition("=")
        if kind not in RATES or not re.fullmatch(r"[0-9]{1,7}", number) or not 1 <= int(number) <= MOST_A_MINUTE:
            expected = f"off, or numbers a minute such as {','.join(f'{kind}={rate}' for kind, rate in RATES.items())}"
            _wrong("RATE_LIMITS", expected, ascii(part[:40]))
        rates[kind] = int(number)
    return rates


def _networks(text: str) -> tuple[Network, ...]:
    return tuple(_network(part) for part in re.split(r"[\s,]+", text) if part)


def _network(text: str) -> Network:
    if text == UNIX:
        return UNIX
    try:
        return ip_network(text)
    except ValueError:
        expected = f"networks such as 10.0.0.0/8 or 2001:db8::/32, addresses, or `{UNIX}`, with commas between"
        _wrong("TRUSTED_PROXIES", expected, ascii(text[:60]))


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
