"""Certificates of a test's own authority: good ones, and bad ones of every kind."""

from __future__ import annotations

import ipaddress
import ssl
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

DAY = timedelta(days=1)


class Authority:
    """Signs for whoever asks. `trust` is the context of a client that believes it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named("an authority of a test")
        self._certificate = _signed(self._name, self._key, self._name, self._key, [x509.BasicConstraints(True, None)])
        path = folder / "authority.pem"
        path.write_bytes(self._certificate.public_bytes(serialization.Encoding.PEM))
        self.trust = ssl.create_default_context(cafile=path)

    def server(self, *names: str, ends: timedelta = DAY, by_itself: bool = False) -> ssl.SSLContext:
        """A server's context for these names and addresses. `ends`: when it expires; `by_itself`: nobody vouches for it."""
        key = ec.generate_private_key(ec.SECP256R1())
        issuer, signer = (_named(names[0]), key) if by_itself else (self._name, self._key)
        told = x509.SubjectAlternativeName([_general(name) for name in names])
        made = _signed(_named(names[0]), key, issuer, signer, [told], ends)
        path = self._folder / f"{made.serial_number}.pem"
        path.write_bytes(made.public_bytes(serialization.Encoding.PEM) + _private(key))
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(path)
        return context


def _signed(
    subject: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    issuer: x509.Name,
    signer: ec.EllipticCurvePrivateKey,
    extensions: Sequence[x509.ExtensionType],
    ends: timedelta = DAY,
) -> x509.Certificate:
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime.now(UTC) - 10 * DAY)
        .not_valid_after(datetime.now(UTC) + ends)
    )
    for extension in extensions:
        builder = builder.add_extension(extension, critical=isinstance(extension, x509.BasicConstraints))
    return builder.sign(signer, hashes.SHA256())


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _private(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
