"""Somebody says what he wants to be told, and looks what became of it."""

from __future__ import annotations

from tests.api.story.telling import Teller
from tests.playing import running_game

WISHES = {
    "kinds": {"message": {"email": "digest"}, "attacked": {"email": "digest"}, "your_turn": {"email": "immediate"}},
    "quiet_hours": {"from": "22:00", "until": "07:30"},
    "digest_at": "19:00",
    "delay": "PT5M",
    "reminders": ["P1D", "P3D"],
}


def tell(teller: Teller) -> None:
    ann, bob = teller.people("Ann", "Bob")
    teller.play("put_my_notifications", ann, body=WISHES)
    game = running_game(ann, bob)
    bob.made(f"/games/{game}/messages", {"text": "Your move!"})
    muted = {"muted": True}
    teller.play("put_game_notifications", ann, body=muted, game_id=game)
    teller.play("get_game_notifications", ann, game_id=game)
    bob.made(f"/games/{game}/resignation")
    told = teller.play("list_my_deliveries", ann, query={"channel": "email"})["items"]
    left_out = next(item["id"] for item in told if item["state"] == "suppressed")
    teller.play("send_again", ann, delivery_id=left_out)
    teller.play("send_test_notifications", ann, body={"channel": "email"})
    teller.play("change_my_notifications", ann, body={"kinds": {"message": {"email": "off"}}, "quiet_hours": None})
    teller.play("get_my_notifications", ann)
