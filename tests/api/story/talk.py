"""A word at the table."""

from __future__ import annotations

from tests.api.story.telling import Teller
from tests.playing import running_game


def tell(teller: Teller) -> None:
    ann, bob = teller.people("Ann", "Bob")
    game = running_game(ann, bob)
    message = {"text": "Nice hunt, that."}
    teller.play("send_message", ann, body=message, headers={"Idempotency-Key": "word-1"}, game_id=game)
    teller.play("list_messages", bob, game_id=game)
