"""Opaque identifiers: a prefix that says what it is, and 128 random bits that say nothing."""

from __future__ import annotations

import base64
import re
import secrets

_SHAPE = re.compile(r"[a-z]+_[a-z2-7]{26}")


def new_id(prefix: str) -> str:
    """`new_id("g")` → `g_` and 26 characters of base32."""
    return f"{prefix}_{base32(16)}"


def is_id(prefix: str, text: str) -> bool:
    """Whether the text could be such an id; what could not never reaches the database."""
    return text.startswith(prefix + "_") and _SHAPE.fullmatch(text) is not None


def base32(size: int) -> str:
    """`size` random bytes in lower-case base32 without padding."""
    return base64.b32encode(secrets.token_bytes(size)).decode().rstrip("=").lower()
