"""Bots, webhooks, notices."""

from __future__ import annotations

from server.config import Settings
from server.services import dispatching
from server.services.settling import Outcome
from tests.api.story.telling import Teller
from tests.playing import Person


def tell(teller: Teller) -> None:
    ann, bob = teller.people("Ann", "Bob")
    _bots(teller, ann, bob)
    _notices(teller, bob)
    _webhooks(teller, ann)


def _bots(teller: Teller, ann: Person, bob: Person) -> None:
    bot = ann.made("/bots", {"name": "Darwinist", "accepts": {"seats": [2]}})["id"]
    made = ann.made(f"/bots/{bot}/tokens", {"name": "t", "scopes": ["games:play"]})
    darwinist = Person(teller.app, made["token"])
    teller.refused("unknown-bot", "get_bot", bob, bot_id="u_nobody")
    teller.refused("not-the-owner", "change_bot", bob, body={"engine": "2.0"}, bot_id=bot)
    three, own = (who.made("/games", {"seats": seats})["id"] for who, seats in ((bob, 3), (ann, 2)))
    teller.refused("bot-declines", "join_game", darwinist, game_id=three)
    teller.refused("same-person", "join_game", darwinist, game_id=own)
    number = 1
    while bob.post("/bots", {"name": f"Wallace {number}"}).status_code == 201:
        number += 1
    teller.refused("too-many-bots", "create_bot", bob, body={"name": "Wallace"})


def _notices(teller: Teller, bob: Person) -> None:
    bob.made("/me/email", {"email": "robert@example.org"})
    dispatching.run(lambda parcel: Outcome("sent", 250), Settings.from_env())
    code = bob.seen("/me/deliveries")["items"][0]["id"]
    teller.refused("not-sendable", "send_again", bob, delivery_id=code)
    teller.refused("no-way-to-send", "send_test_notifications", bob, body={"channel": "webhook"})


def _webhooks(teller: Teller, ann: Person) -> None:
    wish = {"url": "https://bot.example.org/galapost"}
    teller.refused("bad-webhook-url", "create_webhook", ann, body={"url": "http://bot.example.org/galapost"})
    teller.refused("unknown-webhook", "get_webhook", ann, webhook_id="wh_none")
    webhook = ann.made("/webhooks", wish)["id"]
    teller.refused("unknown-delivery", "redeliver_to_webhook", ann, webhook_id=webhook, delivery_id="dl_none")
    while ann.post(f"/webhooks/{webhook}/test").status_code == 202:
        pass
    teller.refused("rate-limited", "ping_webhook", ann, webhook_id=webhook)
    ann.ask("PATCH", f"/webhooks/{webhook}", json={"active": False})
    teller.refused("webhook-disabled", "ping_webhook", ann, webhook_id=webhook)
    while ann.post("/webhooks", wish).status_code == 201:
        pass
    teller.refused("too-many-webhooks", "create_webhook", ann, body=wish)
