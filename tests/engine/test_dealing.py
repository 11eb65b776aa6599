"""Cards for what a position does not name: distinct cards of the deck, or a fault."""

from __future__ import annotations

from collections import Counter

import pytest

from engine import BadPosition, dump
from engine.cards import END_KIND, KINDS
from engine.positions import ALL, position_of
from engine.vocabulary import TRAIT_CODES, animal_id
from tests.engine.play import cards
from tests.engine.test_positions import EXAMPLE, FEEDING, made


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (FEEDING + "A: hand running, running, running, running\nA1: running", "1 cards are shown with running"),
        (FEEDING + "A: hand running, running, running, running, running", "5 cards 'running' are named, there are 4"),
        (FEEDING + "A: hand camouflage", "1 cards 'camouflage' are named, there are 0"),
        (FEEDING + "\n".join(f"A{n}: grazing" for n in range(1, 6)), "5 cards are shown with grazing, there are 4"),
        (FEEDING.replace("deck 50", "deck 85"), "85 cards are needed"),
        (FEEDING + "A: hand 30; discard 5", "85 cards are needed"),
        (FEEDING + "A: hand 9999", "cards are needed"),
        (FEEDING + "\n".join(f"A{n}: running" for n in range(1, 100)), "99 traits are shown"),
    ],
)
def test_more_cards_than_the_deck_has_are_refused(text: str, fault: str) -> None:
    with pytest.raises(BadPosition, match=fault):
        made(text)


def test_ends_that_share_their_cards_are_counted_together() -> None:
    """Every end alone could be found, but parasite and large lie on 16 cards together with other ends."""
    parasites = "\n".join(f"A{n}: parasite, large, carnivorous, fat-tissue" for n in range(1, 9))
    assert made(FEEDING.replace("deck 50", "deck 30") + parasites)
    pairs = "\n".join(f"A{n}+A{n + 1}: cooperation" for n in range(1, 8)) + "\nA1+A8: cooperation"
    others = "\n".join(
        f"B{n}: fat-tissue, fat-tissue, sharp-vision, burrowing, grazing, camouflage" for n in range(1, 5)
    )
    classic = FEEDING.replace("deck 50", "deck 1; deck-list classic")
    with pytest.raises(BadPosition, match="carnivorous, cooperation, fat-tissue, large, parasite"):
        made(f"{classic}{parasites}\n{pairs}\n{others}")


def test_two_sets_have_twice_the_cards() -> None:
    text = FEEDING + "\n".join(f"A{n}: grazing" for n in range(1, 9))
    assert made(text.replace("acted", "rules sets two"))


def test_all_cards_dealt_are_cards_of_the_deck() -> None:
    for seed in range(20):
        state = made(EXAMPLE, bytes([seed]))
        dealt = Counter(cards(state))
        assert dealt <= Counter(state.book.cards())
        assert dealt.total() == 2 + 3 + 4 + 7 + 2 + 5 + 50
        traits = [TRAIT_CODES["carnivorous"], TRAIT_CODES["fat-tissue"], TRAIT_CODES["fat-tissue"]]
        line = position_of(state, ALL).animals[animal_id(0, 1)]
        assert list(line.cards) == traits


def test_named_cards_are_where_they_are_named_and_the_seed_deals_the_rest() -> None:
    state = made(EXAMPLE)
    assert [KINDS[card] for card in state.players[0].hand] == ["camouflage/fat-tissue", "grazing/fat-tissue"]
    assert dump(made(EXAMPLE)) == dump(state)
    assert dump(made(EXAMPLE, b"another")) != dump(state)


def test_a_shown_end_gets_a_card_that_a_named_one_leaves() -> None:
    """Seven of the eight cards with parasite are named: the parasite on the table is the last one."""
    named = ["parasite/carnivorous"] * 4 + ["parasite/fat-tissue"] * 3
    state = made(f"{FEEDING}A: hand {', '.join(named)}\nB1: parasite")
    (end,) = state.animal(animal_id(1, 1)).cards
    assert KINDS[END_KIND[end]] == "parasite/fat-tissue"
