"""Who runs: each plays whole random games, all by the same clock and the same way to choose.

A move is an answer chosen uniformly to a question with at least two answers; forced answers, dice and draws don't count.
The legal moves are listed for every question. A contender is a process of its own: for each line it reads, a number of
seconds, it plays for about that long and writes how many moves a second it made.
"""

import random
import sys
import time
from collections.abc import Callable

Game = Callable[[random.Random], int]  # plays one game, returns its moves


def galapost(seats: int) -> Game:
    from engine import flow
    from engine.chance import stream_key

    def game(chance: random.Random) -> int:
        state = flow.deal(stream_key(chance.randbytes(32)), seats)
        answers, choose, moves = flow.settle(state), chance.random, 0
        while answers:
            answers = flow.play(state, answers[int(choose() * len(answers))])
            moves += 1
        return moves

    return game


def python_chess() -> Game:
    import chess

    def game(chance: random.Random) -> int:
        board, choose, moves = chess.Board(), chance.random, 0
        while not board.is_game_over():
            legal = list(board.legal_moves)
            board.push(legal[int(choose() * len(legal))])
            moves += len(legal) > 1
        return moves

    return game


def open_spiel(name: str) -> Game:
    import pyspiel

    rules = pyspiel.load_game(name)

    def game(chance: random.Random) -> int:
        state, choose, moves = rules.new_initial_state(), chance.random, 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(chance.choices(outcomes, weights)[0])
            else:
                legal = state.legal_actions()
                state.apply_action(legal[int(choose() * len(legal))])
                moves += len(legal) > 1
        return moves

    return game


CONTENDERS: dict[str, Callable[[], Game]] = {
    "galapost-2": lambda: galapost(2),
    "galapost-4": lambda: galapost(4),
    "python_chess": python_chess,
    "gin_rummy": lambda: open_spiel("gin_rummy"),
    "backgammon": lambda: open_spiel("backgammon"),
    "hearts": lambda: open_spiel("hearts"),
}


def main() -> None:
    game, chance = CONTENDERS[sys.argv[1]](), random.Random(sys.argv[1])
    game(chance)  # what is made once is not measured
    for line in sys.stdin:
        games, moves, took = _play(game, chance, float(line))
        print(moves / took, games / took, flush=True)


def _play(game: Game, chance: random.Random, seconds: float) -> tuple[int, int, float]:
    games = moves = 0
    began = time.perf_counter()
    while (took := time.perf_counter() - began) < seconds:
        moves += game(chance)
        games += 1
    return games, moves, took


if __name__ == "__main__":
    main()
