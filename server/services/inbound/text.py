"""Bytes of unknown make to clean text: nothing in here raises for what a stranger sent."""

from __future__ import annotations

import codecs
import re
import unicodedata
from email.errors import HeaderParseError
from email.header import decode_header

LONGEST_TEXT = 64 * 1024  # characters of a body that are read
LONGEST_LINE = 2_000  # lines are cut before any pattern sees them

ALIASES = {"uft-8": "utf-8", "utf8mb4": "utf-8", "iso-8859-8-i": "iso-8859-8", "iso-8859-8-e": "iso-8859-8"}
ALIASES |= {"cp-850": "cp850", "x-sjis": "shift_jis", "windows-31j": "cp932", "ansi_x3.4-1968": "ascii"}
# Codecs of Python's that are no character sets, or slow.
NO_CHARSETS = frozenset(
    ("idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "mbcs", "oem", "utf-7")
)
SPACES = re.compile(r"[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")


def decoded(data: bytes, charset: str | None) -> str:
    """By the declared charset, its alias, UTF-8, Windows-1252: the first that fits the bytes."""
    data = data[: 4 * LONGEST_TEXT]
    for name in filter(None, (_charset(charset), _escaped(data), "utf-8")):
        try:
            return data.decode(name)
        except (UnicodeError, LookupError, ValueError):
            if (whole := _but_for_its_end(data, name)) is not None:
                return whole
    return data.decode("cp1252", errors="replace")


def _but_for_its_end(data: bytes, name: str) -> str | None:
    """A text that was cut may end amid a character."""
    if len(data) < 4 * LONGEST_TEXT:
        return None
    try:
        return codecs.getincrementaldecoder(name)().decode(data)
    except (UnicodeError, LookupError, ValueError):
        return None


def _charset(declared: str | None) -> str | None:
    name = (declared or "").strip().strip("\"'").lower()[:40]
    name = ALIASES.get(name, name)
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    is_text = getattr(found, "_is_text_encoding", True)
    return found.name if is_text and found.name.replace("_", "-") not in NO_CHARSETS else None


def _escaped(data: bytes) -> str | None:
    """Japanese mail of old often says nothing of its charset, but begins it with an escape sequence."""
    return "iso2022_jp" if b"\x1b$" in data or b"\x1b(" in data else None


def clean(text: str) -> str:
    """Line ends as one sign, spaces as spaces; no NUL, control or invisible characters; bounded."""
    text = text[:LONGEST_TEXT].replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
    text = SPACES.sub(" ", text)
    kept = "".join(
        sign for sign in text if sign == "\n" or unicodedata.category(sign) not in ("Cc", "Cf", "Cs", "Co", "Cn")
    )
    return "\n".join(line[:LONGEST_LINE] for line in kept.split("\n"))


def header(value: object, longest: int = 500) -> str:
    """A header on one line, decoded as far as it can be."""
    raw = str(value or "")[: 4 * longest]
    try:
        parts = decode_header(raw)
    except (HeaderParseError, ValueError, LookupError, UnicodeError):
        parts = [(raw, None)]
    said = "".join(part if isinstance(part, str) else decoded(part, charset) for part, charset in parts)
    said = said.encode("utf-8", "surrogateescape").decode("utf-8", "replace")  # raw bytes come as lone surrogates
    return " ".join(clean(said).split())[:longest]
