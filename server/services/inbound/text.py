"""Bytes of unknown make to clean text: nothing in here raises for what a stranger sent."""

from __future__ import annotations

import codecs
import contextlib
import re
import unicodedata
from email.errors import HeaderParseError
from email.header import decode_header

LONGEST_TEXT = 64 * 1024  # characters of a body that are read
LONGEST_LINE = 2_000  # lines are cut before any pattern sees them
CUT = "…"  # at the end of a line that was: so it is no command, and no order that says another thing

ALIASES = {"uft-8": "utf-8", "utf8mb4": "utf-8", "iso-8859-8-i": "iso-8859-8", "iso-8859-8-e": "iso-8859-8"}
ALIASES |= {"cp-850": "cp850", "x-sjis": "shift_jis", "windows-31j": "cp932", "ansi_x3.4-1968": "ascii"}
ALIASES |= {"x-mac-cyrillic": "mac_cyrillic", "x-mac-ukrainian": "mac_cyrillic", "x-mac-roman": "mac_roman"}
ALIASES |= {"x-mac-ce": "mac_latin2", "x-mac-greek": "mac_greek", "x-mac-turkish": "mac_turkish"}
OF_WINDOWS = re.compile(r"(?:x-)?(?:cp|win|windows|ansi)[-_]?(125[0-8])")
# Codecs of Python's that are no character sets, or slow.
NO_CHARSETS = frozenset(
    ("idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "mbcs", "oem", "utf-7")
)
SPACES = re.compile(r"[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u115f\u1160\u2800\u3164\uffa0]")
LINE_ENDS = re.compile(r"\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
ENCODED = r"=\?[^?\s]{1,80}\?[bBqQ]\?.{0,1000}?\?="
ENCODED_RUN = re.compile(rf"({ENCODED}(?:\s{{1,9}}{ENCODED}){{0,200}})")  # together, for they may share a character


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
    windows = OF_WINDOWS.fullmatch(name)
    name = f"cp{windows.group(1)}" if windows else ALIASES.get(name, name)
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
    if len(text) > LONGEST_TEXT:
        text = text[:LONGEST_TEXT] + CUT
    text = SPACES.sub(" ", LINE_ENDS.sub("\n", text).replace("\t", " "))
    kept = "".join(
        sign for sign in text if sign == "\n" or unicodedata.category(sign) not in ("Cc", "Cf", "Cs", "Co", "Cn")
    )
    return "\n".join(line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + CUT for line in kept.split("\n"))


def header(value: object, longest: int = 500) -> str:
    """A header on one line, decoded as far as it can be."""
    raw = str(value or "")[: 4 * longest]
    if not raw.isascii():  # bytes of a raw header come as lone surrogates
        raw = decoded(raw.encode("utf-8", "surrogateescape"), None)
    said = "".join(_word(part) if number % 2 else part for number, part in enumerate(ENCODED_RUN.split(raw)))
    return " ".join(clean(said).split())[:longest]


def _word(encoded: str) -> str:
    """Encoded words alone: with text beside them the library gives that in a form that can't be told from theirs."""
    try:
        parts = decode_header(encoded)
    except (HeaderParseError, ValueError, LookupError, UnicodeError):
        return encoded
    return "".join(part if isinstance(part, str) else decoded(part, charset) for part, charset in parts)


def address(said: str) -> str:
    """An address in the form in which two are compared: its domain in ASCII."""
    local, at, domain = unicodedata.normalize("NFC", said).strip().lower().rpartition("@")
    with contextlib.suppress(UnicodeError):  # no name of a domain, so it stays what it is
        domain = domain[:255].encode("idna").decode("ascii")
    return f"{local}{at}{domain}"
