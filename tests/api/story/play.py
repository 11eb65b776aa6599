"""A move: what is owed, what is legal, the answer, the table."""

from __future__ import annotations

from tests.api.story.telling import Teller
from tests.playing import Person, running_game, whose_turn


def tell(teller: Teller) -> None:
    ann, bob = teller.people("Ann", "Bob")
    game = running_game(ann, bob, options={"deck": "classic"}, spectators="public")
    for _ in range(5):  # so that something lies on the table
        player, number = whose_turn(game, ann, bob)
        player.made(f"/games/{game}/moves", {"decision": number, "move": player.legal(game)[0]})
    player, _ = whose_turn(game, ann, bob)
    (owed,) = teller.play("list_my_decisions", player)["items"]
    legal = teller.play("list_legal_moves", player, game_id=game)["items"]
    teller.play("play_move", player, game_id=game, body={"decision": owed["decision"], "move": legal[-2]["notation"]})
    teller.play("get_view", player, game_id=game)
    teller.play("get_view_text", player, game_id=game)
    teller.play("get_view_svg", player, at_most=30, game_id=game, query={"width": "360"})
    teller.play("get_view_png", player, game_id=game, query={"width": "360"})
    teller.play("list_events", player, game_id=game, query={"after": "1", "limit": "5"})
    teller.play("list_moves", player, game_id=game, query={"after": "2", "limit": "3"})
    teller.play("list_my_events", player, query={"after": "3", "limit": "2", "wait": "25"})
    _end_it(teller, game, ann, bob)


def _end_it(teller: Teller, game: str, ann: Person, bob: Person) -> None:
    teller.play("agree_to_cancel", ann, game_id=game)
    teller.play("withdraw_cancellation", ann, game_id=game)
    teller.play("resign", bob, game_id=game)
