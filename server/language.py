"""The languages that people are answered in, and what is said in them.

Texts are written in English in the code, by `said()`; another language has catalogues of them in
`server/translations/<language>/LC_MESSAGES/*.po`. Codes, notation and names of traits in it are the same in all languages.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from babel import Locale
from babel.messages.pofile import read_po

from engine.saying import Forms, Said, english, filled

LANGUAGES = ("en", "ru")  # the first is that of the code
FOLDER = Path(__file__).parent / "translations"

_current: ContextVar[str] = ContextVar("language", default=LANGUAGES[0])


def current() -> str:
    """The language of whoever is being answered; English where nobody asked."""
    return _current.get()


def speak(language: str) -> None:
    """From now on, in this thread."""
    _current.set(language)


@contextmanager
def speaking(language: str) -> Iterator[None]:
    before = _current.set(language)
    try:
        yield
    finally:
        _current.reset(before)


def translated(text: str, language: str | None = None) -> str:
    """A text of ours in that language, the current one by default: what was said(), or a fixed text as it is."""
    language = language or current()
    if not isinstance(text, Said):
        return catalogue(language).get(text, text)
    template = catalogue(language).get(text.template)
    form = english if template is None else forms(language)
    return filled(template or text.template, text.values, form, lambda part: translated(part, language))


def all_translated(value: Any) -> Any:
    """Everything in it that was said(), in the current language; codes, numbers and names of people stay."""
    if isinstance(value, dict):
        return {key: all_translated(below) for key, below in value.items()}
    if isinstance(value, list | tuple):
        return [all_translated(below) for below in value]
    return translated(value) if isinstance(value, Said) else value


@functools.cache
def catalogue(language: str) -> dict[str, str]:
    """English → that language. For English itself there is none."""
    texts: dict[str, str] = {}
    for path in sorted((FOLDER / language / "LC_MESSAGES").glob("*.po")):
        with path.open("rb") as file:
            texts |= {message.id: message.string for message in read_po(file, language) if message.id}
    return texts


@functools.cache
def forms(language: str) -> Forms:
    """Which form of a noun goes with a number: one, few, many in Russian, by the rules of Unicode."""
    if language == LANGUAGES[0]:
        return english
    plural = Locale.parse(language).plural_form
    order = [tag for tag in ("zero", "one", "two", "few", "many") if tag in plural.tags]
    return lambda number: order.index(plural(number))
