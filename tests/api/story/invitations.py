"""Ann keeps seats for Bob, for an address, and for whoever gets her link."""

from __future__ import annotations

from sqlalchemy import select

from server.database import reading
from server.models import Delivery
from tests.api.story.telling import Teller


def tell(teller: Teller) -> None:
    ann, bob = teller.people("Ann", "Bob")
    game = ann.made("/games", {"seats": 4, "listed": False, "join": "invited"})["id"]
    teller.play("create_invitation", ann, body={"account": "Bob"}, game_id=game)
    by_mail = ann.made(f"/games/{game}/invitations", {"email": "cay@example.org"})["id"]
    token = _token_mailed_to("cay@example.org")
    by_link = ann.made(f"/games/{game}/invitations", {"link": True})["token"]
    teller.play("list_invitations", ann, game_id=game)
    (offer,) = teller.play("list_my_invitations", bob)["items"]
    teller.play("get_invitation", bob, token=by_link)
    teller.play("refuse_invitation", bob, token=by_link)
    teller.play("accept_invitation", bob, token=offer["id"])
    teller.play("withdraw_invitation", ann, game_id=game, invitation_id=by_mail)
    teller.play("never_invite_again", teller.nobody, token=token)


def _token_mailed_to(address: str) -> str:
    waiting = select(Delivery).where(Delivery.kind == "invitation", Delivery.address == address)
    with reading() as session:
        return str((session.scalars(waiting).one().payload or {})["token"])
