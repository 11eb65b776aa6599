"""Positions as text, both ways, and made playable."""

from __future__ import annotations

import random

import pytest

from engine import BadPosition, State, apply, asked, dump, legal_moves, load, read_move, view
from engine.positions import ALL, Position, parse_position, playable, position_of, print_position
from engine.vocabulary import animal_id
from tests.engine.play import random_play

# The example of NOTATION.md, with the trait that a hibernating animal needs to be playable.
EXAMPLE = """\
turn 3 feeding; bank 4; deck 50; first A; go A
A: hand camouflage/fat-tissue, grazing/fat-tissue; discard 3
A1: carnivorous, fat-tissue*, fat-tissue; food rb
A2: hibernation, swimming; hibernating
A3:
A1+A2: cooperation
A2>A1: symbiosis
B: hand 5; discard 0
B1: burrowing, parasite; food rr; poisoned
"""
UNPLAYABLE = EXAMPLE.replace("hibernation, swimming", "swimming")
EVERYTHING = """\
turn 7 feeding; bank 2; deck 60; first B; go A; seats 6; rules sets two, mimicry per-attack; acted; used; idle 3; \
pending cooperation A1>A2
A: hand 2; discard piracy, running; born 12
A1: carnivorous, grazing, piracy; food bb; poisoned; hunted; pirated; grazed; forfeit grazing; forfeit piracy
A2: hibernation; hibernated
A3: scavenger
A4: scavenger
A1+A2: communication; spent
A1+A2: cooperation
C1: mimicry; mimicked
awaiting A: scavenge A3 A4
"""
DEFENDED = """\
turn 3 feeding; bank 1; deck 50; first A; go A; acted
A: hand 0; discard 0
A1: carnivorous; hunted
B: hand 0; discard 0
B1: running, mimicry, tail-loss; mimicked
B2: running, mimicry
awaiting B: defend A1 B2; ran B1
"""
SHARED = """\
turn 3 feeding; bank 1; deck 50; first A; go A; acted
A: hand 0; discard 0
A1: food r
A2:
A3:
A1+A2: communication
A1+A3: communication
B: hand 0; discard 0
awaiting A: share communication A1>A2, communication A1>A3
"""
OVER = "turn 9 over; bank 0; deck 0; first A; last-turn\nA: hand 0; discard 3\nB1: swimming; food r\n"


def made(text: str, seed: bytes = b"seed") -> State:
    return playable(parse_position(text), seed)


@pytest.mark.parametrize("text", [EXAMPLE, UNPLAYABLE, EVERYTHING, DEFENDED, SHARED, OVER])
def test_a_canonical_position_prints_as_it_was_written(text: str) -> None:
    assert print_position(parse_position(text)) == text


@pytest.mark.parametrize("text", [EXAMPLE, EVERYTHING, DEFENDED, SHARED, OVER])
def test_a_state_made_of_a_position_prints_it_again(text: str) -> None:
    state = made(text)
    again = position_of(state, None)
    assert print_position(parse_position(print_position(again))) == print_position(again)
    twin = playable(position_of(state, ALL), b"other")
    assert position_of(twin, ALL) == position_of(state, ALL)
    assert dump(load(dump(state))) == dump(state)
    assert [str(move) for move in legal_moves(twin)] == [str(move) for move in legal_moves(state)]


@pytest.mark.parametrize(
    ("loose", "canonical"),
    [
        ("a2 + a1: Сотрудничество", "A1+A2: cooperation\n"),
        ("А2>A1: СИМБИОЗ", "A2>A1: symbiosis\n"),
        ("A2+A1: cooperation ; spent", "A1+A2: cooperation; spent\n"),
        ("A1:fat-tissue *,large;FOOD 2  # a comment", "A1: fat-tissue*, large; food rr\n"),
        ("A1: food 0", "A1:\n"),
        ("A1: food br", "A1: food br\n"),
        ("B: discard carnivorous/large, running", "B: hand 0; discard large/carnivorous, running\n"),
        ("awaiting b: Scavenge B4 B2", "awaiting B: scavenge B2 B4\n"),
    ],
)
def test_a_position_is_read_loosely_and_printed_canonically(loose: str, canonical: str) -> None:
    header = "turn 3 feeding; bank 4; deck 50; first A; go A\n"
    assert print_position(parse_position(header + loose)) == header + canonical


def test_the_deck_list_is_short_for_the_house_rule() -> None:
    header = "turn 3 feeding; bank 4; deck 50; first A; go A; "
    assert parse_position(header + "deck-list classic") == parse_position(header + "rules deck classic")
    state = made(header + "deck-list classic\nA: hand camouflage")
    assert state.book.options["deck"] == "classic"


def test_what_the_header_does_not_say_is_filled_in_and_what_it_says_holds() -> None:
    header = "turn 3 feeding; bank 4; deck 50; first A; go A"
    state = playable(parse_position(header), b"", {"taking": "free"}, 4)
    assert (len(state.players), state.book.options["taking"]) == (4, "free")
    state = playable(parse_position(f"{header}; seats 3; rules taking compulsory"), b"", {"taking": "free"}, 4)
    assert (len(state.players), state.book.options["taking"]) == (3, "compulsory")
    assert len(made(header).players) == 2
    assert len(made(f"{header}\nC1:").players) == 3


def test_five_to_eight_seats_need_two_sets() -> None:
    header = "turn 3 feeding; bank 4; deck 50; first A; go A; seats 8"
    assert len(made(f"{header}; rules sets two").players) == 8
    with pytest.raises(BadPosition, match="'two'"):
        made(header)


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("", ["there is no header"]),
        ("A1: large", ["there is no header"]),
        ("turn 3 feeding", ["no 'bank'", "no 'deck'", "no 'first'", "no 'go'"]),
        ("turn 3 dinner; bank x; deck ١", ["line 1: expected 'turn N'", "came 'x'", "came '١'", "no 'first'"]),
        ("turn 3 over; bank 0; deck 0; first A; go A", ["leave 'go' out"]),
        ("turn 3 feeding; bank 1; bank 2; deck 5; first A; go A; lunch", ["'bank' is said 2 times", "came 'lunch'"]),
        (
            "turn 3 feeding; bank 1; deck 5; first I; go A; acted twice; rules sets",
            ["expected a seat", "a word alone", "'rules OPTION VALUE"],
        ),
        (
            f"{EXAMPLE}\nA1:\nA:\nawaiting A: go\nA1+A2: large\nA1>A2: cooperation\n"
            "A4: fish; sleeping\nA5: swimming*\nhello",
            [
                "line 11: this animal has a line",
                "line 12: this seat has a line",
                "line 13: an ordinary go",
                "line 14: large is not a paired trait",
                "line 15: expected two animals as 'A1+A2'",
                "line 16: expected a trait",
                "line 16: expected one of food",
                "line 17: only a fat card",
                "line 18: expected 'turn",
            ],
        ),
        (f"{EXAMPLE}A9: food 100; food rx", ["'food' is said 2 times", "came '100'", "came 'rx'"]),
        (
            f"{EXAMPLE}C: hand large; hands 3; discard -1",
            ["there is no card 'large'", "came 'hands'", "a trait such as"],
        ),
        (f"{EXAMPLE}awaiting B: lunch", ["expected 'defend', 'scavenge' or 'share'"]),
        (f"{EXAMPLE}awaiting B: defend A1", ["the carnivore and the prey"]),
        (f"{EXAMPLE}awaiting B: share", ["expected what is awaited"]),
        (f"{EXAMPLE}awaiting B: scavenge B1; ran B1", ["expected nothing after 'scavenge'"]),
        ("x" * 1_000_000, ["line 1: expected at most"]),
        ("\n" * 1_000_000, ["expected at most"]),
    ],
)
def test_what_cannot_be_read_is_refused_with_every_fault_named(text: str, faults: list[str]) -> None:
    with pytest.raises(BadPosition) as refusal:
        parse_position(text)
    assert all(any(fault in said for said in refusal.value.faults) for fault in faults), refusal.value.faults


FEEDING = "turn 3 feeding; bank 4; deck 50; first A; go A; acted\n"


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        (FEEDING + "A1: swimming, swimming", ["A1: 2 cards swimming"]),
        (FEEDING + "A1: parasite, parasite", ["A1: 2 cards parasite"]),
        (FEEDING + "A1: carnivorous, scavenger", ["A1: carnivorous and scavenger exclude each other"]),
        (FEEDING + "A1: scavenger, carnivorous", ["A1: carnivorous and scavenger exclude each other"]),
        (FEEDING + "A1: cooperation", ["A1: cooperation is a paired card"]),
        (FEEDING + "A1: food 2", ["A1: food 2, it needs 1"]),
        (FEEDING + "A1: fat-tissue*; food 2", ["A1: food 2, it needs 1"]),
        (FEEDING + "A1: hibernating", ["'hibernating' without hibernation"]),
        (FEEDING + "A1: hibernated", ["'hibernated' without hibernation"]),
        (FEEDING + "A1: hunted", ["'hunted' without carnivorous"]),
        (FEEDING + "A1: pirated", ["'pirated' without piracy"]),
        (FEEDING + "A1: mimicked", ["'mimicked' without mimicry"]),
        (FEEDING + "A1: grazed", ["'grazed' without grazing"]),
        (FEEDING + "B1: grazing; grazed", ["B1: 'grazed' is of the go"]),
        (FEEDING + "A1: forfeit piracy", ["forfeit piracy without piracy"]),
        (FEEDING + "A1: large; forfeit large", ["large is nothing to forfeit"]),
        (FEEDING + "A1:\nA1+A1: cooperation", ["joins two different animals"]),
        (FEEDING + "A1:\nA1+A2: cooperation", ["A2 has no line"]),
        (FEEDING + "A1:\nB1:\nA1+B1: cooperation", ["joins animals of one seat"]),
        (FEEDING + "A1:\nA2:\nA1+A2: cooperation\nA2+A1: cooperation", ["joined by cooperation twice"]),
        (FEEDING + "A1:\nA2:\nA1>A2: symbiosis\nA2>A1: symbiosis", ["joined by symbiosis twice"]),
        (FEEDING + "A1:\nA2:\nA1>A2: symbiosis; spent", ["symbiosis never fires"]),
        (FEEDING + "A: born 2\nA3:", ["born 2, but there is an animal A3"]),
        (FEEDING + "A: passed", ["'passed' is of the development phase"]),
        (FEEDING.replace("bank 4", "bank 4; seats 2") + "C1:", ["C has a line, there are 2 seats"]),
        (FEEDING.replace("go A", "go C"), ["go C: there are 2 seats"]),
        (FEEDING.replace("first A", "first D"), ["first D: there are 2 seats"]),
        (FEEDING.replace("turn 3", "turn 0"), ["turns are numbered from 1"]),
        (FEEDING.replace("acted", "last-turn"), ["'last-turn' with deck 50"]),
        (FEEDING.replace("deck 50", "deck 0"), ["deck 0 without 'last-turn'"]),
        (FEEDING.replace("acted", "idle 2"), ["idle 2: feeding ends"]),
        (FEEDING.replace("acted", "seats 9"), ["2 to 8 seats, not 9"]),
        (FEEDING.replace("acted", "seats 0"), ["2 to 8 seats, not 0"]),
        (FEEDING.replace("acted", "rules luck good, taking never"), ["no option 'luck'", "not 'never'"]),
        (FEEDING.replace("acted", "deck-list classic; rules deck classic"), ["said twice"]),
        (FEEDING.replace("acted", "rules sets two, bank-table gift; seats 7"), ["no line for 7 seats"]),
        (
            "turn 3 development; bank 2; deck 50; first A; go A; acted; used; idle 1\n"
            "A1: carnivorous; food 1; hunted; forfeit carnivorous\nA2:\nA1+A2: cooperation; spent",
            [
                "bank 2 in phase development",
                "'acted' in phase development",
                "'used' in phase development",
                "'idle' in phase development",
                "'spent' is of the feeding phase",
                "A1: 'food' in development",
                "A1: 'hunted' in development",
                "A1: 'forfeit' in development",
            ],
        ),
        (
            FEEDING + "A1: swimming, swimming; food 3\nB1: mimicked",
            ["2 cards swimming", "food 3", "'mimicked' without"],
        ),
    ],
)
def test_a_position_that_breaks_the_rules_is_refused_with_every_fault_named(text: str, faults: list[str]) -> None:
    with pytest.raises(BadPosition) as refusal:
        made(text)
    said = refusal.value.faults
    assert len(said) == len(faults), said
    assert all(any(fault in one for one in said) for fault in faults), said


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (("; acted", ""), "the header needs 'acted'"),
        (("; hunted", ""), "its line needs 'hunted'"),
        (("go A", "go B"), "attacks in another seat's go"),
        (("awaiting B", "awaiting A"), "its owner answers"),
        (("defend A1 B2", "defend A1 B7"), "there is no B7"),
        (("carnivorous; hunted", "carnivorous; food 2; hunted"), "cannot receive anything"),
        (("B2: running", "B2: camouflage, running"), "prey-camouflaged"),
        (("ran B1", "ran A1"), "A1 has not run"),
        (("B2: running, mimicry", "B2:"), "no defence left"),
    ],
)
def test_a_defence_that_the_rules_would_not_ask_for_is_refused(change: tuple[str, str], fault: str) -> None:
    with pytest.raises(BadPosition, match=fault):
        made(DEFENDED.replace(*change))


SCAVENGED = """
turn 3 feeding; bank 3; deck 50; first A; go A; acted; pending cooperation A1>A2
A1: carnivorous; food bb; hunted
A2:
A1+A2: cooperation
B1: scavenger
B2: scavenger
B3: large
awaiting B: scavenge B1 B2
"""


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (SCAVENGED.replace("; acted", ""), "the header needs 'acted'"),
        (SCAVENGED.replace("; hunted", ""), "the line of the hunter needs 'hunted'"),
        (SCAVENGED.replace("B1 B2\n", "B1\n"), "it is B that is asked: B1, B2"),
        (SCAVENGED.replace("A2:\n", "A2: scavenger\n"), "it is A that is asked: A2"),
        (SCAVENGED.replace("scavenger\n", "scavenger; food 1\n"), "no scavenger can receive"),
        (SCAVENGED.replace("pending", "rules scavenger first; pending"), "by the house rule nobody is asked"),
        (SCAVENGED.replace("A1>A2", "A2>A3"), "pending: cooperation A2>A3: there is no such card"),
        (SCAVENGED.replace("A1+A2: cooperation", "A1+A2: cooperation; spent"), "the card is spent"),
        (SCAVENGED.replace("awaiting B: scavenge B1 B2\n", ""), "pending: nothing else is asked"),
        (SHARED.replace("; acted", ""), "the header needs 'acted' or 'used'"),
        (SHARED.replace("bank 1", "bank 0"), "none of these triggers is possible"),
        (SHARED.replace("awaiting A", "awaiting B"), "it is A that is asked"),
        (SHARED.replace("A1+A3: communication", "A1+A3: communication; spent"), "the card is spent"),
        (SHARED.replace("A1+A3: communication", "A1>A3: symbiosis"), "there is no such card"),
    ],
)
def test_another_answer_that_the_rules_would_not_ask_for_is_refused(text: str, fault: str) -> None:
    with pytest.raises(BadPosition, match=fault):
        made(text)


def test_an_open_answer_is_played_on() -> None:
    state = made(SCAVENGED)
    assert asked(state) == 1
    apply(state, read_move(state, "scavenge B2"))
    assert state.animal(animal_id(0, 2)).food == "b"  # the pending card fired when the scavenger had eaten
    assert state.animal(animal_id(1, 2)).food == "b"
    assert [str(move) for move in legal_moves(state)] == ["feed B1", "feed B3"]


def test_a_position_that_was_only_loaded_has_not_moved() -> None:
    """One animal and one token: the go would play itself, but only when it is asked for."""
    state = made("turn 3 feeding; bank 1; deck 50; first A; go A\nA1:\nB1:")
    assert (state.bank, state.answers) == (1, None)
    legal_moves(state)
    assert state.phase == "development"


def test_a_seat_sees_numbers_where_cards_are_not_its_own() -> None:
    state = made(EXAMPLE.replace("discard 3", "discard running"))
    own, other, spectator, everything = (position_of(state, viewer) for viewer in (0, 1, None, ALL))
    assert print_position(own).splitlines()[1] == "A: hand camouflage/fat-tissue, grazing/fat-tissue; discard running"
    assert print_position(other).splitlines()[1] == "A: hand 2; discard 1"
    assert print_position(spectator).splitlines()[1] == "A: hand 2; discard 1"
    assert isinstance(everything.players[1].hand, tuple)
    assert not isinstance(own.players[1].hand, tuple)
    assert view(state, 1)["position"] == print_position(other)


@pytest.mark.parametrize("number", range(50))
def test_every_position_of_a_random_game_is_read_back_and_plays_on(number: int) -> None:
    chance = random.Random(number)
    for state, _ in random_play(number):
        position = position_of(state, chance.choice([ALL, None, *range(len(state.players))]))
        assert parse_position(print_position(position)) == position
        if chance.random() < 0.1:
            _plays_on(state, position_of(state, ALL))


def _plays_on(state: State, position: Position) -> None:
    twin = playable(position, b"any")
    assert position_of(twin, ALL) == position
    assert [str(move) for move in legal_moves(twin)] == [str(move) for move in legal_moves(state)]
