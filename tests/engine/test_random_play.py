"""Random games: they end, they keep their cards, and every state can be stored, copied and taken up again."""

from __future__ import annotations

import pytest

from engine import apply, asked, dump, legal_moves, load, project, score, view, winners
from engine.state import State
from engine.vocabulary import FEEDING, OVER
from tests.engine.play import cards, game, random_play

GAMES = 400  # `make fuzz ARGS=play` plays thousands
BATCH = 100
LONGEST = 5000  # moves; the longest seen has some 1,100


@pytest.mark.parametrize("batch", range(GAMES // BATCH))
def test_every_game_ends_and_keeps_its_cards_and_every_state_survives_storage(batch: int) -> None:
    for number in range(batch * BATCH, (batch + 1) * BATCH):
        play_through(number)


def play_through(number: int) -> None:
    all_cards = cards(game(number))
    assert len(all_cards) in (84, 168)
    for moves, (state, move) in enumerate(random_play(number)):
        assert moves < LONGEST
        assert cards(state) == all_cards
        check_the_table(state)
        stored = dump(state)
        again = load(stored)
        assert legal_moves(again) == legal_moves(state)
        assert dump(again) == stored
        if moves % 16 == 0:
            twin = state.copy()
            apply(again, move)
            apply(twin, move)
            assert dump(twin) == dump(again)
            assert dump(state) == stored, "a copy shares nothing that changes"
    check_the_end(state)


def check_the_table(state: State) -> None:
    for animal in state.in_play():
        assert 0 <= len(animal.food) <= animal.need
        assert 0 <= animal.fat <= animal.fat_slots
    assert state.bank >= 0
    assert state.bank == 0 or state.phase == FEEDING
    assert len(legal_moves(state)) > 1, "what needs no choice is not asked"


def check_the_end(state: State) -> None:
    assert state.phase == OVER
    assert asked(state) is None
    assert not state.deck
    assert all(animal.is_fed() for animal in state.in_play())
    best = max(score(state, seat) for seat in range(len(state.players)))
    assert all(score(state, seat) == best for seat in winners(state))


def test_the_same_seed_and_moves_make_the_same_game() -> None:
    one = [(dump(state), str(move)) for state, move in random_play(7)]
    other = [(dump(state), str(move)) for state, move in random_play(7)]
    assert one == other


def test_events_are_told_to_every_viewer_and_secrets_to_their_seat_alone() -> None:
    for number in range(40):
        for state, move in random_play(number):
            seat = asked(state)
            for event in apply(state.copy(), move):
                for viewer in (None, *range(len(state.players))):
                    seen = project(event, viewer)
                    assert seen["text"].endswith(".")
                    if event.type == "animal_played":
                        assert bool(seen["card"]) is (viewer == seat)
                    if event.type == "cards_drawn":
                        assert ("cards" in seen) is (viewer is not None and "ABCDEFGH"[viewer] == seen["seat"])


def test_a_view_shows_the_hand_of_its_own_seat_only() -> None:
    for number in range(20):
        for state, _ in random_play(number):
            for viewer in (None, 0, 1):
                seen = view(state, viewer)
                shown = [seat["seat"] for seat in seen["seats"] if seat["hand"] is not None]
                assert shown == ([] if viewer is None else ["AB"[viewer]])
                faces = [animal["card"] for seat in seen["seats"] for animal in seat["animals"] if seat["hand"] is None]
                assert set(faces) <= {None}
