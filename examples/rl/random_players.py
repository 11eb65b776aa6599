"""Random players in the environment: ``python examples/rl/random_players.py [SEATS]`` plays a game and shows its end."""

import sys

from galapost_rl import env


def main() -> None:
    game = env(seats=int(sys.argv[1]) if len(sys.argv) > 1 else 2, render_mode="ansi")
    game.reset(seed=1)
    rewards = {}
    last_table = ""
    for agent in game.agent_iter():
        observation, reward, termination, truncation, _ = game.last()
        if termination or truncation:
            rewards[agent] = reward
            action = None
        else:
            action = game.action_space(agent).sample(observation["action_mask"])
        last_table = game.render()
        game.step(action)
    print(last_table)
    print(rewards)


if __name__ == "__main__":
    main()
