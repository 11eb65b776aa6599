"""The texts of mails, in `server/templates/mail/`: prose a language, and a page that they all share."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from server.services import rules
from server.services.wording import Words

FOLDER = Path(__file__).parents[2] / "templates"
LONGEST_NAME = 40

# What is not plain text is escaped, whatever it is called; a name that a template is not given is an error.
environment = Environment(
    loader=FileSystemLoader(FOLDER),
    undefined=StrictUndefined,
    autoescape=select_autoescape(disabled_extensions=("txt",), default=True, default_for_string=True),
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
# The names as the Russian cards bear them; the English ones are the notation's.
environment.filters["printed"] = Words("ru").card
environment.globals["meaning"] = rules.meaning


class Text:
    """A template in plain text, filled. Its first line is the subject; its blocks can be had one by one."""

    def __init__(self, language: str, kind: str, values: dict[str, Any]) -> None:
        self._template = environment.get_template(f"mail/{language}/{kind}.txt")
        self._values = {**values, "words": words(language)}
        subject, _, self.body = self._template.render(self._values).partition("\n\n")
        self.subject = " ".join(subject.split())

    def block(self, name: str) -> str:
        """Empty where the template has no such block."""
        made = self._template.blocks.get(name)
        return "" if made is None else "".join(made(self._template.new_context(self._values))).strip("\n")


def page(language: str, values: dict[str, Any]) -> str:
    """The letter in HTML."""
    filled: str = environment.get_template("mail/letter.html").render(
        {**values, "words": words(language), "language": language}
    )
    return filled


def words(language: str) -> dict[str, Any]:
    """Short words that several templates share."""
    found: dict[str, Any] = _all_words()[language]
    return found


@functools.cache
def _all_words() -> dict[str, Any]:
    return tomllib.loads((FOLDER / "mail" / "words.toml").read_text("utf-8"))


def one_line(text: str, longest: int | None = LONGEST_NAME) -> str:
    """What somebody else wrote can't start lines of its own in a letter or a header, nor turn one around."""
    return "".join(character if character.isprintable() else " " for character in text)[:longest]
