"""A bot that takes what pays at once: `BOT_TOKEN=gp_… python greedy_bot.py`. The loop is that of `random_bot.py`, beside it."""

import random

from random_bot import Bot, main

HERD = 4
ONE_IS_ENOUGH = ("carnivorous", "piracy", "grazing")


class GreedyBot(Bot):
    def choose(self, game, moves):
        view = self.ask("GET", f"/v1/games/{game}/view")
        return best(moves, Table(view)) if view else super().choose(game, moves)


class Table:
    """What the moves are weighed by."""

    def __init__(self, view):
        self.me, self.bank = view["you"], view["bank"]
        self.animals = {animal["id"]: animal for seat in view["seats"] for animal in seat["animals"]}

    def is_mine(self, animal):
        return animal.startswith(self.me)

    def mine(self):
        return [animal for name, animal in self.animals.items() if self.is_mine(name)]

    def has(self, trait):
        return any(card["trait"] == trait for animal in self.mine() for card in animal["traits"])

    def points(self, name):
        """What its owner has of it at the end."""
        return 1 + self.animals[name]["need"] + len(self.animals[name]["traits"])

    def hunger(self, name):
        animal = self.animals[name]
        return max(0, animal["need"] - animal["food"])


def best(moves, table):
    """The one of greatest worth; of several any. What nobody had heard of when this was written is worth nothing."""
    return max(moves, key=lambda one: (WORTH.get(one["move"]["type"], nothing)(one["move"], table), random.random()))


def nothing(move, table):
    return 0


def new_animal(move, table):
    """A herd first: what has one animal loses all with it."""
    return 5 if len(table.mine()) < HERD else 2


def new_trait(move, table):
    """A parasite for them; one carnivore for me; then whatever adds a point."""
    if not table.is_mine(move["animal"]):
        return 4
    if move["trait"] in ONE_IS_ENOUGH and table.has(move["trait"]):
        return 0.5
    return 4 if move["trait"] == "carnivorous" else 3


def food(move, table):
    """Who lacks least comes first: half a meal saves nobody."""
    missing = table.hunger(move["animal"])
    return 6 - missing if missing else 1


def hunt(move, table):
    """Their loss, and a meal."""
    gain = table.points(move["target"]) + min(2, table.hunger(move["animal"]))
    return -gain if table.is_mine(move["target"]) else gain + 3


def theft(move, table):
    return 7 if not table.is_mine(move["target"]) else -1


def reserve(move, table):
    """For the time when nothing else is left."""
    return 1 if table.hunger(move["animal"]) and not table.bank else -1


def destruction(move, table):
    """Of food that others would take."""
    return -1 if any(table.hunger(animal["id"]) for animal in table.mine()) else 2


def defence(move, table):
    """Run, for that costs nothing; else give up what is worth least."""
    return {"run": 3, "mimic": 2 - table.points(move.get("target", move["animal"])) / 10, "drop": 1}[move["type"]]


WORTH = {
    "animal": new_animal,
    "play": new_trait,
    "feed": food,
    "share": food,
    "scavenge": food,
    "attack": hunt,
    "steal": theft,
    "convert": reserve,
    "hibernate": reserve,
    "graze": destruction,
    "run": defence,
    "mimic": defence,
    "drop": defence,
}

if __name__ == "__main__":
    main(GreedyBot)
