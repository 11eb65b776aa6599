"""The PettingZoo environment: its own tests pass, nothing hidden is in an observation, the result is the reward."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from galapost_rl import env, raw_env
from galapost_rl.environment import IllegalAction
from pettingzoo.test import api_test, seed_test

from engine import BadOption, State, apply, legal_moves, view, winners
from engine.vocabulary import SEAT_LETTERS
from tests.engine.play import game, random_play

TABLES: list[dict[str, Any]] = [
    {"seats": 2},
    {"seats": 3, "rules": {"deck": "classic", "taking": "free"}},
    {"seats": 4},
    {"seats": 8, "rules": {"sets": "two"}},
]
# What api_test says of every environment whose observation holds a mask, and of agents that are named after seats.
USUAL = ("Observation is not a NumPy array", "Observation space for each agent probably", "We recommend agents to be")


@pytest.mark.parametrize("table", TABLES, ids=lambda table: str(table["seats"]))
def test_it_passes_the_api_test(table: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        api_test(env(**table), num_cycles=300)
    # What another test of this process left open is told whenever it is collected.
    ours = [str(one.message) for one in said if not issubclass(one.category, ResourceWarning)]
    assert [message for message in ours if not message.startswith(USUAL)] == []
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.parametrize("table", TABLES, ids=lambda table: str(table["seats"]))
def test_it_passes_the_seed_test(table: dict[str, Any]) -> None:
    seed_test(lambda: env(**table), num_cycles=300)


def played(environment: Any, seed: int) -> Iterator[tuple[str, dict[str, Any], float, bool]]:
    """A game of random players: who looked, at what, the reward, whether it was over."""
    environment.reset(seed=seed)
    chance = np.random.default_rng(seed)
    for agent in environment.agent_iter():
        seen, reward, over, _, _ = environment.last()
        yield agent, seen, reward, over
        environment.step(None if over else int(chance.choice(np.flatnonzero(seen["action_mask"]))))


@pytest.mark.parametrize("table", TABLES, ids=lambda table: str(table["seats"]))
def test_every_observation_of_a_game_lies_in_its_space(table: dict[str, Any]) -> None:
    environment = raw_env(**table)
    for agent, seen, _, over in played(environment, 5):
        assert environment.observation_space(agent).contains(seen)
        assert bool(seen["action_mask"].any()) is not over
        for other in environment.agents:
            if other != agent:
                waiting = environment.observe(other)
                assert environment.observation_space(other).contains(waiting)
                assert not waiting["action_mask"].any()


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_reward_is_the_result_and_sums_up_to_nothing(seats: int) -> None:
    environment = raw_env(seats=seats)
    for seed in range(10):
        rewards = {agent: reward for agent, _, reward, over in played(environment, seed) if over}
        won = [SEAT_LETTERS[seat] for seat in winners(environment.game)]
        assert list(rewards) == list(SEAT_LETTERS[:seats])
        assert sum(rewards.values()) == pytest.approx(0)
        if len(won) == 1:
            assert rewards[won[0]] == 1
        assert all((rewards[agent] == max(rewards.values())) is (agent in won) for agent in rewards)


def test_a_victory_shared_by_all_is_worth_nothing_to_anyone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("galapost_rl.environment.winners", lambda state: [0, 1])
    assert {reward for _, _, reward, _ in played(raw_env(), 1)} == {0.0}


def test_a_reset_without_a_seed_is_the_next_game_of_the_series() -> None:
    def games(seed: int) -> list[bytes]:
        environment = raw_env()
        environment.reset(seed=seed)
        first = environment.game.key
        environment.reset()
        return [first, environment.game.key]

    assert games(3) == games(3)
    assert len({*games(3), *games(4)}) == 4


def at_table(number: int) -> Any:
    """The environment of a table as that random game is played at."""
    state = game(number)
    environment = raw_env(len(state.players), state.book.options)
    environment.reset()
    return environment


def swapped(state: State, viewer: int) -> State:
    """The same table with another deck, other hands and other cards face down and in the piles of the others."""
    twin = state.copy()
    others = [player for seat, player in enumerate(twin.players) if seat != viewer]
    held = [*twin.deck, *(card for player in others for card in (*player.hand, *player.pile))]
    held += [animal.card for player in others for animal in player.animals.values()]
    cards = iter(sorted(held))
    for player in others:
        player.hand = tuple(next(cards) for _ in player.hand)
        player.pile = tuple(next(cards) for _ in player.pile)
        for animal in player.animals.values():
            animal.card = next(cards)
    twin.deck = tuple(cards)
    twin.key, twin.counter = b"another", 0
    return twin


@pytest.mark.parametrize("number", range(14))
def test_nothing_hidden_is_in_an_observation(number: int) -> None:
    environment = at_table(number)
    differed = 0
    for at, (state, _) in enumerate(random_play(number)):
        if at % 7 == 0:
            for viewer, agent in enumerate(environment.agents):
                environment.game, environment.legal = state, {}
                seen = environment.observe(agent)["observation"]
                environment.game = swapped(state, viewer)
                differed += environment.game.deck != state.deck
                assert np.array_equal(environment.observe(agent)["observation"], seen)
    assert differed > 10, "the decks were exchanged indeed"


def test_an_observation_tells_different_tables_apart() -> None:
    """Every move of a game changes what its own seat sees."""
    for number in range(4):
        environment = at_table(number)
        for state, move in random_play(number):
            seat = state.stack[-1].seat
            before = environment.observations.vector(view(state, seat))
            after = state.copy()
            apply(after, move)
            assert not np.array_equal(environment.observations.vector(view(after, seat)), before)


def test_an_action_outside_the_mask_is_refused_and_changes_nothing() -> None:
    environment = raw_env()
    environment.reset(seed=1)
    before = legal_moves(environment.game)
    illegal = int(np.flatnonzero(environment.observe(environment.agent_selection)["action_mask"] == 0)[0])
    with pytest.raises(IllegalAction, match=f"action {illegal} is none of the {len(before)} legal ones"):
        environment.step(illegal)
    assert legal_moves(environment.game) == before


def test_in_the_usual_wrappers_it_loses_the_game() -> None:
    environment = env()
    environment.reset(seed=1)
    agent = environment.agent_selection
    environment.step(int(np.flatnonzero(environment.last()[0]["action_mask"] == 0)[0]))
    assert all(environment.terminations.values())
    assert environment.rewards[agent] == -1


def test_it_can_be_drawn() -> None:
    environment = raw_env(render_mode="ansi")
    environment.reset(seed=1)
    drawn = environment.render()
    assert drawn is not None
    assert "Turn 1" in drawn


@pytest.mark.parametrize("table", [{"seats": 1}, {"seats": 5}, {"rules": {"luck": "good"}}])
def test_a_table_that_the_rules_do_not_know_is_refused(table: dict[str, Any]) -> None:
    with pytest.raises(BadOption):
        env(**table)
