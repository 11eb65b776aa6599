"""Records: a true one is verified, and whatever is changed in it is found."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import OPTIONS, apply, dump, legal_moves, load
from engine.__main__ import LARGEST_RECORD, main
from engine.records import BadRecord, Difference, print_record, read_record, verify
from engine.records.making import final_of
from tests.engine.fairness import addition
from tests.engine.play import game
from tests.engine.recording import recorded

GOLDEN = Path(__file__).with_name("record.json")
Record = dict[str, Any]


@pytest.fixture(scope="module")
def true() -> Record:
    """A game in which somebody ran, so that there are dice of both kinds."""
    records = (recorded(number) for number in range(20))
    return next(record for record in records if dice_of_runners(record))


def dice_of_runners(record: Record) -> list[Record]:
    return [event for event in record["events"] if event["type"] == "ran"]


def as_text(record: Any) -> str:
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False)


def check(text: str) -> list[str]:
    """What is verified of it, line by line. Raises Difference or BadRecord."""
    return list(verify(read_record(text)))


@pytest.mark.parametrize(
    ("number", "seats", "options", "entropy"),
    [
        (1, 2, {}, []),
        (2, 3, {"deck": "classic"}, None),
        (3, 4, {"mimicry-use": "optional", "tail-loss": "optional"}, [addition("D", "late", revealed=False)]),
        (4, 8, {"sets": "two", "surplus": "into-fat"}, [addition("C", "🦎")]),
    ],
)
def test_a_true_record_is_verified(number: int, seats: int, options: dict[str, str], entropy: list[Record]) -> None:
    lines = check(as_text(recorded(number, seats, options, entropy)))
    kinds = [line.partition(":")[0] for line in lines if not line.startswith("entropy")]
    assert kinds == ["form", "commitment", "deal", "moves", "events", "result", "final state"]


def test_a_record_made_long_ago_is_still_verified() -> None:
    """If this fails a stored game no longer replays. Never write the file anew: mend the engine."""
    assert check(GOLDEN.read_text("utf-8"))[-1].endswith(json.loads(GOLDEN.read_text("utf-8"))["final"]["sha256"])


def test_what_was_not_revealed_is_said_to_be_left_out() -> None:
    record = recorded(5, entropy=[addition("A", "shown"), addition("B", "kept", revealed=False)])
    assert "entropy: B committed and did not reveal; it is left out" in check(as_text(record))
    late = copy.deepcopy(record)
    late["entropy"][1] = addition("B", "kept")  # true to the commitment, and yet it was not in the deal
    with pytest.raises(Difference, match="the deal"):
        check(as_text(late))


def other_digit(hexadecimal: str, place: int) -> str:
    digit = "0" if hexadecimal[place] != "0" else "1"
    return hexadecimal[:place] + digit + hexadecimal[place + 1 :]


def new_seed(record: Record) -> None:
    record["seed"] = other_digit(record["seed"], 40)
    record["commitment"] = hashlib.sha256(bytes.fromhex(record["seed"])).hexdigest()


def new_entropy(record: Record) -> None:
    record["entropy"][1] = addition("B", "another")


def another_first_player(record: Record) -> None:
    record["deal"]["first"] = "A" if record["deal"]["first"] == "B" else "B"


def two_cards_swapped(record: Record) -> None:
    deck = record["deal"]["deck"]
    place = next(place for place in range(50, 80) if deck[place] != deck[place + 1])
    deck[place : place + 2] = deck[place + 1], deck[place]


def another_hand(record: Record) -> None:
    record["deal"]["hands"]["A"], record["deal"]["hands"]["B"] = record["deal"]["hands"]["B"], []


def another_die_of_the_bank(record: Record) -> None:
    event = next(event for event in record["events"] if event["type"] == "bank_rolled")
    event["facts"]["dice"][0] = event["facts"]["dice"][0] % 6 + 1


def another_die_of_a_runner(record: Record) -> None:
    facts = dice_of_runners(record)[-1]["facts"]
    facts["die"] = facts["die"] % 6 + 1


def another_card_drawn(record: Record) -> None:
    event = next(event for event in record["events"] if event["type"] == "cards_drawn" and event["facts"]["count"])
    event["secrets"][event["facts"]["seat"]]["cards"][0] = "running/swimming"


def true_is_not_one(record: Record) -> None:
    event = next(event for event in record["events"] if event["facts"].get("food") == 1)
    event["facts"]["food"] = True


def a_decision_by_another_seat(record: Record) -> None:
    record["moves"][10]["seat"] = "B" if record["moves"][10]["seat"] == "A" else "A"


def an_illegal_move(record: Record) -> None:
    record["moves"][10]["move"] = "attack A77 B77"


def a_move_written_otherwise(record: Record) -> None:
    record["moves"][10]["move"] = record["moves"][10]["move"].upper()


def another_legal_move(record: Record) -> None:
    passed = next(move for move in record["moves"] if move["kind"] == "develop" and move["move"] != "pass")
    passed["move"] = "pass"


def pass_instead_of_a_trait(record: Record) -> None:
    """Legal, too; what the events tell is of another kind."""
    number = next(event["decision"] for event in record["events"] if event["type"] == "trait_played")
    record["moves"][number - 1]["move"] = "pass"


def with_key(kind: str, key: str, value: Any) -> Callable[[Record], None]:
    """Sets a value in the 11th move or event, or in a part of the record."""

    def change(record: Record) -> None:
        part = record[kind] if kind else record
        (part[10] if isinstance(part, list) else part)[key] = value

    return change


TAMPERED: dict[str, tuple[Callable[[Record], Any], str]] = {
    "the seed": (lambda record: record.update(seed=other_digit(record["seed"], 0)), "the commitment: "),
    "the commitment": (lambda record: record.update(commitment="0" * 64), "the commitment: "),
    "seed and commitment": (new_seed, "the deal"),
    "an entropy": (lambda record: record["entropy"][0].update(revealed="anything"), "entropy of A, the commitment"),
    "a commitment to entropy": (lambda record: record["entropy"][1].update(commitment="0" * 64), "entropy of B"),
    "entropy and its commitment": (new_entropy, "the deal"),
    "entropy of another seat": (lambda record: record["entropy"][1].update(seat="C"), "each seat once"),
    "entropy of a seat twice": (lambda record: record["entropy"].append(record["entropy"][0]), "each seat once"),
    "entropy out of order": (lambda record: record["entropy"].reverse(), "each seat once"),
    "entropy dropped": (lambda record: record["entropy"].pop(), "the deal"),
    "entropy hidden": (lambda record: record["entropy"][0].update(revealed=None), "the deal"),
    "a house rule": (lambda record: record["options"].update(deck="classic"), "the deal"),
    "the seats": (lambda record: record.update(seats=3), "the deal"),
    "the first player": (another_first_player, "the deal, first"),
    "the deck": (two_cards_swapped, "the deal, deck"),
    "the hands": (another_hand, "the deal, hands"),
    "a die of the bank": (another_die_of_the_bank, "(bank_rolled), facts, dice"),
    "a die of a runner": (another_die_of_a_runner, "(ran), facts, die"),
    "a card drawn": (another_card_drawn, "(cards_drawn), secrets"),
    "true instead of 1": (true_is_not_one, "facts, food: true is told; the replay gives 1"),
    "a fact added": (lambda record: record["events"][10]["facts"].update(more=1), "event 11"),
    "an event's decision": (with_key("events", "decision", 3), "event 11"),
    "an event dropped": (lambda record: record["events"].pop(20), "event 21"),
    "the last event dropped": (lambda record: record["events"].pop(), "is not told: game_ended"),
    "an event added": (lambda record: record["events"].append(record["events"][-1]), "nothing more happened"),
    "an event that is none": (lambda record: record["events"].insert(5, 7), "event 6"),
    "an illegal move": (an_illegal_move, "at move 11 "),
    "another legal move": (another_legal_move, "at move "),
    "a move of another kind": (pass_instead_of_a_trait, 'the replay of this move gives "development_passed"'),
    "an event's type": (with_key("events", "type", "went_home"), 'event 11: "went_home" is told; the replay of this move'),
    "a house rule left out": (lambda record: record["options"].pop("taking"), "'options' lacks \"taking\""),
    "a move written otherwise": (a_move_written_otherwise, "at move 11 "),
    "a move that is no text": (with_key("moves", "move", ["pass"]), "at move 11 "),
    "a move with a key more": (with_key("moves", "why", "just so"), "at move 11 "),
    "a move that is none": (lambda record: record["moves"].insert(10, None), "at move 11"),
    "a decision number": (with_key("moves", "decision", 12), "at move 11 "),
    "a decision by another seat": (a_decision_by_another_seat, "at move 11 "),
    "a kind of decision": (with_key("moves", "kind", "scavenge"), "at move 11 "),
    "a move dropped": (lambda record: record["moves"].pop(30), "at move 31 "),
    "a move doubled": (lambda record: record["moves"].insert(30, record["moves"][30]), "at move 32 "),
    "the last move dropped": (lambda record: record["moves"].pop(), "nothing more happened"),
    "a move added": (lambda record: record["moves"].append(record["moves"][-1]), "the game was over"),
    "all moves dropped": (lambda record: record.update(moves=[]), "event 2 is told"),
    "the winner": (lambda record: record["result"].update(winners=["A", "B"]), "the result, winners"),
    "a score": (lambda record: record["result"]["scores"].update(A=99), "the result, scores, A"),
    "the table at the end": (lambda record: record["final"]["table"].pop(), "the final state, table"),
    "the final hash": (lambda record: record["final"].update(sha256="0" * 64), "the final state, sha256"),
}  # fmt: skip


@pytest.mark.parametrize("what", TAMPERED)
def test_tampering_is_found_and_named(
    what: str, true: Record, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tamper, named = TAMPERED[what]
    record = copy.deepcopy(true)
    tamper(record)
    assert run(tmp_path, as_text(record)) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[-1].startswith("FAILED ") and named in told[-1], told[-1]
    assert all(line.startswith("ok ") for line in told[:-1])


def run(folder: Path, content: str | bytes) -> int:
    file = folder / "record.json"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return main(["verify", str(file)])


def test_a_true_record_exits_with_0(true: Record, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, as_text(true)) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("verified")


def test_a_record_is_read_from_standard_input(
    true: Record, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for text, status in ((as_text(true), 0), ("hello", 1)):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert main(["verify", "-"]) == status
    told = capsys.readouterr().out.splitlines()
    assert told[-2].startswith("verified") and told[-1].startswith("FAILED this is no record in JSON")


def test_a_record_names_the_house_rules_at_their_default_too(true: Record) -> None:
    assert true["options"] == {option: values[0] for option, values in OPTIONS.items()}


def test_any_single_character_that_is_changed_is_found(true: Record) -> None:
    """At four hundred places all over the text; only what lies in `about` is nobody's to check."""
    text = as_text(true)
    about = range(text.index('"about":') + 8, text.index(',"rules"'))
    places = [place for place in range(3, len(text), len(text) // 400) if place not in about]
    assert len(places) > 350
    assert not [place for place in places if passes(changed(text, place))]


def changed(text: str, place: int) -> str:
    sign = text[place]
    other = "7" if sign in "012345689" else "9" if sign == "7" else chr(ord(sign) ^ 1)
    return text[:place] + other + text[place + 1 :]


def passes(text: str) -> bool:
    try:
        check(text)
    except (BadRecord, Difference):
        return False
    return True


HOSTILE: dict[str, tuple[str | bytes, str]] = {
    "nothing": ("", "no record in JSON"),
    "no JSON": ("hello", "no record in JSON"),
    "no object": ("[1]", "'format' is 'galapost-record'"),
    "another object": ('{"format": "pgn"}', "'format' is 'galapost-record'"),
    "a newer schema": ('{"format": "galapost-record", "schema": 3}', "expected schema 1 or 2, came 3"),
    "another schema": ('{"format": "galapost-record", "schema": true}', "expected schema 1 or 2, came true"),
    "other rules": ('{"format": "galapost-record", "schema": 1, "rules": "chess"}', "expected rules"),
    "a key twice": ('{"format": "a", "format": "galapost-record"}', "a key comes twice"),
    "too deep": ("[" * 100_000 + "]" * 100_000, "nested too deep"),
    "not a number": ('{"format": NaN}', "NaN is no JSON"),
    "a number of a million digits": ("1" * 1_000_000, "no record in JSON"),
    "no UTF-8": (b'{"format": "\xff"}', "no text in UTF-8"),
    "binary": (bytes(range(256)) * 10, "no text in UTF-8"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_file_that_is_no_record_gets_a_clear_answer(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content, said = HOSTILE[what]
    assert run(tmp_path, content) == 1
    told = capsys.readouterr().out
    assert told.startswith("FAILED ") and said in told and told.count("\n") == 1 and told.isascii()


VALUES: list[Any] = [None, True, -1, 10**30, 1.5, "", "x" * 10_000, "\ud800\x1b[2J\n", [], [[]], {}, {"a": {"b": []}}]


def test_whatever_stands_in_a_record_there_is_no_other_error(
    true: Record, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [(key,) for key in true] + [("final", "table"), ("entropy", 0), ("entropy", 0, "revealed")]
    paths += [("options", "deck"), ("deal", "deck"), ("moves", 3), ("moves", 3, "move"), ("events", 3, "facts")]
    for path in paths:
        for value in VALUES:
            record = copy.deepcopy(true)
            part = record
            for step in path[:-1]:
                part = part[step]
            part[path[-1]] = value
            status = run(tmp_path, json.dumps(record).encode())
            told = capsys.readouterr().out
            assert told.isascii() and "\x1b" not in told
            harmless = as_text(record) == as_text(true) or (path == ("about",) and isinstance(value, dict))
            assert status == (0 if harmless else 1), (path, value, told)
            assert len(told.splitlines()[-1]) < 500


def test_a_missing_and_an_unknown_key_are_named(true: Record) -> None:
    for key in true.keys() - {"format", "schema", "rules"}:
        with pytest.raises(BadRecord, match=f'the record lacks "{key}"'):
            check(as_text({name: value for name, value in true.items() if name != key}))
    with pytest.raises(BadRecord, match='unknown key "note"'):
        check(as_text({**true, "note": "trust me"}))


def test_a_file_that_is_too_large_or_away_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(LARGEST_RECORD + 1)
    for path in (large, tmp_path, tmp_path / "nowhere.json"):
        assert main(["verify", str(path)]) == 1
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == [
        "FAILED this is no record",
        "FAILED this cannot be read",
        "FAILED this cannot be read",
    ]


def test_the_final_state_is_the_same_for_a_game_that_was_stored_after_every_move() -> None:
    """As the server plays it; storage does not keep the order in which paired cards were played."""
    for number in (*range(20), 1234):
        played, stored = game(number), game(number)
        chance = random.Random(number)
        while moves := legal_moves(played):
            move = chance.choice(moves)
            apply(played, move)
            apply(stored, move)
            stored = load(dump(stored))
        assert final_of(stored) == final_of(played)


def test_the_text_tells_every_move_and_every_event(true: Record) -> None:
    lines = print_record(true).splitlines()
    told = [line.strip() for line in lines]
    for move in true["moves"]:
        assert f"{move['decision']}. {move['seat']}  {move['move']}" in told
    assert sum(line.startswith(" " * 9) for line in lines) == len(true["events"])
    for part in (true["seed"], true["commitment"], "что угодно", "Player B", *true["final"]["table"]):
        assert any(part in line for line in lines)
    assert "?" not in print_record(true), "nothing is hidden in a finished game"
