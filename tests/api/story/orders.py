"""Orders for the moves to come; the other one moves, and they have answered."""

from __future__ import annotations

from tests.api.story.telling import Teller
from tests.playing import running_game, whose_turn


def tell(teller: Teller) -> None:
    ann, bob = teller.people("Ann", "Bob")
    game = running_game(ann, bob, options={"deck": "classic"})
    asked, number = whose_turn(game, ann, bob)
    other = bob if asked is ann else ann
    (cards,) = [seat["hand"] for seat in other.seen(f"/games/{game}/view")["seats"] if seat["hand"] is not None]
    seen = other.get(f"/games/{game}/orders").headers["ETag"]
    lines = [f"animal {cards[0]}", "defend run, drop tail-loss, mimic", "pass feeding when nothing to receive"]
    teller.play("put_orders", other, body={"lines": lines}, headers={"If-Match": seen}, game_id=game)
    asked.made(f"/games/{game}/moves", {"decision": number, "move": "pass"})
    further = {"lines": ["play running H9", "if illegal skip", "stop when attacked"]}
    teller.play("add_orders", other, body=further, game_id=game)
    teller.play("get_orders", other, game_id=game)
    teller.play("delete_orders", other, game_id=game)
