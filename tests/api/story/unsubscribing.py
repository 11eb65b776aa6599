"""Ann has had enough of one kind of mail, and follows the link in it."""

from __future__ import annotations

from sqlalchemy import select

from server import clock
from server.config import Settings
from server.database import transaction
from server.models import Delivery
from server.services import letters
from tests.api.story.telling import Teller
from tests.playing import running_game


def tell(teller: Teller) -> None:
    ann, bob = teller.people("Ann", "Bob")
    running_game(ann, bob)
    token = _token_in_the_mail("game_started")
    teller.play("get_subscription", teller.nobody, token=token)
    teller.play("unsubscribe", teller.nobody, token=token)


def _token_in_the_mail(kind: str) -> str:
    """Out of the link in the first mail of that kind, which is written and stored as for sending."""
    with transaction() as session:
        waiting = select(Delivery).where(Delivery.kind == kind, Delivery.seat == "A")
        made = letters.write(session, session.scalars(waiting).one(), Settings.from_env(), clock.now())
        session.add_all(made.tokens)
    return made.mail.partition("/v1/unsubscribe/")[2][:26]
