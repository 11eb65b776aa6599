"""What is said to people, so that it can be said in another language too: an English template and what fills it.

In a template `{seat}` is a value, `{count:token|tokens}` a number with the noun that goes with it: "1 token", "4 tokens".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Forms = Callable[[int], int]  # which of the forms of a noun goes with a number


class Said(str):
    """Reads as its English; keeps what a translation needs."""

    template: str
    values: dict[str, Any]

    def format(self, *_: object, **__: object) -> Said:
        """Nothing is left to be filled in: libraries that format what they are given give it back whole."""
        return self


def said(template: str, **values: Any) -> Said:
    """`said("you have seat {letter}", letter="B")`; the template is a literal, so that a test finds all that there are.

    A list is told with commas; what was said itself is translated with what it stands in.
    """
    text = Said(filled(template, values))
    text.template, text.values = template, values
    return text


def joined(texts: Sequence[str], sign: str = "; ") -> Said:
    """Several texts in a row, each of them to be translated."""
    names = [f"text{number}" for number in range(len(texts))]
    return said(sign.join(f"{{{name}}}" for name in names), **dict(zip(names, texts, strict=True)))


def filled(template: str, values: Mapping[str, Any], form: Forms | None = None, say: Callable[[str], str] = str) -> str:
    """The template with its values; `form` knows the plurals of its language, English ones by default, `say` that language."""
    return template.format_map({name: _ready(value, form or english, say) for name, value in values.items()})


def english(number: int) -> int:
    return 0 if number == 1 else 1


def _ready(value: Any, form: Forms, say: Callable[[str], str]) -> Any:
    if isinstance(value, list | tuple):
        return ", ".join(str(_ready(item, form, say)) for item in value)
    if isinstance(value, int) and not isinstance(value, bool):
        return Counting(value, form)
    return say(value) if isinstance(value, Said) else value


class Counting(int):
    """A number that a template may give forms of a noun to."""

    form: Forms

    def __new__(cls, number: int, form: Forms) -> Counting:
        made = super().__new__(cls, number)
        made.form = form
        return made

    def __format__(self, shape: str) -> str:
        if "|" not in shape:
            return format(int(self), shape)
        return f"{int(self)} {shape.split('|')[self.form(self)]}"
