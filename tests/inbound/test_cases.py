"""Faults seen in systems that take replies by mail, and letters of the kinds that clients write: each through the listener to
a game. None raises, blocks what comes after it, plays what it should not, or is lost."""

from __future__ import annotations

import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from server.database import reading
from server.models import Letter, Message
from tests.inbound.post import Post, Table, letters, moves

HERE = Path(__file__).parent
CASES: list[dict[str, Any]] = tomllib.loads((HERE / "cases.toml").read_text("utf-8"))["case"]
ROWS = set(range(1, 41))
PLAYERS = {"anna@example.org", "boris@example.org"}


def raw(name: str) -> bytes:
    return (HERE / "cases" / f"{name}.eml").read_bytes()


def settle(post: Post, to: str, name: str, sender: str) -> Letter:
    """The letter, with what it took to look at it."""
    post.hand_in(to, raw(name), sender)
    post.work()
    return letters()[-1]


def said() -> list[str]:
    with reading() as session:
        return list(session.scalars(select(Message.text).order_by(Message.number)))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["file"])
def test_a_letter(post: Post, table: Table, case: dict[str, Any]) -> None:
    to, sender = case.get("to", table.address()), case.get("sender", "anna@example.org")
    for name in case.get("before", ()):
        settle(post, to, name, sender)
    for _ in range(case.get("times", 1)):
        letter = settle(post, to, case["file"], sender)

    assert (letter.state, letter.outcome) == (case.get("state", "settled"), case["outcome"])
    assert letter.detail == case.get("detail", letter.detail)
    assert len(letters()) == case.get("letters", 1 + len(case.get("before", ())))
    assert letter.tries == 1, "it failed on the way"
    assert (letter.raw is None) == (letter.state != "held")
    played = case.get("plays", [])
    assert moves(table.game) == [table.legal[int(move[1:]) - 1] if move[0] == "#" else move for move in played]
    assert said() == case.get("says", [])
    check_answers(post, case)


def check_answers(post: Post, case: dict[str, Any]) -> None:
    assert {parcel.to for parcel in post.sent} <= PLAYERS, "an answer went to a stranger"
    answers = post.mails("anna@example.org")
    kinds = [_kind(str(mail["Subject"]), str(mail["Reply-To"])) for mail in answers]
    usual = ["reply"] if case.get("state", "settled") == "settled" else []
    if "mails" in case:
        assert len(kinds) == case["mails"]
    else:
        assert kinds == case.get("kinds", usual)
    text = "\n".join(mail.get_body(("plain",)).get_content() for mail in answers)  # type: ignore[union-attr]
    assert [words for words in case.get("tells", []) if words not in text] == []


def _kind(subject: str, reply_to: str) -> str:
    if reply_to.startswith("c-"):
        return "confirm_letter"
    return "reply" if "with boris" in subject else "note"


def test_every_row_has_its_letters_and_there_are_others() -> None:
    assert {case["row"] for case in CASES} - {"own"} == ROWS
    assert len([case for case in CASES if case["row"] == "own"]) >= 20
    used = {case["file"] for case in CASES} | {name for case in CASES for name in case.get("before", ())}
    assert used == {file.stem for file in (HERE / "cases").glob("*.eml")}


def test_none_is_in_the_way_of_another(post: Post, table: Table) -> None:
    """All of them, one after the other, to one address; and then a word that is understood."""
    began = time.process_time()
    for case in CASES:
        post.hand_in(case.get("to", table.address()), raw(case["file"]), case.get("sender", "anna@example.org"))
    post.work()
    assert time.process_time() - began < 60
    assert not [letter for letter in letters() if letter.state in ("received", "quarantined")]
    assert len(moves(table.game)) == 1
