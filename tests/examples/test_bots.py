"""The bots of examples/ as anybody runs them; on a good day, and on a bad one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.examples.programs import GREEDY, LOOP, RANDOM, Program, running
from tests.examples.proxy import before
from tests.examples.servers import Server, check_game, wait_for
from tests.playing import on_one_database

SEED = "lost"
GAME_WITHIN = 150.0  # seconds, on a busy machine


def play(server: Server, token: str, game: str, meanwhile: Callable[[], None] = lambda: None) -> int:
    """Waits for the end of the game, checks it, gives the number of its decisions."""

    def over() -> bool:
        meanwhile()
        return server.is_over(token, game)

    wait_for(over, GAME_WITHIN)
    return check_game(server, token, game)


def test_the_three_of_them_play_a_game(server: Server, tokens: list[str], tmp_path: Path) -> None:
    game = server.new_game(*tokens)
    bots = [
        Program(command, server.url, token, tmp_path / f"{n}.log")
        for n, (command, token) in enumerate(zip((RANDOM, GREEDY, LOOP), tokens, strict=True))
    ]
    with running(*bots):
        decisions = play(server, tokens[0], game)
    assert [bot.said() for bot in bots[:2]] == [f"playing at {server.url}; Ctrl-C ends it\n"] * 2
    assert not bots[2].said(), bots[2].said()
    print(f"bots: random, greedy and curl: 1 game finished, {decisions} decisions")


def test_kill_9_of_a_bot_and_of_the_server_stops_no_game(
    server: Server, tokens: list[str], tmp_path: Path, database_url: str
) -> None:
    tokens = tokens[:2]
    game = server.new_game(*tokens)
    left, right = (Program(RANDOM, server.url, token, tmp_path / f"{n}.log") for n, token in enumerate(tokens))
    victims = iter([left, server, right, server, left, server] * 2)

    def meanwhile() -> None:
        if len(server.moves(tokens[0], game)) >= 15 * (1 + left.kills + right.kills + server.kills):
            victim = next(victims)
            victim.kill()
            victim.start()

    with running(left, right):
        decisions = play(server, tokens[0], game, meanwhile)
        kills, deaths = left.kills + right.kills, server.kills
    assert kills >= 3 and deaths >= 3
    print(
        f"kill -9 on {database_url.partition(':')[0]}: {kills} of a bot, {deaths} of the server;"
        f" 1 game finished, {decisions} decisions, each answered once"
    )


@on_one_database
def test_lost_answers_play_nothing_twice_and_stop_no_game(server: Server, tokens: list[str], tmp_path: Path) -> None:
    tokens = tokens[:2]
    game = server.new_game(*tokens)
    with before(server.port, SEED) as proxy:
        left, right = (Program(RANDOM, proxy.url, token, tmp_path / f"{n}.log") for n, token in enumerate(tokens))
        with running(left, right):
            decisions = play(server, tokens[0], game)
    assert proxy.met["answer lost POST"] >= 5
    told = ", ".join(f"{number} {what}" for what, number in sorted(proxy.met.items()))
    print(f"lost answers: {told}; 1 game finished, {decisions} decisions, each answered once")
