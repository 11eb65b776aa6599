"""docs/fairness.md: its vectors are what the engine computes, and a second implementation agrees."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engine.fairness import DOCS, FILE, addition, vectors
from tests.engine.recording import recorded

NODE = shutil.which("node")
with_node = pytest.mark.skipif(NODE is None, reason="there is no node on this machine")


def test_the_published_vectors_are_what_the_engine_computes() -> None:
    assert json.loads(FILE.read_text("utf-8")) == vectors()


def test_the_vectors_hold_a_draw_that_passes_words_over() -> None:
    assert any(draws["words"] > len(draws["draws"]) for draws in vectors()["draws"])


def test_the_page_shows_the_first_vectors() -> None:
    page = (DOCS / "fairness.md").read_text("utf-8")
    none, one = vectors()["keys"][:2]
    assert none["commitment"] in page and none["key"] in page and one["key"] in page


def verified(*arguments: str) -> tuple[int, str]:
    """Exit status and output of the second implementation."""
    assert NODE is not None
    done = subprocess.run(
        [NODE, str(DOCS / "verify.mjs"), *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


@with_node
def test_the_second_implementation_computes_the_vectors() -> None:
    status, told = verified("--vectors", str(FILE))
    assert status == 0, told
    assert told.splitlines()[-1] == "verified" and told.count("ok ") == len(vectors()) - 1


@with_node
def test_the_second_implementation_notices_a_wrong_vector(tmp_path: Path) -> None:
    wrong = vectors()
    wrong["games"][-1]["dice"][-1] = wrong["games"][-1]["dice"][-1] % 6 + 1
    file = tmp_path / "vectors.json"
    file.write_text(json.dumps(wrong))
    assert verified("--vectors", str(file))[0] == 1


@with_node
@pytest.mark.parametrize(
    ("number", "seats", "options", "entropy"),
    [
        (11, 2, {}, None),
        (12, 4, {"deck": "classic"}, []),
        (13, 3, {}, [addition("A", "Ж" * 200), addition("C", "kept", revealed=False)]),
        (14, 8, {"sets": "two"}, [addition("H", "last")]),
    ],
)
def test_the_second_implementation_verifies_a_true_record(
    number: int, seats: int, options: dict[str, str], entropy: Any, tmp_path: Path
) -> None:
    file = tmp_path / "record.json"
    file.write_text(json.dumps(recorded(number, seats, options, entropy)))
    status, told = verified(str(file))
    assert status == 0, told
    kinds = [line.split()[1].rstrip(":") for line in told.splitlines()[:-1]]
    assert told.splitlines()[-1].startswith("verified: the chance only; whether the moves are legal is for ")
    assert [kind for kind in kinds if kind != "entropy"] == ["commitment", "deal", "dice", "draws", "words"]


LEFT: list[dict[int, str | None]] = [{30: None}, {30: "A", 31: "B"}, {0: "C"}, {10: "B", 40: None}]


@with_node
@pytest.mark.parametrize("left", LEFT)
def test_the_second_implementation_verifies_the_record_of_a_game_that_was_left(
    left: dict[int, str | None], tmp_path: Path
) -> None:
    file = tmp_path / "record.json"
    file.write_text(json.dumps(recorded(11, 3, left=left)))
    status, told = verified(str(file))
    assert status == 0 and "ok    left: " in told, told


LEFT_OTHERWISE: dict[str, Callable[[dict[str, Any]], Any]] = {
    "by the rules": lambda record: record["ended"].update(by="rules"),
    "after another move": lambda record: record["ended"].update(after=3),
    "nobody resigned": lambda record: record["resignations"].pop(),
    "somebody else": lambda record: record["resignations"][0].update(seat="C"),
    "no end": lambda record: record.pop("ended"),
    "another schema": lambda record: record.update(schema=3),
}


@with_node
@pytest.mark.parametrize("what", LEFT_OTHERWISE)
def test_the_second_implementation_finds_a_leaving_that_is_told_in_two_ways(what: str, tmp_path: Path) -> None:
    record = copy.deepcopy(recorded(11, 3, left={10: "B", 40: None}))
    LEFT_OTHERWISE[what](record)
    file = tmp_path / "record.json"
    file.write_text(json.dumps(record))
    status, told = verified(str(file))
    assert status == 1 and told.splitlines()[-1].startswith("FAILED ")


def first(record: dict[str, Any], type: str) -> dict[str, Any]:
    event: dict[str, Any] = next(event for event in record["events"] if event["type"] == type)
    return event


def another_die(record: dict[str, Any]) -> None:
    dice = first(record, "bank_rolled")["facts"]["dice"]
    dice[0] = dice[0] % 6 + 1


def another_draw(record: dict[str, Any]) -> None:
    event = first(record, "cards_drawn")
    event["secrets"][event["facts"]["seat"]]["cards"][0] = "swimming/running"


TAMPERED: dict[str, Callable[[dict[str, Any]], Any]] = {
    "commitment": lambda record: record.update(commitment="0" * 64),
    "seed": lambda record: record.update(seed="0" * 64),
    "entropy": lambda record: record["entropy"][0].update(revealed="another"),
    "entropy hidden": lambda record: record["entropy"][0].update(revealed=None),
    "deck": lambda record: record["deal"]["deck"].reverse(),
    "hand": lambda record: record["deal"]["hands"]["A"].pop(),
    "first player": lambda record: record["deal"].update(first="C"),
    "die": another_die,
    "dice dropped": lambda record: record["events"].remove(first(record, "bank_rolled")),
    "draw": another_draw,
    "draw dropped": lambda record: record["events"].remove(first(record, "cards_drawn")),
    "final table": lambda record: record["final"]["table"].pop(0),
    "a move's number": lambda record: record["moves"][5].update(decision=7),
    "a move's seat": lambda record: record["moves"][5].update(seat="AB".replace(record["moves"][5]["seat"], "")),
    "a move dropped": lambda record: record["moves"].pop(),
    "no record at all": lambda record: record.clear(),
}


@with_node
@pytest.mark.parametrize("what", TAMPERED)
def test_the_second_implementation_finds_what_was_changed(what: str, tmp_path: Path) -> None:
    record = copy.deepcopy(recorded(11))
    TAMPERED[what](record)
    file = tmp_path / "record.json"
    file.write_text(json.dumps(record))
    status, told = verified(str(file))
    assert status == 1 and told.splitlines()[-1].startswith("FAILED ")


MALFORMED: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "no final": (lambda record: record.update(final={}), "final, table: expected a list of texts, came nothing"),
    "no moves": (lambda record: record.pop("moves"), "the record, moves: expected a list, came nothing"),
    "a move that is none": (lambda record: record["moves"].insert(3, None), "move 4: expected an object, came null"),
    "an event that is none": (lambda record: record["events"].insert(3, 7), "event 4: expected an object, came 7"),
    "no dice": (lambda record: first(record, "bank_rolled")["facts"].pop("dice"), "dice: expected a list"),
    "no secrets": (lambda record: first(record, "cards_drawn").pop("secrets"), "secrets: expected an object"),
    "no hands": (lambda record: record["deal"].update(hands=[]), "the deal, hands: expected an object, came []"),
    "entropy of nobody": (lambda record: record.update(entropy=[None]), "entropy 1: expected an object"),
    "another deck": (lambda record: record["options"].update(deck="tarot"), "options: an unknown deck"),
    "too many seats": (lambda record: record.update(seats=9), "seats: 9"),
}


@with_node
@pytest.mark.parametrize("what", MALFORMED)
def test_the_second_implementation_says_what_is_malformed(what: str, tmp_path: Path) -> None:
    record = copy.deepcopy(recorded(11))
    change, said = MALFORMED[what]
    change(record)
    file = tmp_path / "record.json"
    file.write_text(json.dumps(record))
    status, told = verified(str(file))
    assert status == 1 and said in told.splitlines()[-1], told
