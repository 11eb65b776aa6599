"""Ann signs in, changes what is hers, makes a token for a program, takes everything with her, and goes."""

from __future__ import annotations

from tests.api.story.telling import Teller
from tests.playing import Person, code_sent_to, running_game


def tell(teller: Teller) -> None:
    ann = _sign_in(teller)
    teller.play("get_me", ann)
    teller.play("change_me", ann, body={"language": "ru", "time_zone": "Europe/Riga"})
    teller.play("get_user", Person(teller.app), name="Ann")
    _change_the_address(teller, ann)
    _give_a_program_a_token(teller, ann)
    _go(teller, ann)


def _sign_in(teller: Teller) -> Person:
    nobody = Person(teller.app)
    started = teller.play("start_sign_in", nobody, body={"email": "ann@example.org", "language": "en"})
    proof = {"verification": started["verification"], "code": code_sent_to("ann@example.org"), "name": "Ann"}
    return Person(teller.app, teller.play("finish_sign_in", nobody, body=proof)["token"], "Ann")


def _change_the_address(teller: Teller, ann: Person) -> None:
    started = teller.play("start_email_change", ann, body={"email": "anna@example.org"})
    proof = {"verification": started["verification"], "code": code_sent_to("anna@example.org")}
    teller.play("finish_email_change", ann, body=proof)


def _give_a_program_a_token(teller: Teller, ann: Person) -> None:
    wish = {"name": "bell", "scopes": ["games:read"], "expires_in": "P30D"}
    made = teller.play("create_token", ann, body=wish, headers={"Idempotency-Key": "bell-1"})
    teller.play("list_my_tokens", ann)
    teller.play("revoke_token", ann, token_id=made["id"])


def _go(teller: Teller, ann: Person) -> None:
    (bob,) = teller.people("Bob")
    running_game(ann, bob)
    teller.play("export_me", ann, at_most=1)
    teller.play("delete_me", ann)
