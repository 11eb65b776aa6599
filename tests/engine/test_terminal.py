"""A game in the terminal, the table as text, the moves as sentences, and the command line."""

from __future__ import annotations

import io
import json

import pytest

from engine import State, draw_table, legal_moves, read_move, sentence, view
from engine.__main__ import main
from engine.drawing import WIDTH
from engine.positions import parse_position, playable
from engine.terminal import play
from tests.engine.play import random_play
from tests.engine.test_notation import DEFENDING, DEVELOPING, FEEDING, SHARING


def at(position: str) -> State:
    return playable(parse_position(position), b"seed")


class Person:
    """Types what it is given, then the first move every time; keeps what it is shown."""

    def __init__(self, *lines: str, then: str = "1") -> None:
        self.lines = list(lines)
        self.then = then
        self.shown: list[str] = []

    def read(self, prompt: str) -> str:
        line = self.lines.pop(0) if self.lines else self.then
        if not line:
            raise EOFError
        return line

    def write(self, text: str) -> None:
        self.shown.append(text)

    def play(self, seats: int = 3, me: int = 0, options: dict[str, str] | None = None) -> bool:
        return play(seats, me, "seed", options or {}, self.read, self.write)

    @property
    def screen(self) -> str:
        return "\n".join(self.shown)


@pytest.mark.parametrize(("seats", "options"), [(2, {}), (3, {"deck": "classic"}), (8, {"sets": "two"})])
def test_a_game_is_played_to_its_end_and_scored(seats: int, options: dict[str, str]) -> None:
    person = Person()
    assert person.play(seats, seats - 1, options)
    assert "The game is over." in person.screen
    assert sum("points" in line for line in person.shown) == seats
    assert person.shown[-1] in ("You have won.", "You have not won this time.")


def test_the_same_seed_plays_the_same_game() -> None:
    one, other = Person(), Person()
    assert one.play() == other.play()
    assert one.shown == other.shown


def test_the_cards_of_others_are_not_shown() -> None:
    person = Person()
    person.play(2)
    assert "B> animal ?" in person.shown
    assert not [line for line in person.shown if line.startswith("B> animal ") and line != "B> animal ?"]


def test_moves_are_taken_by_number_and_by_notation() -> None:
    person = Person("PASS", then="")
    person.play(2)
    assert "A> pass" in person.shown


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("0", "There are moves 1 to"),
        ("9999", "There are moves 1 to"),
        ("99999", "expected a move"),
        ("١", "expected a move"),
        ("fly A1", "expected a move"),
        ("feed A1", "'help' says"),
        ("animal ?", "stands for a card"),
        ("help", "Answer with the number"),
        ("table", "in hand:"),
        ("TABLE", "in hand:"),
        ("Help", "Answer with the number"),
        ("hand", "in hand: "),
        ("moves", "Pass."),
        ("", "The game is left"),
    ],
)
def test_what_is_typed_is_answered_and_the_question_stays(line: str, said: str) -> None:
    person = Person(line, then="")
    assert not person.play()
    assert said in person.screen
    assert "The game is left in turn 1." in person.shown


def test_the_hand_is_shown_alone() -> None:
    person = Person("hand", then="")
    person.play()
    assert person.shown[-2].startswith("in hand: ") and person.shown[-2].count(",") == 5


def test_quit_leaves_the_game() -> None:
    person = Person("quit")
    assert not person.play()
    assert person.lines == []
    assert person.shown[-1] == "The game is left in turn 1."


SENTENCES = {
    "animal running": "Play running face down as a new animal.",
    "play running A1": "Put running on A1.",
    "play cooperation/fat-tissue A1+A2": "Join A1 and A2 with cooperation/fat-tissue.",
    "play symbiosis A2>A1": "Make A2 the symbiont that protects A1.",
    "pass": "Pass.",
    "feed A1": "Feed A1 from the bank.",
    "attack A1 B1": "Attack B1 with A1.",
    "convert A2 2": "Turn 2 fat of A2 into food.",
    "steal A1 B2": "Steal a food token from B2 with A1.",
    "graze A2": "Destroy a food token of the bank with A2.",
    "hibernate A2": "Let A2 hibernate.",
    "run B1": "Let B1 run; it escapes on 4, 5 or 6.",
    "drop B1 running": "Let B1 lose running and live.",
    "drop B1 fat-tissue*": "Let B1 lose a full fat-tissue and live.",
    "drop B1 cooperation B1+B3": "Let B1 lose cooperation with B3 and live.",
    "share communication A1>A2": "Pass a token from A1 to A2 by communication.",
}


def test_every_move_has_its_sentence() -> None:
    told: dict[str, str] = {}
    for position in (DEVELOPING, FEEDING, DEFENDING, SHARING):
        told |= {str(move): sentence(move) for move in legal_moves(at(position))}
    assert {notation: told[notation] for notation in SENTENCES} == SENTENCES
    assert all(text[0].isupper() and text.endswith(".") for text in told.values())


def test_rare_answers_have_sentences_too() -> None:
    mimic = at(DEFENDING.replace("B1: tail-loss", "B1: mimicry, tail-loss"))
    assert sentence(read_move(mimic, "mimic B1 B3")) == "Send the attacker from B1 to B3."
    scavenge = at(
        "turn 3 feeding; bank 1; deck 50; first A; go A; acted\nA1: carnivorous; food 2; hunted\n"
        "A2: scavenger\nA3: scavenger\nawaiting A: scavenge A2 A3"
    )
    assert sentence(read_move(scavenge, "scavenge A3")) == "Let A3 scavenge."
    house_rule = DEFENDING.replace("acted", "acted; rules tail-loss optional").replace(", running", "")
    assert sentence(read_move(at(house_rule), "yield B1")) == "Let B1 defend itself no more."


TABLE = """\
Turn 3, feeding | bank 4 | deck 50 | first A
------------------------------------------------------------------------------
A (you) | hand 2 | pile 1
   A1  food ●●, fat ■□, fed
       carnivorous, fat-tissue, fat-tissue
   A2  food ○, hungry, hibernated, forfeits hibernation
       hibernation, swimming
   A3  food ●, fed
   A2 --> A1 symbiosis
   A2 <-> A3 cooperation (spent)
   in hand: grazing/fat-tissue, mimicry
B | hand 5 | pile 0
   B1  food ●○○, hungry, poisoned
       burrowing, parasite
------------------------------------------------------------------------------
A acts."""


def test_the_table_is_drawn_as_plain_text() -> None:
    text = """
    turn 3 feeding; bank 4; deck 50; first A; go A; used
    A: hand grazing/fat-tissue, mimicry; discard 1
    A1: carnivorous, fat-tissue*, fat-tissue; food 2
    A2: hibernation, swimming; hibernated; forfeit hibernation
    A3: food 1
    A2>A1: symbiosis
    A2+A3: cooperation; spent
    B: hand 5
    B1: burrowing, parasite; food 1; poisoned
    """
    assert draw_table(view(at(text), 0)) == TABLE


def test_a_spectator_sees_no_hand() -> None:
    drawn = draw_table(view(at(DEVELOPING), None))
    assert "in hand" not in drawn
    assert "(you)" not in drawn


@pytest.mark.parametrize("number", range(14))
def test_the_table_fits_in_a_mail_whatever_lies_on_it(number: int) -> None:
    for state, move in random_play(number):
        drawn = draw_table(view(state, number % len(state.players)))
        assert max(map(len, drawn.splitlines())) <= WIDTH
        assert sentence(move)


def test_the_command_plays_a_game(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n1\n"))
    assert main(["play", "--seats", "3", "--me", "b", "--deck", "classic", "--seed", "x"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("You are B of 3 seats; the seed is x.")
    assert "The game is left in turn" in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "COMMAND"),
        (["fly"], "invalid choice"),
        (["scenarios"], "FILE"),
        (["play", "--seats", "1"], "2 to 8 seats, not 1"),
        (["play", "--seats", "5"], "'two'"),
        (["play", "--seats", "many"], "invalid int"),
        (["play", "--me", "C"], "there are 2 seats"),
        (["play", "--me", "Z"], "expected a seat"),
        (["play", "--deck", "tarot"], "invalid choice"),
        (["bench", "--seconds", "0"], "more than 0"),
        (["bench", "--seconds", "nan"], "more than 0"),
    ],
)
def test_bad_arguments_get_a_clear_error(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leaving:
        main(arguments)
    assert leaving.value.code == 2
    assert said in capsys.readouterr().err


def test_an_interrupted_game_ends_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("engine.__main__.play", interrupted)
    assert main(["play", "--seed", "x"]) == 130


def test_the_bench_prints_lines_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--seconds", "0.01"]) == 0
    two, four, states = (json.loads(line) for line in capsys.readouterr().out.splitlines()[:3])
    assert (two["seats"], four["seats"]) == (2, 4)
    for result in (two, four):
        assert result["moves_per_second"] > 0
        assert result["games"] >= 1
        assert set(result) >= {"compiled", "commit", "machine", "python", "games_per_second", "seconds", "moves"}
    assert all(states[name] > 0 for name in ("copy", "dump_and_load", "replay"))
