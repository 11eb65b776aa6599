"""Secrets at rest: sealed ones can be read again with the key of the installation, digested ones only compared."""

from __future__ import annotations

import functools
import hashlib
import hmac

from cryptography.fernet import Fernet

from server.config import Settings


@functools.cache
def _key() -> str:
    return Settings.from_env().secret_key


def seal(text: str) -> str:
    return Fernet(_key()).encrypt(text.encode()).decode()


def unseal(sealed: str) -> str:
    """Raises cryptography.fernet.InvalidToken when it was sealed with another key."""
    return Fernet(_key()).decrypt(sealed.encode()).decode()


def digest(text: str) -> str:
    """SHA-256 of a secret that is long and random itself, such as a token."""
    return hashlib.sha256(text.encode()).hexdigest()


def keyed_digest(text: str) -> str:
    """HMAC-SHA256 of a secret short enough to be guessed, such as a code: without the key a stolen table is no use."""
    return hmac.new(_key().encode(), text.encode(), hashlib.sha256).hexdigest()


def same(one: str, other: str) -> bool:
    """Compared in constant time."""
    return hmac.compare_digest(one, other)
