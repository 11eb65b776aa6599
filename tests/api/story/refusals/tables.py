"""The lobby: who may sit where, whom one may invite, what binds before the deal."""

from __future__ import annotations

import hashlib

from sqlalchemy import select

from server.database import reading
from server.models import Delivery
from tests.api.story.telling import Teller
from tests.playing import Person


def tell(teller: Teller) -> None:
    people = teller.people("Ann", "Bob", "Cay")
    _seats(teller, *people)
    _hosts(teller, *people)
    _invitations(teller, *people)
    _entropy(teller, *people)


def _seats(teller: Teller, ann: Person, bob: Person, cay: Person) -> None:
    teller.refused("bad-option", "create_game", ann, body={"seats": 6})
    teller.refused("unknown-game", "get_game", cay, game_id="g_nowhere")
    game = ann.made("/games", {"seats": 2, "start": "host"})["id"]
    teller.refused("too-few-players", "start_game", ann, game_id=game)
    teller.refused("game-not-started", "get_view", ann, game_id=game)
    teller.refused("already-seated", "join_game", ann, game_id=game)
    bob.made(f"/games/{game}/seats")
    teller.refused("no-free-seat", "join_game", cay, game_id=game)
    teller.refused("unknown-seat", "unseat_player", ann, game_id=game, letter="H")
    ann.made(f"/games/{game}/start")
    teller.refused("game-started", "leave_game", bob, game_id=game)
    closed = ann.made("/games", {"seats": 2, "join": "invited"})["id"]
    teller.refused("invitation-needed", "join_game", bob, game_id=closed)


def _hosts(teller: Teller, ann: Person, bob: Person, cay: Person) -> None:
    game = ann.made("/games", {"seats": 4})["id"]
    teller.refused("host-keeps-seat", "leave_game", ann, game_id=game)
    for guest in (bob, cay):
        guest.made(f"/games/{game}/seats")
    teller.refused("not-the-host", "update_game", bob, body={"seats": 3}, game_id=game)
    teller.refused("rules-fixed", "update_game", ann, body={"spectators": "public"}, game_id=game)
    teller.refused("seats-taken", "update_game", ann, body={"seats": 2}, game_id=game)


def _invitations(teller: Teller, ann: Person, bob: Person, cay: Person) -> None:
    game = ann.made("/games", {"seats": 3})["id"]
    teller.refused("unknown-invitation", "get_invitation", cay, token="nothing")
    teller.refused("unknown-subscription", "get_subscription", cay, token="nothing")
    to_bob = ann.made(f"/games/{game}/invitations", {"account": "Bob"})["id"]
    teller.refused("already-invited", "create_invitation", ann, body={"account": "Bob"}, game_id=game)
    teller.refused("invitation-for-another", "accept_invitation", cay, token=_token_mailed_to_bob())
    link = ann.made(f"/games/{game}/invitations", {"link": True})["token"]
    teller.refused("not-invited-by-mail", "never_invite_again", bob, token=link)
    bob.made(f"/invitations/{to_bob}/refusal")
    teller.refused("invitation-closed", "accept_invitation", bob, token=to_bob)
    wish = {"email": "dan@example.org"}
    for number in range(10):
        ann.made(f"/games/{game}/invitations", {"email": f"guest{number}@example.org"})
    teller.refused("too-many-invitations", "create_invitation", ann, body=wish, game_id=game)


def _token_mailed_to_bob() -> str:
    with reading() as session:
        mail = session.scalars(select(Delivery).where(Delivery.kind == "invitation", Delivery.channel == "email")).one()
        return str((mail.payload or {})["token"])


def _entropy(teller: Teller, ann: Person, bob: Person, cay: Person) -> None:
    commitment = {"entropy_commitment": hashlib.sha256(b"of Ann").hexdigest()}
    game = ann.made("/games", {"seats": 2, "start": "host", **commitment})["id"]
    teller.refused("entropy-committed", "commit_entropy", ann, body={"entropy_commitment": "0" * 64}, game_id=game)
    teller.refused("seats-still-free", "reveal_entropy", ann, body={"entropy": "of Ann"}, game_id=game)
    bob.made(f"/games/{game}/seats")
    teller.refused("no-entropy-committed", "reveal_entropy", bob, body={"entropy": "of Bob"}, game_id=game)
    teller.refused("wrong-entropy", "reveal_entropy", ann, body={"entropy": "of Ann\\n"}, game_id=game)
    ann.made(f"/games/{game}/seats/me/entropy", {"entropy": "of Ann"})
    teller.refused("entropy-revealed", "commit_entropy", bob, body=commitment, game_id=game)
