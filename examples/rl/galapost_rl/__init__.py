"""«Эволюция» for learning machines: a PettingZoo environment with a fixed space of actions (docs/rl.md)."""

from galapost_rl.actions import Actions
from galapost_rl.environment import env, raw_env
from galapost_rl.observations import Observations

__all__ = ["Actions", "Observations", "env", "raw_env"]
