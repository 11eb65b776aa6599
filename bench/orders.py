"""How often a game waits for a person, with standing orders and without: `make waits`.

The same greedy players sit in both kinds of games. A wait is a stretch of decisions that one person answers in one sitting:
the game stops, somebody has to be told and to come. Without orders he answers what is asked now, and as long as he is asked
again at once. With orders he writes down, too, what he would do next: his development as a queue, whom he will feed, how he
defends himself, and to pass when nothing is to be had. He sees what his seat sees, and forgets what came of it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import engine
from engine.vocabulary import SEAT_LETTERS
from server.services.orders.acting import Answer, Circumstances, answer
from server.services.orders.grammar import Orders, read

STANDING = [
    "defend run, drop tail-loss, mimic, drop parasite, drop fat-tissue",
    "pass feeding when nothing to receive",
    "if illegal skip",
]
CHOOSERS = frozenset(("carnivorous", "piracy"))  # of whom they eat, and when
ATTACKERS_FEAR = ("poisonous", "running", "tail-loss", "mimicry")


class Greedy:
    """Plays what feeds it now: half of the hand as animals, the rest as traits on them; attacks first, then the bank."""

    def plan(self, state: engine.State) -> list[str]:
        """What this seat would play next, in order, as far as it can be said now."""
        question = engine.question(state)
        assert question is not None
        if question.kind == "develop":
            return self._development(state)
        return self._feeding(state) if question.kind == "feed" else [str(engine.default_answer(state))]

    def _development(self, state: engine.State) -> list[str]:
        """Animals while there are fewer than cards in hand, then traits, each on the animal that has least."""
        seat = _own(state)
        hand = list(seat["hand"])
        new = max(0, (len(hand) - len(seat["animals"]) + 1) // 2)
        plays = [str(move) for move in engine.legal_moves(state) if move.word == "play"]
        loads = {animal["id"]: len(animal["traits"]) for animal in seat["animals"]}
        planned = [f"animal {card}" for card in hand[:new]]
        for card in hand[new:]:
            ends = (f"play {card} ", f"play {'/'.join(reversed(card.split('/')))} ")
            fitting = [play for play in plays if play.startswith(ends) and _is_on(play, loads) and play not in planned]
            if fitting:
                chosen = min(fitting, key=lambda play: loads[play.rpartition(" ")[2]])
                loads[chosen.rpartition(" ")[2]] += 1
                planned.append(chosen)
        return [*planned, "pass", *self._meals_ahead(state, seat, planned, new)]

    def _meals_ahead(self, state: engine.State, seat: dict[str, Any], planned: list[str], new: int) -> list[str]:
        """Who has only herbivores has nothing to choose when they feed: all in turn, while there is food.

        The newborn have the next numbers.
        """
        traits = [card["trait"] for animal in seat["animals"] for card in animal["traits"]]
        if CHOOSERS.intersection([*traits, *(play.split()[1].partition("/")[0] for play in planned if "play" in play)]):
            return []
        last = state.players[SEAT_LETTERS.index(seat["seat"])].born
        newborn = [f"{seat['seat']}{last + number}" for number in range(1, new + 1)]
        return [f"feed {animal}" for animal in [*(animal["id"] for animal in seat["animals"]), *newborn]] * 3

    def _feeding(self, state: engine.State) -> list[str]:
        """Carnivores attack what they may; the hungry are fed until they have enough, then fat; thieves steal."""
        moves = engine.legal_moves(state)
        attacks = _one_each([str(move) for move in moves if move.word == "attack"], self._risk(state))
        steals = _one_each([str(move) for move in moves if move.word == "steal"], lambda move: 0)
        meals = [
            f"feed {animal['id']}"
            for animal in _own(state)["animals"]
            for _ in range(animal["need"] - animal["food"] + animal["fat_slots"] - animal["fat"])
        ]
        rest = [str(move) for move in moves if move.word in ("end", "pass")]
        return [*steals, *attacks, *meals] or rest or [str(moves[0])]

    def _risk(self, state: engine.State) -> Callable[[str], int]:
        animals = {animal["id"]: animal for seat in engine.view(state, None)["seats"] for animal in seat["animals"]}

        def risk(attack: str) -> int:
            traits = {card["trait"] for card in animals[attack.rpartition(" ")[2]]["traits"]}
            return len(traits & set(ATTACKERS_FEAR))

        return risk


def _own(state: engine.State) -> dict[str, Any]:
    """The seat that is asked, as it sees itself."""
    seat = engine.asked(state)
    assert seat is not None
    own: dict[str, Any] = engine.view(state, seat)["seats"][seat]
    return own


def _is_on(play: str, loads: dict[str, int]) -> bool:
    return play.rpartition(" ")[2] in loads


def _one_each(moves: list[str], cost: Callable[[str], int]) -> list[str]:
    """The cheapest for each animal that acts; the target of one is not named again, it may be gone."""
    chosen: dict[str, str] = {}
    for move in sorted(moves, key=cost):
        actor, target = move.split()[1:3]
        if actor not in chosen and not any(taken.endswith(" " + target) for taken in chosen.values()):
            chosen[actor] = move
    return list(chosen.values())


def waits(seed: int, seats: int, with_orders: bool) -> int:
    """Of one game, from the deal to its end."""
    state = engine.new_game(seed.to_bytes(32, "big"), seats)
    orders = dict.fromkeys(range(seats), Orders())
    player, counted, present = Greedy(), 0, None
    while (asked := engine.asked(state)) is not None:
        given = _by_orders(state, orders[asked]) if with_orders else Answer(None, Orders())
        orders[asked] = given.left
        if given.move is None:
            counted += asked != present
            present = asked
            planned = player.plan(state)
            move = _first_legal(state, planned)
            orders[asked] = read([*planned[1:], *STANDING])
        else:
            move = given.move
        engine.apply(state, move)
    return counted


def _by_orders(state: engine.State, orders: Orders) -> Answer:
    return answer(orders, state, Circumstances())


def _first_legal(state: engine.State, planned: list[str]) -> engine.Move:
    """The first of the plan that may be played now; where the rules compel something else, that."""
    for written in planned:
        try:
            return engine.read_move(state, written)
        except (engine.IllegalMove, engine.BadNotation):
            continue
    return engine.default_answer(state)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.orders", description=__doc__)
    parser.add_argument("--games", type=int, default=200, help="of each number of seats, with orders and without")
    games = parser.parse_args().games
    told = []
    for seats in (2, 4):
        without, given = (sum(waits(seed, seats, way) for seed in range(games)) / games for way in (False, True))
        told.append(f"{seats} seats {without:.1f} without, {given:.1f} with orders, ratio {given / without:.2f}")
    print(f"waits: {'; '.join(told)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
