"""The scenarios of the rules, and the runner that plays them: one that passes everything would be worth nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.__main__ import main
from engine.scenarios import run_entry, run_file

FILES = sorted((Path(__file__).parent.parent / "scenarios").glob("*.toml"))

POSITION = """
turn 3 feeding; bank 2; deck 50; first A; go A
A: hand 2; discard 1
A1: carnivorous
A2: swimming, fat-tissue*; food 1
A3: hibernation; hibernated
A4: piracy; forfeit piracy
A2+A3: cooperation
A2>A4: symbiosis
B1: running
B2: large
"""


def failures(**entry: object) -> list[str]:
    return run_entry({"id": "T", "position": POSITION, **entry}, "entry", b"0").failures


def test_there_are_scenarios() -> None:
    assert len(FILES) >= 10


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_scenario_passes(file: Path) -> None:
    assert [str(outcome) for outcome in run_file(file, b"0") if outcome.failures] == []


TRUE = [
    "turn 3",
    "turn 3 feeding",
    "first A",
    "phase feeding",
    "bank 2",
    "deck 50",
    "not last-turn",
    "not over",
    "bank 2; turn 3  # and a comment",
    "awaiting A: go",
    "A: hand 2; discard 1; animals 4; score 16",
    "B: hand 0",
    "A: not passed",
    "A1:",
    "A1: hungry; need 2; food 0; fat 0; has carnivorous; lacks swimming; not poisoned; not hunted; not grazed",
    "A1: alive; not fed",
    "A2: not hungry",
    "A2: fed; food r; fat 1; has cooperation",
    "A2: food 1",
    "A3: hibernated; not hibernating",
    "A4: forfeit piracy; not forfeit grazing",
    "A4: has Симбиоз",
    "A2+A3: cooperation",
    "A3 + A2: cooperation; not spent",
    "A2+A3: no communication",
    "A2>A4: symbiosis",
    "A4>A2: no symbiosis",
    "A1+A2: no cooperation",
]
FALSE = [
    "turn 4",
    "turn 4 feeding",
    "turn 3 development",
    "first B",
    "phase development",
    "phase over",
    "bank 3",
    "deck 49",
    "last-turn",
    "over",
    "winner A",
    "winner A B",
    "awaiting B: go",
    "awaiting A: share",
    "awaiting A: defend A1 B1",
    "A: hand 3",
    "A: discard 0",
    "A: animals 3",
    "A: score 14",
    "A: passed",
    "C: hand 0",
    "A1: dead",
    "A1: fed",
    "A1: need 1",
    "A1: food 1",
    "A1: fat 1",
    "A1: lacks carnivorous",
    "A1: has large",
    "A1: poisoned",
    "A1: hungry; hunted",
    "A1: not hungry",
    "A2: hungry",
    "A2: not fed",
    "A2: food b",
    "A2: food rr",
    "A3: hibernating",
    "A3: not hibernated",
    "A4: not forfeit piracy",
    "A4: forfeit grazing",
    "A9: dead",
    "A9: hungry",
    "A9:",
    "C1: fed",
    "A2+A3: no cooperation",
    "A2+A3: cooperation; spent",
    "A2+A3: communication",
    "A2>A4: no symbiosis",
    "A4>A2: symbiosis",
]
UNKNOWN = [
    "weather fine",
    "winner",
    "bank",
    "bank two",
    "phase dinner",
    "turn 3 dinner",
    "turn many feeding",
    "first",
    "first Z",
    "A: hands 2",
    "A: hand many",
    "A1: sleepy",
    "A1: not sleepy",
    "A1: has wings",
    "A1: food many",
    "A1: forfeit",
    "A1+A2: large",
    "A1>A2: cooperation",
    "A1+A2: cooperation; old",
    "awaiting A: lunch",
    "awaiting Z: go",
    "I1: fed",
    "A: hand 2; lunch",
    "nonsense: 3",
]


@pytest.mark.parametrize("line", TRUE)
def test_a_line_that_holds_passes(line: str) -> None:
    assert failures(then=line) == []


@pytest.mark.parametrize("line", FALSE)
def test_a_line_that_does_not_hold_says_what_was_expected_and_what_came(line: str) -> None:
    (failure,) = failures(then=line)
    assert failure.startswith("expected ")
    assert ", came " in failure


@pytest.mark.parametrize("line", UNKNOWN)
def test_an_unknown_word_is_an_error_and_never_passed_over(line: str) -> None:
    (failure,) = failures(then=f"bank 2\n{line}")
    assert failure.startswith("bad entry: ")


@pytest.mark.parametrize(
    "entry",
    [
        {"legla": ["feed A1"]},
        {"seats": "two"},
        {"seats": True},
        {"options": ["deck"]},
        {"options": {"deck": True}},
        {"dice": [7]},
        {"dice": [True]},
        {"dice": 3},
        {"moves": "feed A1"},
        {"moves": [1]},
        {"then": ["bank 1"]},
        {"legal": "feed A1"},
        {"asked": "I"},
        {"asked": 1},
        {"position": 3},
        {"id": None},
    ],
)
def test_an_entry_with_a_key_or_a_value_that_is_not_known_is_an_error(entry: dict[str, object]) -> None:
    (failure,) = failures(**entry)
    assert failure.startswith("bad entry: ")


def test_a_bad_entry_is_named_by_its_id_when_it_has_one() -> None:
    assert run_entry({"id": "HR99", "legla": []}, "file entry 3", b"0").name == "HR99"
    assert run_entry({"id": "HR99", "position": POSITION, "then": "lunch"}, "file entry 3", b"0").name == "HR99"
    assert run_entry({"id": 99, "position": POSITION}, "file entry 3", b"0").name == "file entry 3"
    assert run_entry({"position": POSITION}, "file entry 3", b"0").name == "file entry 3"


def test_an_entry_needs_an_id_and_a_position() -> None:
    assert run_entry({"title": "x"}, "entry", b"0").failures == ["bad entry: there is no 'id'; there is no 'position'"]
    assert run_entry(["x"], "entry", b"0").failures == ["bad entry: an entry is a table"]


@pytest.mark.parametrize("position", ["", "turn 3 feeding", POSITION + "B3: parasite, parasite", POSITION + "lunch"])
def test_a_bad_position_is_a_failure_of_its_entry(position: str) -> None:
    (failure,) = failures(position=position)
    assert failure.startswith("bad position: ")


def test_options_that_do_not_exist_are_a_failure_of_their_entry() -> None:
    (failure,) = failures(options={"luck": "good"})
    assert "luck" in failure


def test_moves_are_played_in_order_and_each_must_be_legal() -> None:
    assert failures(moves=["feed A1"], then="bank 1\nA1: food r\nawaiting B: go", asked="B") == []
    (failure,) = failures(moves=["feed B1"], then="bank 0")
    assert failure.startswith("move 1: expected 'feed B1' to be legal, came: ")
    (failure,) = failures(moves=["feed A1", "gobble"])
    assert failure.startswith("move 2: ")


def test_dice_are_rolled_in_their_order_and_none_may_be_left() -> None:
    (failure,) = failures(dice=[6])
    assert "1 left over" in failure
    assert failures(moves=["attack A1 B1"], dice=[6], then="B1: hungry\nA1: food 0; hunted") == []
    assert failures(moves=["attack A1 B1"], dice=[1], then="B1: dead\nA1: food bb; hunted") == []


def test_legal_moves_must_be_in_the_list() -> None:
    assert failures(legal=["feed A1", "attack A1 B1", "hibernate A3"][:2]) == []
    (failure,) = failures(legal=["attack A1 B2"])
    assert failure.startswith("expected 'attack A1 B2' to be legal, came ['feed A1'")
    assert len(failures(legal=["end"], illegal=["nonsense"])) == 1


def test_illegal_entries_are_refused_and_need_not_parse() -> None:
    assert failures(illegal=["attack A1 B2", "feed A9", "pass", "nonsense", "", "feed A1 A2"]) == []
    assert failures(illegal=["feed A1"]) == ["expected 'feed A1' to be refused, came a legal move"]


def test_who_is_asked_is_compared() -> None:
    assert failures(asked="A") == []
    assert failures(asked="B") == ["expected B to be asked, came A"]


DEFENDED = """
turn 3 feeding; bank 3; deck 50; first A; go A; acted
A1: carnivorous; hunted
B1: running, tail-loss
B2: mimicry, running; mimicked
awaiting B: defend A1 B1; ran B2
"""


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ("awaiting B: defend", True),
        ("awaiting B: defend A1 B1", True),
        ("awaiting B: defend A1 B1; ran B2", True),
        ("awaiting B: defend A1 B1; ran B1", False),
        ("awaiting B: defend A1 B2", False),
        ("awaiting A: defend A1 B1", False),
        ("awaiting B: go", False),
    ],
)
def test_what_is_awaited_is_compared_as_far_as_the_line_says(line: str, holds: bool) -> None:
    assert failures(position=DEFENDED, then=line) == (
        [] if holds else [f"expected {line!r}, came 'awaiting B: defend A1 B1; ran B2'"]
    )


def test_a_finished_game_has_winners_and_asks_nobody() -> None:
    over = "turn 9 over; bank 0; deck 0; first A; last-turn\nA1: swimming; food 1\nB1: running; food 1"
    assert failures(position=over, then="over\nwinner A B\nA: score 3", asked="nobody", illegal=["pass"]) == []
    assert failures(position=over, then="winner A") == ["expected 'winner A', came 'winner A B'"]
    assert failures(position=over, then="awaiting A: go") == ["expected 'awaiting A: go', came 'nobody is asked'"]


def written(folder: Path, text: str) -> str:
    file = folder / "file.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)


GOOD = f"[[scenario]]\nid = 'G'\ntitle = 'good'\nposition = '''{POSITION}'''\n"
BAD = f"[[scenario]]\nid = 'B'\ntitle = 'bad'\nposition = '''{POSITION}'''\nthen = 'bank 7'\n"


def test_the_command_counts_and_exits_0_when_all_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenarios", written(tmp_path, GOOD + GOOD)]) == 0
    assert capsys.readouterr().out == "2 passed, 0 failed\n"


def test_the_command_tells_of_each_failure_and_exits_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenarios", written(tmp_path, GOOD + BAD), "--seed", "x"]) == 1
    first, *position, last = capsys.readouterr().out.splitlines()
    assert first == "FAILED B (bad): expected 'bank 7', came 'bank 2'"
    assert position[0].strip().startswith("turn 3 feeding; bank 2; deck 50; first A; go A")
    assert last == "1 passed, 1 failed"


@pytest.mark.parametrize("text", ["not = [toml", "", "scenario = 3", "[[szenario]]\nid = 'x'\n" + GOOD])
def test_a_file_that_is_none_is_a_failure(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenarios", written(tmp_path, text)]) == 1
    assert ", 1 failed" in capsys.readouterr().out


def test_a_file_that_is_not_there_is_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenarios", str(tmp_path / "nothing.toml")]) == 1
    assert "nothing.toml" in capsys.readouterr().out


def test_a_fault_of_the_engine_fails_its_entry_and_the_others_are_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*given: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr("engine.scenarios.apply", broken)
    broken_entry = GOOD + "moves = ['feed A1']\n"
    assert main(["scenarios", written(tmp_path, broken_entry + GOOD)]) == 1
    assert "the engine failed: KeyError('lost')" in capsys.readouterr().out
