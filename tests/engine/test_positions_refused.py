"""Positions that look possible and are not, with every fault named, and others that look impossible and are not."""

from __future__ import annotations

import pytest

from engine import BadPosition, State, apply, dump, legal_moves, load, read_move
from engine.positions import ALL, parse_position, playable, position_of, print_position, read_playable

FEEDING = "turn 3 feeding; bank 4; deck 50; first A; go A\n"
ACTED = FEEDING.replace("go A", "go A; acted")
DEVELOPMENT = "turn 3 development; bank 0; deck 50; first A; go A\n"
LAST = "turn 9 feeding; bank 4; deck 0; first A; go A; last-turn\n"
OVER = "turn 9 over; bank 0; deck 0; first A; last-turn\n"
HUNT = ACTED + "A1: carnivorous; hunted\n"


def made(text: str, seed: bytes = b"seed") -> State:
    return playable(parse_position(text), seed)


def faults_of(text: str) -> list[str]:
    with pytest.raises(BadPosition) as refusal:
        made(text)
    return refusal.value.faults


def each_is_named(faults: list[str], said: list[str]) -> bool:
    return len(said) == len(faults) and all(any(fault in one for one in said) for fault in faults)


def animals(seat: str, count: int, line: str) -> str:
    return "".join(f"{seat}{number}: {line}\n" for number in range(1, count + 1))


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        # several faults on one line, on several lines, and in all parts of a position
        (
            FEEDING + "A1: parasite, parasite, scavenger, carnivorous, running, running; food 9; hibernating; pirated",
            [
                "exclude",
                "2 cards parasite",
                "2 cards running",
                "food 9, it needs 6",
                "without hibernation",
                "without piracy",
            ],
        ),
        (
            FEEDING + "A1: food 2; mimicked\nB1: food 2; forfeit grazing\nB2: swimming, swimming, swimming",
            ["A1: food 2", "A1: 'mimicked'", "B1: food 2", "B1: forfeit grazing", "B2: 3 cards swimming"],
        ),
        (
            FEEDING
            + "A1:\nA2:\nB1:\nA1+A1: communication\nA1+B1: cooperation\nA2+A9: cooperation\nA1>A2: symbiosis; spent",
            ["two different animals", "animals of one seat", "A9 has no line", "symbiosis never fires"],
        ),
        (
            "turn 0 development; bank 3; deck 0; first C; go D; seats 2; acted; used; idle 1\n"
            "A: hand piracy, piracy, piracy, piracy, piracy; born 1\nA2: hibernation; hibernating; food 1\n"
            "A3: grazing; grazed\nA2+A3: cooperation; spent\nC1:",
            [
                "turns are numbered",
                "bank 3",
                "deck 0 without",
                "first C",
                "go D",
                "'acted'",
                "'used'",
                "'idle'",
                "5 cards 'piracy'",
                "born 1",
                "'hibernating' in development",
                "'food' in development",
                "'grazed' is of the go",
                "'spent'",
                "C has a line",
            ],
        ),
        # the phases
        (OVER.replace("bank 0", "bank 2"), ["bank 2 in phase over"]),
        (OVER.replace("last-turn", "last-turn; acted; used; idle 1"), ["'acted'", "'used'", "'idle'"]),
        (LAST.replace("deck 0", "deck 1"), ["'last-turn' with deck 1"]),
        (DEVELOPMENT + "A1: carnivorous, piracy; pirated; poisoned", ["'pirated' in", "'poisoned' in"]),
        # an open answer
        (HUNT + "B1: swimming, large, camouflage, tail-loss\nawaiting B: defend A1 B1", ["cannot attack B1"]),
        (HUNT + "B1: tail-loss\nB2:\nB2>B1: symbiosis\nawaiting B: defend A1 B1", ["prey-protected"]),
        (HUNT + "B1: mimicry; mimicked\nB2:\nawaiting B: defend A1 B1", ["no defence left"]),
        (HUNT + "B1: mimicry\nB2: large\nawaiting B: defend A1 B1", ["no defence left"]),
        (HUNT + "B1: running\nawaiting B: defend A1 B1; ran B1", ["no defence left"]),
        (
            FEEDING + "A1: carnivorous; food 2\nB1: burrowing, tail-loss; food 1\nawaiting A: defend A1 B1",
            ["needs 'acted'", "needs 'hunted'", "its owner answers", "cannot receive", "prey-burrowed"],
        ),
        (DEVELOPMENT + "A1: carnivorous\nB1: tail-loss\nawaiting B: defend A1 B1", ["'awaiting' in phase development"]),
        (HUNT + "B1: scavenger; food 1\nB2: scavenger\nawaiting B: scavenge B1 B2", ["it is B that is asked: B2"]),
        (ACTED + "A1: food 1\nA2: food 1\nA1+A2: cooperation\nawaiting A: share cooperation A1>A2", ["none of these"]),
        (
            FEEDING + "A1: food 1\nA2:\nA1+A2: cooperation\nawaiting A: share cooperation A1>A2",
            ["'acted' or 'used'"],
        ),
        # cards: those named, those shown, and both
        (FEEDING + "A: hand communication, camouflage", ["'camouflage' are named", "'communication' are named"]),
        (
            FEEDING.replace("go A", "go A; rules deck classic") + "A: hand camouflage/fat-tissue",
            ["'camouflage/fat-tissue'"],
        ),
        (FEEDING + "A: hand piracy, piracy; discard piracy, piracy\nA1: piracy", ["1 cards are shown with piracy"]),
        (
            FEEDING + animals("A", 5, "piracy, running"),
            ["5 cards are shown with piracy", "5 cards are shown with running"],
        ),
        (FEEDING + "A: hand 60", ["110 cards are needed"]),
        (FEEDING.replace("50", "85"), ["85 cards are needed"]),
        # eight parasites take four carnivorous ends with them, so twenty of the twenty-four are left; and so with fat
        (
            FEEDING.replace("50", "1") + animals("A", 8, "parasite") + animals("B", 21, "carnivorous"),
            ["29 cards are shown"],
        ),
        (
            FEEDING.replace("50", "1")
            + animals("A", 8, "parasite, fat-tissue, fat-tissue, fat-tissue")
            + "B1: fat-tissue",
            ["33 cards"],
        ),
    ],
)
def test_every_fault_of_a_position_is_named(text: str, faults: list[str]) -> None:
    said = faults_of(text)
    assert each_is_named(faults, said), said


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        pytest.param(HUNT + "B1: tail-loss\nawaiting F: defend A1 B1", "awaiting F: there are 2 seats", id="seat"),
        pytest.param(DEVELOPMENT + "A: hand 2; born 1023", "born 1023", id="born"),
        pytest.param(FEEDING + "A1: hibernation; hibernating; hibernated", "two turns running", id="twice"),
        pytest.param(LAST + "A1: hibernation; hibernating", "last turn", id="last"),
        pytest.param(OVER.replace("0; first A; last-turn", "50; first A"), "over", id="over"),
        pytest.param(
            ACTED + "A1:\nA2:\nA1+A2: cooperation\nawaiting A: share cooperation A1>A2", "received nothing", id="gift"
        ),
        pytest.param(HUNT + "B1: running\nB2: running\nawaiting B: defend A1 B2; ran B1", "B1", id="ran"),
    ],
)
def test_a_position_that_cannot_arise_is_refused(text: str, fault: str) -> None:
    assert fault in " ".join(faults_of(text))


def test_what_cannot_be_read_does_not_hide_what_breaks_the_rules() -> None:
    text = (
        FEEDING
        + "A1: swimming, swimming\nA2: fish; food 2\nA1+A2: running\nA1+A2: cooperation; spent\nawaiting B: lunch"
    )
    with pytest.raises(BadPosition) as refusal:
        read_playable(text, b"seed")
    unread = ["line 3: expected a trait", "line 4: running is not a paired trait", "line 6: expected 'defend'"]
    said = refusal.value.faults
    assert each_is_named([*unread, "A1: 2 cards swimming", "A2: food 2, it needs 1"], said), said


@pytest.mark.parametrize(
    "text",
    [
        # the same ends as above, one fewer: the cards can just be found
        FEEDING.replace("50", "1") + animals("A", 8, "parasite") + animals("B", 20, "carnivorous"),
        FEEDING.replace("50", "1") + animals("A", 8, "parasite, fat-tissue, fat-tissue, fat-tissue"),
        FEEDING.replace("50", "0").replace("go A", "go A; last-turn") + animals("A", 4, "piracy") + "B: hand 76",
        FEEDING.replace("go A", "go A; rules sets two") + animals("A", 8, "piracy"),
        FEEDING.replace("go A", "go A; rules deck classic") + "A: hand camouflage, communication",
        # a poisoned animal that has lost its carnivorous card, a hibernating one with food on it, fat on a hungry one
        FEEDING + "A1: poisoned\nA2: hibernation; hibernating; food 1\nA3: large, fat-tissue*, fat-tissue*\nA4:",
        FEEDING + "A1: carnivorous, hibernation; hibernated; hunted; food 2; poisoned\nA2:\nA3:",
        # a ring of symbioses, and all three paired cards on one pair
        FEEDING + "A1:\nA2:\nA3:\nA4:\nA1>A2: symbiosis\nA2>A3: symbiosis\nA3>A1: symbiosis\nA5:",
        FEEDING + "A1:\nA2:\nA1>A2: symbiosis\nA1+A2: cooperation\nA2+A1: communication\nA3:",
        # animals are numbered by birth, and many are gone
        FEEDING + "A: born 30\nA17:\nA20:\nB5:",
        DEVELOPMENT + "A: hand 3; passed\nB: hand 2\nA1: hibernation; hibernated",
        OVER + "A1: carnivorous, fat-tissue*; food rb; hunted\nB: hand 3; discard 9",
        HUNT + "B1: tail-loss, fat-tissue*, fat-tissue\nawaiting B: defend A1 B1",
        HUNT + "A2: tail-loss, running\nawaiting A: defend A1 A2; ran A2",
    ],
)
def test_a_position_that_can_arise_is_accepted_and_read_back(text: str) -> None:
    state = made(text)
    position = position_of(state, ALL)
    assert parse_position(print_position(position)) == position
    assert position_of(playable(position, b"other"), ALL) == position
    assert dump(load(dump(state))) == dump(state)


@pytest.mark.parametrize(
    ("header", "faults"),
    [
        ("turn 3 feeding; bank many; deck 50; first A; go A", ["'many'"]),
        ("turn 3 feeding; bank 4; deck 50; first Z; go A", ["'z'"]),
        ("turn 3 feeding; bank 4; deck 50; first A; go 9", ["'9'"]),
        ("turn three feeding; bank 4; deck 50; first A; go A", ["three"]),
        ("turn three over; bank 4; deck 50; first A", ["three"]),
        ("turn 3 feeding; bank many; first A", ["'many'", "the header has no 'deck'", "the header has no 'go'"]),
    ],
)
def test_a_word_of_the_header_that_cannot_be_read_is_not_missing_too(header: str, faults: list[str]) -> None:
    with pytest.raises(BadPosition) as refusal:
        read_playable(header + "\nA1:\nB1:", b"seed")
    said = refusal.value.faults
    assert len(said) == len(faults)
    assert all(fault in one for fault, one in zip(faults, said, strict=True))


IN_THE_MIDDLE = FEEDING + (
    "A1: carnivorous\nA2: large\nA3: large\nA1+A2: cooperation\nA2+A3: cooperation\nA1+A3: cooperation\n"
    "B1: running, mimicry, tail-loss\nB2: mimicry, tail-loss, fat-tissue*, fat-tissue\nB3: scavenger\nB4: scavenger\n"
)


@pytest.mark.parametrize("moves", [["drop B2 fat-tissue*"], ["mimic B2 B3", "scavenge B4"]])
def test_a_game_stored_after_every_move_of_an_attack_plays_on_alike(moves: list[str]) -> None:
    state = made(IN_THE_MIDDLE.replace("B3: scavenger", "B3: scavenger\nB5: scavenger"))
    for text in ["attack A1 B1", "mimic B1 B2", *moves]:
        offered = [str(move) for move in legal_moves(state)]
        before = dump(state)
        stored, written = load(before), playable(position_of(state, ALL), b"other")
        assert [str(move) for move in legal_moves(stored)] == offered == [str(move) for move in legal_moves(written)]
        assert dump(stored) == before
        apply(state, read_move(state, text))
        apply(stored, read_move(stored, text))
        assert dump(stored) == dump(state)
