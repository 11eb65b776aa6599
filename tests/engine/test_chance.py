"""The stream of chance: described so that a stranger can compute it, and without favour for any face."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter

import pytest

from engine import BadOption, new_game
from engine.chance import below, die, stream_key
from engine.rulebooks.book import rulebook
from engine.state import State


def stream(key: bytes = b"key") -> State:
    return State(rulebook(), 2, key)


def test_draws_read_the_words_of_the_blocks_one_after_the_other() -> None:
    state = stream()
    words = [hmac.new(b"key", block.to_bytes(8, "big"), hashlib.sha256).digest() for block in range(2)]
    text = b"".join(words)
    expected = [int.from_bytes(text[at : at + 8], "big") % 1000 for at in range(0, 64, 8)]
    assert [below(state, 1000) for _ in range(8)] == expected
    assert state.counter == 8


def test_the_key_is_made_of_the_seed() -> None:
    assert stream_key(b"seed") == hashlib.sha256(b"galapost chance 1" + b"seed").digest()


def test_the_incomplete_last_round_is_thrown_away() -> None:
    state = stream()
    n = (1 << 63) + 1  # nearly every second word lies in the incomplete round
    draws = [below(state, n) for _ in range(200)]
    assert state.counter > 300
    assert max(draws) < n


def test_every_face_of_the_die_comes_equally_often() -> None:
    state = stream()
    faces = Counter(die(state) for _ in range(12_000))
    assert set(faces) == {1, 2, 3, 4, 5, 6}
    assert all(1_800 < count < 2_200 for count in faces.values())


def test_dice_that_are_laid_down_come_first() -> None:
    state = stream()
    state.dice = (6, 1)
    assert [die(state), die(state)] == [6, 1]
    assert state.counter == 0


def test_the_deal_leaves_six_cards_each_and_the_rest_as_deck() -> None:
    state = new_game(b"seed", 4)
    assert [len(player.hand) for player in state.players] == [6, 6, 6, 6]
    assert len(state.deck) == 84 - 24


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_seat_may_be_first(seats: int) -> None:
    firsts = Counter(new_game(bytes([number]), seats).first for number in range(120))
    assert set(firsts) == set(range(seats))


@pytest.mark.parametrize(
    ("seats", "options", "said"),
    [
        (1, {}, "2 to 8 seats, not 1"),
        (9, {"sets": "two"}, "2 to 8 seats, not 9"),
        (5, {}, "5 seats need 'sets' to be 'two'"),
        (7, {"sets": "two", "bank-table": "gift"}, "no line for 7 seats"),
        (2, {"colour": "red"}, "there is no option 'colour'"),
        (2, {"deck": "fourth"}, "one of third-edition, classic, not 'fourth'"),
        (2, {"taking": True}, "not True"),
    ],
)
def test_house_rules_that_do_not_fit_are_refused(seats: int, options: dict[str, str], said: str) -> None:
    with pytest.raises(BadOption, match=said):
        new_game(b"seed", seats, options)
