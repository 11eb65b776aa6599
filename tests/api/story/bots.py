"""A bot, from its owner's side."""

from __future__ import annotations

from tests.api.story.telling import Teller
from tests.playing import Person


def tell(teller: Teller) -> None:
    (ann,) = teller.people("Ann")
    nobody = Person(teller.app)
    wish = {"name": "Darwinist", "engine": "greedy 1.2", "description": "It eats first.", "accepts": {"seats": [2, 3]}}
    bot = teller.play("create_bot", ann, body=wish, headers={"Idempotency-Key": "darwinist-1"})["id"]
    teller.play("list_bots", nobody)
    teller.play("get_bot", nobody, bot_id=bot)
    teller.play("change_bot", ann, body={"accepts": {"games_at_once": 5}}, bot_id=bot)
    wish = {"name": "cellar", "scopes": ["games:read", "games:play"]}
    token = teller.play("create_bot_token", ann, body=wish, bot_id=bot)["id"]
    teller.play("list_bot_tokens", ann, bot_id=bot)
    teller.play("revoke_bot_token", ann, bot_id=bot, token_id=token)
    teller.play("delete_bot", ann, bot_id=bot)
