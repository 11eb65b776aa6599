"""That nothing is said in one language only."""

from __future__ import annotations

import string
import tomllib
from collections import Counter
from collections.abc import Iterator

import marshmallow as ma
import pytest
from babel.messages.pofile import read_po
from marshmallow import fields

import engine
from engine.saying import Said, said
from engine.vocabulary import TRAITS
from server import api, language
from server.errors import PROBLEMS
from server.language import LANGUAGES, catalogue, speaking, translated
from server.schemas.base import Boolean, Closed, Moment, QueryBoolean, QueryInteger
from tests.server import speech

RESOURCES = api.RESOURCES  # with them come all schemas that there are
READ_BY_OURSELVES = (Boolean, Moment, QueryBoolean, QueryInteger)  # they raise one error, whatever is wrong
RUSSIAN = catalogue("ru")
USED = {template for _, template in speech.templates() if speech.has_words(template)}
USED |= {text for problem in PROBLEMS.values() for text in (problem.title, problem.about)}


def test_every_text_that_is_said_has_its_russian() -> None:
    assert not sorted(USED - RUSSIAN.keys())


def test_the_catalogues_hold_nothing_that_nobody_says() -> None:
    assert not sorted(RUSSIAN.keys() - USED)


def test_every_error_has_a_detail_that_is_said() -> None:
    assert not list(speech.unsaid())


def kinds(of: type[ma.Schema]) -> Iterator[type[ma.Schema]]:
    for kind in of.__subclasses__():
        yield from (kind, *kinds(kind))


def parts(field: fields.Field) -> Iterator[fields.Field]:  # type: ignore[type-arg]
    yield field
    for below in (getattr(field, name, None) for name in ("inner", "key_field", "value_field")):
        yield from parts(below) if below is not None else ()


def test_every_field_of_a_request_says_in_our_words_what_is_wrong() -> None:
    asked = [field for schema in kinds(Closed) for top in schema().fields.values() for field in parts(top)]
    assert len(asked) > 50
    for field in asked:
        spoken = (
            {"required", "null", "validator_failed"} if isinstance(field, READ_BY_OURSELVES) else field.error_messages
        )
        assert all(isinstance(field.error_messages[name], Said) for name in spoken), field


def test_what_is_said_is_given_the_values_that_it_names() -> None:
    assert not list(speech.ill_fitting())


def test_a_text_stands_in_one_catalogue_once() -> None:
    texts = Counter[str]()
    for path in speech.catalogues():
        texts.update(line for line in _ids(path.read_text("utf-8")))
    assert not [text for text, count in texts.items() if count > 1]


def _ids(text: str) -> list[str]:
    """As they are written: a reader would take the last of two and say nothing."""
    entries = [entry.partition("msgstr")[0] for entry in text.split("msgid ")[1:]]
    return [entry for entry in entries if entry.strip() != '""']


@pytest.mark.parametrize("path", speech.catalogues(), ids=lambda path: path.stem)
def test_a_catalogue_can_be_read_and_nothing_in_it_is_fuzzy(path) -> None:  # type: ignore[no-untyped-def]
    with path.open("rb") as file:
        messages = [message for message in read_po(file, abort_invalid=True) if message.id]
    assert messages and not [message.id for message in messages if message.fuzzy or not message.string]


def test_a_translation_names_the_same_values_and_is_russian() -> None:
    for english, russian in RUSSIAN.items():
        assert speech.names_in(english) == speech.names_in(russian), english
        assert any("а" <= letter <= "я" for letter in russian.lower()), english


@pytest.mark.parametrize(("texts", "forms"), [(USED, 2), (RUSSIAN.values(), 3)])
def test_a_number_has_all_the_forms_of_its_noun(texts: set[str], forms: int) -> None:
    for text in texts:
        for _, _, shape, _ in string.Formatter().parse(text):
            assert not shape or shape.count("|") == forms - 1, text


@pytest.mark.parametrize(
    ("number", "english", "russian"),
    [(1, "1 seat is", "1 место"), (2, "2 seats are", "2 места"), (5, "5 seats are", "5 мест"), (11, "11 seats are", "11 мест"),
     (21, "21 seats are", "21 место"), (0, "0 seats are", "0 мест")],
)  # fmt: skip
def test_numbers_are_followed_by_the_right_form(number: int, english: str, russian: str) -> None:
    text = said("{count:seat is|seats are}", count=number)
    assert text == english
    assert engine.saying.filled("{count:место|места|мест}", text.values, language.forms("ru")) == russian


def test_what_stands_in_a_text_is_translated_with_it() -> None:
    detail = said("JSON in UTF-8 is expected: {fault}", fault=said("the body is empty"))
    assert translated(detail, "ru") == "Ожидается JSON в UTF-8: тело запроса пустое"
    with speaking("ru"):
        assert language.all_translated({"a": [detail], "code": "x"}) == {"a": [translated(detail, "ru")], "code": "x"}
    assert translated(detail) == detail


def test_a_text_that_no_catalogue_has_is_english_but_for_what_stands_in_it() -> None:
    text = said("{where} 7 {what}", where="/a", what=said("it is required"))
    assert translated(text, "ru") == f"/a 7 {RUSSIAN['it is required']}"


def rules(of: str) -> dict[str, dict[str, object]]:
    return tomllib.loads((language.FOLDER / of / "rules.toml").read_text("utf-8"))


@pytest.mark.parametrize("of", LANGUAGES)
def test_the_rules_have_words_for_everything_in_the_engine(of: str) -> None:
    words = rules(of)
    assert words["traits"].keys() == set(TRAITS)
    assert words["options"].keys() == engine.OPTIONS.keys()
    for option, values in engine.OPTIONS.items():
        assert words["options"][option].keys() == {"about", *values}, option  # type: ignore[attr-defined]


def test_both_languages_have_the_same_words_for_the_rules() -> None:
    assert shape(rules("en")) == shape(rules("ru"))


def shape(words: object) -> object:
    return {key: shape(below) for key, below in words.items()} if isinstance(words, dict) else None
