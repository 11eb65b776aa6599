"""People meet at a table."""

from __future__ import annotations

from tests.api.story.telling import Teller
from tests.playing import Person, running_game


def tell(teller: Teller) -> None:
    ann, bob = teller.people("Ann", "Bob")
    nobody = Person(teller.app)
    wish = {"seats": 2, "options": {"deck": "classic"}, "spectators": "public"}
    game = teller.play("create_game", ann, body=wish, headers={"Idempotency-Key": "monday-1"})["id"]
    teller.play("list_games", nobody, query={"open": "true", "limit": "10"})
    teller.play("get_game", nobody, game_id=game)
    _change_and_start_another(teller, ann, bob)
    _call_one_off(teller, ann, bob)
    _play_again(teller, ann, bob)


def _change_and_start_another(teller: Teller, ann: Person, bob: Person) -> None:
    game = ann.made("/games", {"seats": 3, "start": "host"})["id"]
    seen = {"If-Match": ann.get(f"/games/{game}").headers["ETag"]}
    teller.play("update_game", ann, body={"seats": 4, "listed": False}, headers=seen, game_id=game)
    bob.made(f"/games/{game}/seats")
    teller.play("start_game", ann, game_id=game)


def _call_one_off(teller: Teller, ann: Person, bob: Person) -> None:
    game = ann.made("/games", {"seats": 4})["id"]
    bob.made(f"/games/{game}/seats")
    teller.play("leave_game", bob, game_id=game)
    bob.made(f"/games/{game}/seats")
    teller.play("unseat_player", ann, game_id=game, letter="B")
    teller.play("cancel_game", ann, game_id=game)


def _play_again(teller: Teller, ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    bob.made(f"/games/{game}/resignation")
    teller.play("make_rematch", bob, game_id=game)
