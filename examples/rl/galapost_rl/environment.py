"""The environment: an agent for each seat, asked whenever its seat is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle, seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from engine import State, apply, asked, check_options, draw_table, new_game, view, winners
from engine.vocabulary import SEAT_LETTERS
from galapost_rl.actions import Actions
from galapost_rl.observations import HIGHEST, Observations

SEED_BYTES: Final = 32


class IllegalAction(ValueError):
    """An action that is not in the mask of the agent whose turn it is."""


def env(**given: Any) -> AECEnv:
    """The environment in PettingZoo's usual wrappers: an illegal action loses the game. Takes what raw_env takes."""
    wrapped = wrappers.TerminateIllegalWrapper(raw_env(**given), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class raw_env(AECEnv, EzPickle):
    """A game of «Эволюция» for that number of seats under those house rules (RULES.md 10).

    Agents are named after their seats. Only decisions with at least two answers are asked. The game ends after its last
    turn; then the winner gets 1 and the others together −1; a shared victory is shared. Raises BadOption.
    """

    metadata = {"render_modes": ["ansi"], "name": "galapost_v1", "is_parallelizable": False, "render_fps": 1}  # noqa: RUF012

    def __init__(self, seats: int = 2, rules: Mapping[str, str] | None = None, render_mode: str | None = None) -> None:
        EzPickle.__init__(self, seats, rules, render_mode)
        super().__init__()
        check_options(rules or {}, seats)
        self.rules = dict(rules or {})
        self.render_mode = render_mode
        self.actions = Actions(seats)
        self.observations = Observations(seats)
        self.possible_agents = list(SEAT_LETTERS[:seats])
        self.agents: list[str] = []
        self.action_spaces = {agent: spaces.Discrete(self.actions.count) for agent in self.possible_agents}
        self.observation_spaces = {agent: self._observation_space() for agent in self.possible_agents}
        self.rng, _ = seeding.np_random()
        self.game: State

    def _observation_space(self) -> spaces.Dict:
        vector = spaces.Box(0.0, HIGHEST, (self.observations.size,), np.float32)
        return spaces.Dict({"observation": vector, "action_mask": spaces.MultiBinary(self.actions.count)})

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new game; without a seed the next one of the last seed's series."""
        if seed is not None:
            self.rng, _ = seeding.np_random(seed)
        self.game = new_game(self.rng.bytes(SEED_BYTES), len(self.possible_agents), self.rules)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._turn_to_who_is_asked()

    def observe(self, agent: str) -> dict[str, Any]:
        """What the seat sees; the mask of one that is not asked is all zeros."""
        mask = np.zeros(self.actions.count, np.int8)
        if agent == self.agent_selection:
            mask[list(self.legal)] = 1
        seen = view(self.game, SEAT_LETTERS.index(agent))
        return {"observation": self.observations.vector(seen), "action_mask": mask}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action not in self.legal:
            raise IllegalAction(f"action {action} is none of the {len(self.legal)} legal ones of {agent}")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        apply(self.game, self.legal[action])
        self._turn_to_who_is_asked()
        if not self.legal:
            self._end()
        self._accumulate_rewards()

    def _turn_to_who_is_asked(self) -> None:
        """The agent whose decision it is, and the moves it has by action: none when the game is over."""
        seat = asked(self.game)
        self.legal = self.actions.legal(self.game)
        self.agent_selection = self.agents[0 if seat is None else seat]

    def _end(self) -> None:
        """Rewards sum up to zero: a share of the victory is worth more the more seats there are."""
        won = winners(self.game)
        seats = len(self.agents)
        for seat, agent in enumerate(self.agents):
            share = seats / len(won) if seat in won else 0
            self.rewards[agent] = (share - 1) / (seats - 1)
        self.terminations = dict.fromkeys(self.agents, True)

    def render(self) -> str | None:
        """The table as a spectator sees it, as text."""
        return draw_table(view(self.game, None)) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """There is nothing to close."""
