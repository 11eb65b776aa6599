"""DKIM, checked as a receiver does, with a DNS of our own."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import dkim
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from server.config import Dkim, Settings
from server.services.dispatching import Parcel
from tests.workers.receivers import Mailbox, mail_server
from tests.workers.test_mail_parts import only, table, written
from workers.transports.email import Smtp

Dns = Callable[..., bytes]


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture(scope="module")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


@pytest.fixture
def signing(settings: Settings, key: rsa.RSAPrivateKey, tmp_path: Path) -> Settings:
    file = tmp_path / "dkim.pem"
    file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return replace(settings, mail_from="Galapost <play@example.org>", dkim=Dkim(file, "mail"))


@pytest.fixture
def dns(key: rsa.RSAPrivateKey) -> Dns:
    public = base64.b64encode(key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))
    zone = {b"mail._domainkey.example.org.": b"v=DKIM1; k=rsa; p=" + public}
    return lambda name, timeout=5: zone[name]


def on_the_wire(settings: Settings) -> bytes:
    """A real mail with a picture, as the next server has it."""
    table(language="ru")
    mail = written(settings, only("your_turn")).mail
    with mail_server(Mailbox()) as server:
        Smtp(server.url, "play@example.org").send(Parcel("email", "<one@example.org>", "anna@example.org", mail))
    content = server.envelopes[0].content
    assert isinstance(content, bytes)
    return content


def test_a_receiver_finds_the_signature_good(signing: Settings, dns: Dns) -> None:
    raw = on_the_wire(signing)
    assert dkim.verify(raw, dnsfunc=dns)
    assert raw.startswith(b"DKIM-Signature:")


@pytest.mark.parametrize("header", ["Subject", "Reply-To", "List-Unsubscribe", "List-Unsubscribe-Post", "Message-ID"])
def test_nobody_changes_what_matters_unnoticed(signing: Settings, dns: Dns, header: str) -> None:
    raw = on_the_wire(signing)
    name = f"\r\n{header}: ".encode()
    assert name in raw
    assert not dkim.verify(raw.replace(name, name + b"x", 1), dnsfunc=dns)


def test_without_a_key_nothing_is_signed(settings: Settings) -> None:
    assert b"DKIM-Signature" not in on_the_wire(settings)


def test_settings_that_can_not_sign_are_refused_at_the_start(environment: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    both = {**environment, "GALAPOST_DKIM_KEY": str(file), "GALAPOST_DKIM_SELECTOR": "mail"}
    with pytest.raises(ValueError, match="GALAPOST_DKIM_KEY: expected a file that the workers can read"):
        Settings.from_env(both).check_dkim_key()
    file.write_text("hush")
    with pytest.raises(ValueError, match="private RSA key in PEM"):
        Settings.from_env(both).check_dkim_key()
    other = ec.generate_private_key(ec.SECP256R1())
    file.write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(ValueError, match="an RSA key of at least 1024 bits"):
        Settings.from_env(both).check_dkim_key()


@pytest.mark.parametrize("alone", ["GALAPOST_DKIM_KEY", "GALAPOST_DKIM_SELECTOR"])
def test_a_key_and_its_selector_go_together(environment: dict[str, str], alone: str) -> None:
    with pytest.raises(ValueError, match="GALAPOST_DKIM_"):
        Settings.from_env({**environment, alone: "x"})
