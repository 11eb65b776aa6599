"""A program is told by machine, of everything that there is to tell."""

from __future__ import annotations

from datetime import timedelta

from server.database import transaction
from server.schemas.webhooks import TYPES
from server.services import timers
from tests.api.story.telling import Teller, later
from tests.playing import Person, attack, running_game, whose_turn
from tests.workers import rows


def tell(teller: Teller) -> None:
    ann, bob = teller.people("Ann", "Bob")
    wish = {"url": "https://bot.example.org/galapost", "types": list(TYPES)}
    made = teller.play("create_webhook", ann, body=wish, headers={"Idempotency-Key": "bell-1"})
    _let_things_happen(ann, bob)
    teller.note_what_is_sent(made["secret"])
    webhook = made["id"]
    teller.play("list_webhooks", ann)
    teller.play("get_webhook", ann, webhook_id=webhook)
    delivery = teller.play("list_webhook_deliveries", ann, webhook_id=webhook, at_most=2)["items"][0]["id"]
    teller.play("redeliver_to_webhook", ann, webhook_id=webhook, delivery_id=delivery)
    teller.play("replay_to_webhook", ann, webhook_id=webhook, body={"since": "2027-03-01T18:00:00Z"})
    teller.play("ping_webhook", ann, webhook_id=webhook)
    teller.play("rotate_webhook_secret", ann, webhook_id=webhook)
    teller.play("change_webhook", ann, webhook_id=webhook, body={"types": ["turn.opened", "game.over"]})
    teller.play("delete_webhook", ann, webhook_id=webhook)


def _let_things_happen(ann: Person, bob: Person) -> None:
    """A game begins and ends, another is called off, and Bob would have liked one more."""
    ann.ask("PATCH", "/me/notifications", json={"reminders": ["P2D"]})
    game = running_game(ann, bob)
    attack(game, hunter=bob, prey=ann)
    _be_slow(game, ann, bob)
    player, number = whose_turn(game, ann, bob)
    player.made(f"/games/{game}/moves", {"decision": number, "move": player.legal(game)[0]})
    bob.made(f"/games/{game}/messages", {"text": "I give up."})
    bob.made(f"/games/{game}/resignation")
    game = bob.made("/games", {"seats": 3})["id"]
    bob.made(f"/games/{game}/invitations", {"account": "Ann"})
    ann.made(f"/games/{game}/seats")
    bob.ask("DELETE", f"/games/{game}")


def _be_slow(game: str, ann: Person, bob: Person) -> None:
    """Ann is asked, also by a mail that goes out, and takes her time."""
    player, number = whose_turn(game, ann, bob)
    while player is bob:
        bob.made(f"/games/{game}/moves", {"decision": number, "move": bob.legal(game)[-1]})
        player, number = whose_turn(game, ann, bob)
    with transaction() as session:
        rows.tell_turns(session)
    with later(timedelta(days=2)):
        timers.sweep()
